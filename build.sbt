// SPDX-License-Identifier: Apache-2.0
import Platforms.current

ThisBuild / organization := "org.deltacollations"
ThisBuild / version := IO.read(file("python/delta_collations/VERSION")).trim
ThisBuild / scalaVersion := current.scala
ThisBuild / semanticdbEnabled := true
ThisBuild / semanticdbVersion := "4.14.2"

val platforms = taskKey[Unit]("Print the supported Spark × Delta pairs as JSON.")
val stage = taskKey[Unit]("Put our jar into the Python package and Delta's jars into .dev/jars.")

/** Delta and what it brings at run time, as `--packages` would fetch it, without Spark's own jars. */
val DeltaRuntime = config("deltaRuntime").hide

lazy val collations = (project in file("scala"))
  .configs(DeltaRuntime)
  .settings(inConfig(DeltaRuntime)(Defaults.configSettings) *)
  .settings(
    name := "delta-collations",
    moduleName := current.artifact,
    crossPaths := false,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % current.spark % Provided,
      "io.delta" % current.deltaArtifact % current.delta % Provided,
      "io.delta" % current.deltaArtifact % current.delta % DeltaRuntime,
      "org.scalatest" %% "scalatest-funsuite" % "3.2.20" % Test
    ),
    scalacOptions ++= Seq(
      "-release:17",
      "-deprecation",
      "-feature",
      "-unchecked",
      "-Xlint",
      "-Wunused",
      "-Wdead-code",
      "-Wvalue-discard",
      "-Werror"
    ),
    // An assertion is a value, and a test may end with one anywhere.
    Test / scalacOptions -= "-Wvalue-discard",
    // Java opens what Delta seals for Scala, so it must be compiled where scalac does not see it.
    compileOrder := CompileOrder.JavaThenScala,
    javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing", "-Werror"),
    // Scalafix's index of the sources is of no use to a user of the jar.
    Compile / packageBin / mappings ~= (_.filterNot(_._2.startsWith("META-INF/semanticdb"))),
    Compile / resourceGenerators += Def.task {
      val facts = (Compile / resourceManaged).value / "delta-collations.properties"
      IO.write(
        facts,
        s"version=${version.value}\nspark=${current.sparkMinor}\ndelta=${current.delta}\n"
      )
      Seq(facts)
    },
    Test / fork := true,
    Test / javaOptions ++= Seq("-Xmx2g", "-Dderby.system.home=target") ++ SparkJvm.options,
    Test / javaOptions += "-DdeltaCollations.test.deltaJars=" +
      update.value
        .select(configurationFilter(DeltaRuntime.name))
        .filter(_.getName.startsWith("delta-spark_"))
        .mkString(","),
    Test / baseDirectory := (ThisBuild / baseDirectory).value / "scala",
    Test / testOptions += Tests.Argument("-oDU"),
    Test / run / outputStrategy := Some(StdoutOutput),
    stage := {
      val root = (ThisBuild / baseDirectory).value
      val bundled = root / "python" / "delta_collations" / "jars"
      val deltaJars = root / ".dev" / "jars"
      IO.delete(Seq(bundled, deltaJars))
      IO.copyFile(
        (Compile / packageBin).value,
        bundled / s"${current.artifact}-${version.value}.jar"
      )
      IO.write(bundled / "platforms.json", Platforms.json(version.value) + "\n")
      // Spark has everything else that Delta asks for, in the versions Spark was tested with.
      update.value
        .select(configurationFilter(DeltaRuntime.name))
        .filter(_.getName.startsWith("delta-"))
        .foreach(jar => IO.copyFile(jar, deltaJars / jar.getName))
    }
  )

/** Micro benchmarks by JMH, whose annotation processor writes the loops around them. */
lazy val micro = (project in file("scala/bench"))
  .dependsOn(collations)
  .settings(
    crossPaths := false,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % current.spark,
      "org.openjdk.jmh" % "jmh-core" % "1.37",
      "org.openjdk.jmh" % "jmh-generator-annprocess" % "1.37"
    ),
    javacOptions ++= Seq("-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"),
    run / fork := true,
    run / javaOptions ++= SparkJvm.options,
    run / outputStrategy := Some(StdoutOutput),
    Compile / run / mainClass := Some("org.openjdk.jmh.Main")
  )

platforms := println(Platforms.json(version.value))
