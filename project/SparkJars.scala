// SPDX-License-Identifier: Apache-2.0
import sbt.Keys.Classpath
import sbt._

/**
 * The jars of PySpark, which `./dev` installs. Its releases are complete, and on PyPI before the
 * artifacts are on Maven Central.
 */
object SparkJars {

  /** `./dev test --platform NAME` sets this if NAME has another patch release than the jar's. */
  private val otherRelease = sys.props.get("deltaCollations.sparkJars").map(file)

  /** Returns the jars of the Spark release that the tests of a platform run with. */
  def apply(dev: File, platform: Platforms.Platform): Seq[File] = {
    val packages =
      if (platform.spark == Platforms.all.head.spark) dev / "venv" / "lib" * "python*" /
        "site-packages"
      else PathFinder(dev / "python" / s"spark-${platform.spark}")
    otherRelease.fold((packages / "pyspark" / "jars" * "*.jar").get)(folder =>
      (folder * "*.jar").get
    )
  }

  /** Returns a class path with the jars of the other release, if there is one, instead of Maven's. */
  def replaceIn(classPath: Classpath): Classpath =
    otherRelease.fold(classPath) { folder =>
      val own = classPath.filter { entry =>
        entry.data.isDirectory || entry.data.getName.matches("(delta-|scalatest|scalactic).*")
      }
      own ++ Attributed.blankSeq((folder * "*.jar").get)
    }
}
