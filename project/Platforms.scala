// SPDX-License-Identifier: Apache-2.0

/**
 * Lists the supported pairs of Spark and Delta versions. This is the only such list.
 *
 * `sbt platforms` prints it as JSON. The wheel contains the same JSON, so Python does not repeat
 * version numbers, and `./dev` parses the lines of `all`.
 */
object Platforms {

  /**
   * `spark` and `delta` are exact releases; the artifact name has only Spark's minor version.
   * `lastSpark` is the last patch release of Spark that this Delta runs on, if later ones exist.
   */
  final case class Platform(name: String, spark: String, delta: String, lastSpark: String = "") {

    val sparkMinor: String = minorOf(spark)

    /**
     * The first supported patch release of this Spark version. PySpark 4.0.0 returns no rows of a query
     * with a collated column.
     */
    val firstSpark: String = if (sparkMinor == "4.0") "4.0.1" else s"$sparkMinor.0"

    /** Delta publishes one artifact per Spark minor version since 4.1. */
    val deltaArtifact: String =
      if (minorOf(delta) == "4.0") s"delta-spark_$ScalaBinary"
      else s"delta-spark_${sparkMinor}_$ScalaBinary"

    /** Follows Delta: the Spark minor version is part of the name and not of the version. */
    val artifact: String = s"delta-collations_${sparkMinor}_$ScalaBinary"

    /** The Scala version that Spark ships with, so that we call only methods that it has. */
    def scala: String =
      Map(
        "4.3" -> "2.13.18",
        "4.2" -> "2.13.18",
        "4.1" -> "2.13.17",
        "4.0" -> "2.13.16"
      )(sparkMinor)

    /** The source directories for code that differs between Spark versions. */
    def shims: Seq[String] = sparkMinor match {
      case "4.0" => Seq("scala-spark-4.0", "scala-spark-4.0-4.2")
      case "4.1" | "4.2" => Seq("scala-spark-4.0-4.2", "scala-spark-4.1-4.3")
      case "4.3" => Seq("scala-spark-4.1-4.3", "scala-spark-4.3")
    }

    def json(version: String): String =
      Seq(
        "name" -> name,
        "spark" -> sparkMinor,
        "delta" -> s"io.delta:$deltaArtifact:$delta",
        "first_spark" -> firstSpark,
        "last_spark" -> lastSpark,
        "jar" -> s"$artifact-$version.jar"
      ).map { case (key, value) => s""""$key": "$value"""" }
        .mkString("{", ", ", "}")
  }

  private val ScalaBinary = "2.13"

  private def minorOf(release: String): String = release.split('.').take(2).mkString(".")

  /**
   * All platforms. The first of each Spark version is the one that its jar is compiled for; the jar
   * supports the others. Each of those is another Delta version, another patch release of Spark that
   * people get, or both.
   */
  val all: Seq[Platform] = Seq(
    Platform("spark42-delta44", spark = "4.2.0", delta = "4.4.0"),
    Platform("spark421-delta44", spark = "4.2.1", delta = "4.4.0"),
    Platform("spark41-delta44", spark = "4.1.3", delta = "4.4.0"),
    Platform("spark414-delta44", spark = "4.1.4", delta = "4.4.0"),
    Platform("spark41-delta43", spark = "4.1.3", delta = "4.3.1"),
    // `ALTER TABLE` of these Delta versions extends a class that Spark 4.1.2 removed.
    Platform("spark411-delta42", spark = "4.1.1", delta = "4.2.0", lastSpark = "4.1.1"),
    Platform("spark411-delta41", spark = "4.1.1", delta = "4.1.0", lastSpark = "4.1.1"),
    Platform("spark40-delta44", spark = "4.0.4", delta = "4.4.0"),
    Platform("spark405-delta44", spark = "4.0.5", delta = "4.4.0"),
    Platform("spark40-delta43", spark = "4.0.4", delta = "4.3.1"),
    Platform("spark40-delta42", spark = "4.0.4", delta = "4.2.0"),
    Platform("spark40-delta41", spark = "4.0.4", delta = "4.1.0"),
    Platform("spark40-delta40", spark = "4.0.4", delta = "4.0.1"),
    Platform("spark401-delta400", spark = "4.0.1", delta = "4.0.0")
  )

  /**
   * The next Spark version, which Delta is not published for. `./dev preview` compiles the sources for
   * it with the newest Delta.
   */
  val next: Platform = all.head.copy(name = "next-spark", spark = "4.3.0")

  /**
   * The ICU versions that statistics may have, oldest first: that of Databricks, those of the Spark
   * versions above, and the next one.
   */
  val icu: Seq[String] = Seq("75.1", "76.1", "77.1", "78.3", "79.1")

  /** The platforms that a jar is compiled for, one per Spark minor version. */
  val compiled: Seq[Platform] =
    all.map(_.sparkMinor).distinct.flatMap(minor => all.find(_.sparkMinor == minor))

  /** Returns the platforms that the jar of `platform` supports. */
  def supportedBy(platform: Platform): Seq[Platform] = all.filter(_.artifact == platform.artifact)

  def json(version: String): String = all.map(_.json(version)).mkString("[", ", ", "]")
}
