// SPDX-License-Identifier: Apache-2.0
import sbt._

/** Prepares a directory with the files that Spark's published test suites read. */
object SparkTests {

  /** Suites read their inputs below this directory of Spark's source tree. */
  private val Resources = "sql/core/src/test/resources"

  /**
   * Unpacks the resources of Spark's test jars, since suites open them as files, and writes the
   * arguments of the JVM that runs the suites.
   */
  def stage(folder: File, classPath: Seq[File], logging: File): Unit = {
    val home = folder / "home"
    val jars = classPath.filter(_.getName.matches("spark-(catalyst|sql|hive)_.*-tests\\.jar"))
    val unpacked = folder / "unpacked"
    val jarList = jars.mkString("\n")
    if (!unpacked.exists || IO.read(unpacked) != jarList) {
      IO.delete(home)
      val isResource: NameFilter = new SimpleFilter(name => !name.endsWith(".class"))
      jars.foreach { jar =>
        IO.unzip(
          jar,
          home / (if (jar.getName.contains("-hive_")) "hive" else Resources),
          isResource
        )
      }
      IO.write(unpacked, jarList)
    }
    val arguments = SparkJvm.options ++ Seq(
      "-Dspark.testing=1",
      s"-Dspark.test.home=$home",
      s"-Dlog4j2.configurationFile=$logging",
      "-Dspark.ui.enabled=false",
      "-Dspark.ui.showConsoleProgress=false",
      "-DdeltaCollations.test.failOnFallback=true",
      "-Dderby.system.durability=test",
      "-cp",
      (Seq(home / Resources, home / "hive") ++ classPath).mkString(java.io.File.pathSeparator)
    )
    IO.write(folder / "arguments", arguments.map(argument => s""""$argument"""").mkString("\n"))
  }
}
