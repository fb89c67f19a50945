// SPDX-License-Identifier: Apache-2.0
import Platforms.Platform

ThisBuild / organization := "org.deltacollations"
ThisBuild / version := IO.read(file("python/delta_collations/VERSION")).trim
ThisBuild / scalaVersion := Platforms.all.head.scala

val platforms = taskKey[Unit]("Print the supported Spark × Delta pairs as JSON.")
val stage =
  taskKey[Unit]("Copy the jar into the Python package, and the Delta jars to .dev/jars.")
val collationTables =
  taskKey[Unit]("Write the tables with which the command line resolves collations without a JVM.")
val icuJars = taskKey[Seq[File]]("The ICU versions that order changes are derived from.")
val deltaJars = taskKey[Map[Platform, Seq[File]]]("The Delta jars of all supported platforms.")
val sparkJars = taskKey[Seq[File]]("The jars of PySpark, if ./dev has installed it.")

/** Builds the jar for one Spark minor version from the common sources and its shims. */
def module(id: String, platform: Platform): Project = {
  val main = platform == Platforms.all.head
  // sbt requires a separate base directory for each project.
  val base = if (main) file("scala") else file("scala") / "target" / platform.name
  Project(id, base).settings(
    name := "delta-collations",
    moduleName := platform.artifact,
    scalaVersion := platform.scala,
    crossPaths := false,
    sourceDirectory := (ThisBuild / baseDirectory).value / "scala" / "src",
    Compile / unmanagedSourceDirectories ++=
      platform.shims.map((Compile / sourceDirectory).value / _),
    Test / unmanagedSourceDirectories ++= platform.shims.map((Test / sourceDirectory).value / _),
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % platform.spark % Provided,
      "io.delta" % platform.deltaArtifact % platform.delta % Provided,
      "org.scalatest" %% "scalatest-funsuite" % "3.2.20" % Test
    ),
    // Scalafix needs SemanticDB files; those of one platform are enough.
    semanticdbEnabled := main,
    semanticdbVersion := "4.14.2",
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
    // Assertions return a value that tests discard.
    Test / scalacOptions -= "-Wvalue-discard",
    // Java classes extend sealed traits and use private members of Delta, which scalac would reject
    // if it parsed their sources.
    compileOrder := CompileOrder.JavaThenScala,
    javacOptions ++= Seq("--release", "17", "-Xlint:all,-processing", "-Werror"),
    // Users of the jar do not need SemanticDB files.
    Compile / packageBin / mappings ~= (_.filterNot(_._2.startsWith("META-INF/semanticdb"))),
    Compile / resourceGenerators += Def.task {
      val properties = (Compile / resourceManaged).value / "delta-collations.properties"
      IO.write(
        properties,
        s"version=${version.value}\nspark=${platform.sparkMinor}\n" +
          s"firstSpark=${platform.firstSpark}\ndelta=${platform.delta}\n"
      )
      Seq(properties)
    },
    // Spark ships with all other dependencies of Delta, in the versions it was tested with.
    deltaJars := {
      val (repositories, scala) = (dependencyResolution.value, scalaModuleInfo.value)
      val (folder, log) = (target.value / "delta", sLog.value)
      Platforms.supportedBy(platform).map { supported =>
        val delta = "io.delta" % supported.deltaArtifact % supported.delta
        val found = repositories.retrieve(delta, scala, folder / supported.name, log)
        supported -> found.fold(missing => throw missing.resolveException, identity)
          .filter(_.getName.startsWith("delta-")).distinct
      }.toMap
    },
    icuJars := {
      val (repositories, scala) = (dependencyResolution.value, scalaModuleInfo.value)
      val (folder, log) = (target.value / "icu", sLog.value)
      Platforms.icu.flatMap { version =>
        val found = repositories.retrieve("com.ibm.icu" % "icu4j" % version, scala, folder, log)
        found.fold(missing => throw missing.resolveException, identity)
          .filter(_.getName == s"icu4j-$version.jar").take(1)
      }
    },
    sparkJars := SparkJars((ThisBuild / baseDirectory).value / ".dev", platform),
    Test / fullClasspath := SparkJars.replaceIn((Test / fullClasspath).value),
    Test / fork := true,
    Test / javaOptions ++= Seq("-Xmx2g", "-Dderby.system.home=target") ++ SparkJvm.options,
    Test / javaOptions += "-DdeltaCollations.test.deltaJars=" +
      deltaJars.value.values.flatten.filter(_.getName.startsWith("delta-spark_"))
        .groupBy(_.getName).values.map(_.head).mkString(","),
    Test / javaOptions += "-DdeltaCollations.test.icuJars=" + icuJars.value.mkString(","),
    // The Thrift server is published only as a part of Spark's distribution, which `./dev` installs.
    Test / javaOptions += {
      val names = "spark-hive-thriftserver_*.jar" || "hive-*.jar" || "libthrift-*.jar"
      val jars = sparkJars.value.filter(jar => names.accept(jar))
      "-DdeltaCollations.test.thriftServerJars=" + jars.mkString(",")
    },
    // Spark validates every plan that a rule changes, and a test fails if one of our rules throws.
    Test / javaOptions ++= Seq(
      "-Dspark.sql.planChangeValidation=true",
      "-DdeltaCollations.test.failOnFallback=true"
    ),
    Test / baseDirectory := (ThisBuild / baseDirectory).value / "scala",
    Test / testOptions += Tests.Argument("-oDU"),
    Test / run / outputStrategy := Some(StdoutOutput),
    stage := {
      val root = (ThisBuild / baseDirectory).value
      val bundled = root / "python" / "delta_collations" / "jars"
      IO.delete((bundled * s"${platform.artifact}-*.jar").get)
      IO.copyFile(
        (Compile / packageBin).value,
        bundled / s"${platform.artifact}-${version.value}.jar"
      )
      IO.write(bundled / "platforms.json", Platforms.json(version.value) + "\n")
      icuJars.value.foreach(jar => IO.copyFile(jar, root / ".dev" / "icu" / jar.getName))
      deltaJars.value.foreach { case (supported, jars) =>
        val folder = root / ".dev" / "jars" / supported.name
        IO.delete(folder)
        jars.foreach(jar => IO.copyFile(jar, folder / jar.getName))
      }
    }
  )
}

/** Builds the jar for the newest Spark version, which has all collations of older ones. */
lazy val collations = module("collations", Platforms.all.head).settings(
  collationTables := {
    val data = (ThisBuild / baseDirectory).value / "python" / "delta_collations" / "cli" / "data"
    val arguments = Seq(
      "-cp",
      (Compile / fullClasspath).value.files.mkString(java.io.File.pathSeparator),
      "org.deltacollations.collation.CollationTables",
      (data / "collations.json").toString
    )
    val options = ForkOptions().withRunJVMOptions(SparkJvm.options.toVector)
    if (Fork.java(options, arguments) != 0) sys.error("Writing the collation tables failed.")
    val orderChanges = "icu-order-changes.tsv"
    IO.copyFile((Compile / resourceDirectory).value / orderChanges, data / orderChanges)
  },
  stage := stage.dependsOn(collationTables).value
)

/** Builds the jars for other Spark versions. `./dev test --platform NAME` runs all tests on one. */
lazy val others: CompositeProject = new CompositeProject {
  override val componentProjects: Seq[Project] =
    Platforms.compiled.tail.map(platform => module(platform.name, platform))
}

/**
 * Compiles the sources for the next Spark version, with the jars of PySpark, since Spark's Maven
 * artifacts may be published later. `./dev preview` installs them.
 */
lazy val preview = module("preview", Platforms.next).settings(
  libraryDependencies ~=
    (_.filterNot(each => Set("org.apache.spark", "io.delta")(each.organization))),
  Compile / unmanagedJars ++= Attributed.blankSeq(sparkJars.value),
  Compile / unmanagedJars ++=
    Attributed.blankSeq((collations / deltaJars).value(Platforms.all.head))
)

/** Contains microbenchmarks for JMH, whose annotation processor generates the benchmark loops. */
lazy val micro = (project in file("scala/bench"))
  .dependsOn(collations)
  .settings(
    crossPaths := false,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Platforms.all.head.spark,
      "org.openjdk.jmh" % "jmh-core" % "1.37",
      "org.openjdk.jmh" % "jmh-generator-annprocess" % "1.37"
    ),
    javacOptions ++= Seq("-processor", "org.openjdk.jmh.generators.BenchmarkProcessor"),
    run / fork := true,
    run / javaOptions ++= SparkJvm.options,
    run / outputStrategy := Some(StdoutOutput),
    Compile / run / mainClass := Some("org.openjdk.jmh.Main")
  )

/**
 * Runs the test suites that Spark publishes, with the extension in every session. The suites are in
 * jars, where sbt does not discover tests: `stage` writes the arguments of a JVM, and
 * `tests/robustness/harness/spark_suites.py` starts ScalaTest's runner with them.
 */
lazy val sparkTests = (project in file("scala/spark-tests"))
  .dependsOn(collations)
  .settings(
    crossPaths := false,
    scalacOptions ++= (collations / Test / scalacOptions).value,
    libraryDependencies ++= {
      val platform = Platforms.all.head
      val spark = Seq("common-utils", "tags", "core", "sql-api", "catalyst", "sql", "hive")
        .map(name => "org.apache.spark" %% s"spark-$name" % platform.spark)
      spark ++ spark.map(_.classifier("tests")) ++ Seq(
        "io.delta" % platform.deltaArtifact % platform.delta,
        "org.scalatest" %% "scalatest" % "3.2.19",
        "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
        "org.scalatestplus" %% "mockito-5-18" % "3.2.19.0"
      )
    },
    stage := {
      val folder = (ThisBuild / baseDirectory).value / ".dev" / "spark-tests"
      SparkTests.stage(
        folder,
        (Compile / fullClasspathAsJars).value.files,
        (Compile / resourceDirectory).value / "log4j2.properties"
      )
    }
  )

platforms := println(Platforms.json(version.value))
