// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Calls hooks on behalf of rewritten code. The rewritten library uses a copy of this class in one of its
 * own packages, which {@link HookedClasses} defines in the class loader of the library: that loader may
 * not see the jar of this library. So this class uses only JDK types.
 */
public final class HookBridge {

  /** Maps a hook name to a function from {value, receiver, argument 0, …} to the value to use instead. */
  public static final Map<String, Function<Object[], Object>> HOOKS = new ConcurrentHashMap<>();

  private HookBridge() {}

  /** Returns the result of the hook, or {@code value} if no such hook is registered. */
  public static Object apply(Object value, Object receiver, Object[] arguments, String hook) {
    Function<Object[], Object> function = HOOKS.get(hook);
    if (function == null) {
      return value;
    }
    Object[] call = new Object[arguments.length + 2];
    call[0] = value;
    call[1] = receiver;
    System.arraycopy(arguments, 0, call, 2, arguments.length);
    return function.apply(call);
  }
}
