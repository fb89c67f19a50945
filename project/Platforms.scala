// SPDX-License-Identifier: Apache-2.0

/**
 * The only list of Spark × Delta pairs this project is built for.
 *
 * `sbt platforms` prints it as JSON; the wheel carries the same text, so that Python never repeats
 * a version number.
 */
object Platforms {

  /** `spark` and `delta` are exact releases; only their minors reach the artefact's name. */
  final case class Platform(name: String, spark: String, delta: String, scala: String, jdk: Int) {

    val sparkMinor: String = spark.split('.').take(2).mkString(".")

    val scalaBinary: String = scala.split('.').take(2).mkString(".")

    /** Delta publishes one artefact per Spark minor. */
    val deltaArtifact: String = s"delta-spark_${sparkMinor}_$scalaBinary"

    /** Ours is named the same way: the Spark minor is in the name, never in the version. */
    val artifact: String = s"delta-collations_${sparkMinor}_$scalaBinary"

    def json(version: String): String =
      Seq(
        "name" -> name,
        "spark" -> sparkMinor,
        "delta" -> s"io.delta:$deltaArtifact:$delta",
        "jar" -> s"$artifact-$version.jar"
      ).map { case (key, value) => s""""$key": "$value"""" }
        .mkString("{", ", ", "}")
  }

  val all: Seq[Platform] = Seq(
    Platform("spark42-delta44", spark = "4.2.0", delta = "4.4.0", scala = "2.13.18", jdk = 17)
  )

  /** The platform of this build: `-Dplatform=NAME`, or the first one listed. */
  val current: Platform = sys.props.get("platform") match {
    case None => all.head
    case Some(name) =>
      all.find(_.name == name).getOrElse(
        sys.error(s"No platform $name; there is ${all.map(_.name).mkString(", ")}.")
      )
  }

  def json(version: String): String = all.map(_.json(version)).mkString("[", ", ", "]")
}
