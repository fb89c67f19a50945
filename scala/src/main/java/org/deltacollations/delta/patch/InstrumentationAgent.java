// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.patch;

import com.sun.tools.attach.VirtualMachine;
import java.lang.instrument.Instrumentation;

/**
 * Hands this JVM its {@link Instrumentation}, for the case that Delta's classes were loaded before
 * our extension. A JVM may not attach to itself, so a short-lived child does it.
 *
 * <p>It is packed alone into a jar of its own at run time: a JVM puts an agent's jar on the system
 * class path, and there the rest of our classes would be found first, without seeing Delta.
 */
public final class InstrumentationAgent {

  public static volatile Instrumentation instrumentation;

  private InstrumentationAgent() {}

  /** Called by the JVM that is being attached to. */
  public static void agentmain(String arguments, Instrumentation received) {
    instrumentation = received;
  }

  /** Called in the child, with the parent's process id and the path of the agent's jar. */
  public static void main(String[] arguments) throws Exception {
    VirtualMachine parent = VirtualMachine.attach(arguments[0]);
    try {
      parent.loadAgent(arguments[1]);
    } finally {
      parent.detach();
    }
  }
}
