// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import java.lang.instrument.Instrumentation
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit
import java.util.jar.{Attributes, JarEntry, JarOutputStream, Manifest}

import scala.util.{Try, Using}

/** Gets the `Instrumentation` of this JVM, which can redefine classes that are already loaded. */
private[deltacollations] object InstrumentationLoader {

  private val agent = classOf[InstrumentationAgent].getName

  /** @throws IllegalStateException with the reason if no agent can be attached to this JVM */
  def instrumentation(): Instrumentation = synchronized {
    received.getOrElse {
      val problem = attach()
      received.getOrElse(
        throw new IllegalStateException(
          "Classes were loaded before this extension and cannot be redefined because no " +
            "agent can be attached to this JVM. Attaching needs the module jdk.attach and fails with " +
            s"-XX:+DisableAttachMechanism: $problem"
        )
      )
    }
  }

  /** Looks up the agent in the system class loader, with which the JVM loads agents. */
  private def received: Option[Instrumentation] =
    Try(ClassLoader.getSystemClassLoader.loadClass(agent)).toOption.flatMap(loaded =>
      Option(loaded.getField("instrumentation").get(null).asInstanceOf[Instrumentation])
    )

  /** Attaches the agent and returns the first line of the output, which says why that failed. */
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
      Files.readString(output).linesIterator.nextOption().getOrElse("no reason given")
    } finally
      // The JVM has already loaded the only class of the jar.
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
