// SPDX-License-Identifier: Apache-2.0

/** What Spark's launcher adds to the command line of a JVM; a forked test has no launcher. */
object SparkJvm {

  private val opened = Seq(
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar"
  )

  val options: Seq[String] =
    opened.map(name => s"--add-opens=java.base/$name=ALL-UNNAMED") :+
      "-Djdk.reflect.useDirectMethodHandle=false"
}
