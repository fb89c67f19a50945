// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.delta;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Calls hooks on behalf of rewritten Delta code. This class uses only JDK types, so that it can be
 * defined in Delta's class loader even if that loader does not see the jar of this library. It is in
 * this package because a class can be defined only in the package of a class that is already loaded.
 */
public final class CollationsBridge {

  /** Maps a hook name to a function from {value, receiver, argument 0, …} to the value to use instead. */
  public static final Map<String, Function<Object[], Object>> HOOKS = new ConcurrentHashMap<>();

  private CollationsBridge() {}

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
