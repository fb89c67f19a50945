// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch;

import com.sun.tools.attach.VirtualMachine;
import java.lang.instrument.Instrumentation;

/**
 * Receives the {@link Instrumentation} of this JVM, which is needed if the classes of hooks were loaded
 * before this extension. A JVM may not attach to itself, so a short-lived child process attaches.
 *
 * <p>{@link InstrumentationLoader} writes a jar with only this class at run time. A JVM appends the jar
 * of an agent to the system class path. If the jar had more classes of this library, the JVM would load
 * them from there, where they do not see Delta.
 */
public final class InstrumentationAgent {

  public static volatile Instrumentation instrumentation;

  private InstrumentationAgent() {}

  /** Called by the JVM to which the child process attaches. */
  public static void agentmain(String arguments, Instrumentation received) {
    instrumentation = received;
  }

  /** Called in the child process, with the parent's process ID and the path of the agent's jar. */
  public static void main(String[] arguments) throws Exception {
    VirtualMachine parent = VirtualMachine.attach(arguments[0]);
    try {
      parent.loadAgent(arguments[1]);
    } finally {
      parent.detach();
    }
  }
}
