// SPDX-License-Identifier: Apache-2.0

/** The JVM options that Spark's launcher adds, for forked tests, which start without it. */
object SparkJvm {

  private val openedPackages = Seq(
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
    openedPackages.map(name => s"--add-opens=java.base/$name=ALL-UNNAMED") :+
      "-Djdk.reflect.useDirectMethodHandle=false"
}
