// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch

import java.lang.instrument.Instrumentation
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import java.util.jar.{Attributes, JarEntry, JarOutputStream, Manifest}

import scala.util.{Try, Using}

/** Gets this JVM's `Instrumentation`, which can change classes that are loaded already. */
private[delta] object InstrumentationLoader {

  private val agent = classOf[InstrumentationAgent].getName

  /** @throws IllegalStateException when this JVM cannot be attached to, with what it said */
  def instrumentation(): Instrumentation = synchronized {
    received.getOrElse {
      val problem = attach()
      received.getOrElse(
        throw new IllegalStateException(
          "Delta was loaded before this extension, and the running JVM does not let itself be " +
            s"changed (it needs the module jdk.attach and no -XX:+DisableAttachMechanism): $problem"
        )
      )
    }
  }

  /** The JVM loads an agent by its system loader, so that is where its class must be looked for. */
  private def received: Option[Instrumentation] =
    Try(ClassLoader.getSystemClassLoader.loadClass(agent)).toOption.flatMap(loaded =>
      Option(loaded.getField("instrumentation").get(null).asInstanceOf[Instrumentation])
    )

  private def attach(): String = {
    val jar = Files.createTempFile("delta-collations-agent", ".jar")
    val output = Files.createTempFile("delta-collations-agent", ".log")
    try {
      writeAgentJar(jar)
      val java = Path.of(System.getProperty("java.home"), "bin", "java").toString
      val pid = ProcessHandle.current().pid().toString
      val child = new ProcessBuilder(java, "-cp", jar.toString, agent, pid, jar.toString)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile)
        .start()
      if (!child.waitFor(30, TimeUnit.SECONDS)) child.destroyForcibly()
      Files.readString(output).linesIterator.nextOption().getOrElse("it gave no reason")
    } finally
      // The JVM has read the agent's only class by now, and keeps it.
      Seq(jar, output).foreach(Files.deleteIfExists)
  }

  private def writeAgentJar(jar: Path): Unit = {
    val manifest = new Manifest
    val attributes = manifest.getMainAttributes
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0")
    attributes.putValue("Agent-Class", agent)
    attributes.putValue("Can-Redefine-Classes", "true")
    val entry = agent.replace('.', '/') + ".class"
    Using.resource(new JarOutputStream(Files.newOutputStream(jar), manifest)) { out =>
      out.putNextEntry(new JarEntry(entry))
      Using.resource(getClass.getClassLoader.getResourceAsStream(entry))(_.transferTo(out))
      out.closeEntry()
    }
  }
}
