// SPDX-License-Identifier: Apache-2.0

/**
 * The only list of Spark × Delta pairs this project supports.
 *
 * `sbt platforms` prints it as JSON; the wheel carries the same text, so that Python never repeats
 * a version number, and `./dev` reads the lines of `all`.
 */
object Platforms {

  /** `spark` and `delta` are exact releases; only Spark's minor reaches the artefact's name. */
  final case class Platform(name: String, spark: String, delta: String) {

    val sparkMinor: String = minorOf(spark)

    /** Delta publishes one artefact per Spark minor, and did not do so yet in 4.0. */
    val deltaArtifact: String =
      if (minorOf(delta) == "4.0") s"delta-spark_$ScalaBinary"
      else s"delta-spark_${sparkMinor}_$ScalaBinary"

    /** Ours is named the same way: the Spark minor is in the name, never in the version. */
    val artifact: String = s"delta-collations_${sparkMinor}_$ScalaBinary"

    /** The Scala that this Spark brings along: what we call must be in it. */
    def scala: String = Map("4.2" -> "2.13.18", "4.1" -> "2.13.17", "4.0" -> "2.13.16")(sparkMinor)

    /** The folder of sources for what differs between Sparks. */
    def shims: String = if (sparkMinor == "4.0") "scala-spark-4.0" else "scala-spark-4.1-4.2"

    def json(version: String): String =
      Seq(
        "name" -> name,
        "spark" -> sparkMinor,
        "delta" -> s"io.delta:$deltaArtifact:$delta",
        "jar" -> s"$artifact-$version.jar"
      ).map { case (key, value) => s""""$key": "$value"""" }
        .mkString("{", ", ", "}")
  }

  private val ScalaBinary = "2.13"

  private def minorOf(release: String): String = release.split('.').take(2).mkString(".")

  /**
   * Newest first. A jar is compiled with the first Delta of its Spark, and serves the others. The
   * `ALTER TABLE` of Delta 4.1 and 4.2 needs a class that Spark has taken out of 4.1.
   */
  val all: Seq[Platform] = Seq(
    Platform("spark42-delta44", spark = "4.2.0", delta = "4.4.0"),
    Platform("spark41-delta44", spark = "4.1.3", delta = "4.4.0"),
    Platform("spark41-delta43", spark = "4.1.3", delta = "4.3.1"),
    Platform("spark40-delta44", spark = "4.0.4", delta = "4.4.0"),
    Platform("spark40-delta43", spark = "4.0.4", delta = "4.3.1"),
    Platform("spark40-delta42", spark = "4.0.4", delta = "4.2.0"),
    Platform("spark40-delta41", spark = "4.0.4", delta = "4.1.0"),
    Platform("spark40-delta40", spark = "4.0.4", delta = "4.0.1")
  )

  /**
   * The versions of ICU that statistics may be of, oldest first: that of Databricks, those of the
   * Sparks above, and the next.
   */
  val icu: Seq[String] = Seq("75.1", "76.1", "77.1", "78.3", "79.1")

  /** Those a jar is compiled for, one per Spark minor. */
  val compiled: Seq[Platform] =
    all.map(_.sparkMinor).distinct.flatMap(minor => all.find(_.sparkMinor == minor))

  /** The platforms that the jar of `platform` serves. */
  def servedBy(platform: Platform): Seq[Platform] = all.filter(_.artifact == platform.artifact)

  def json(version: String): String = all.map(_.json(version)).mkString("[", ", ", "]")
}
