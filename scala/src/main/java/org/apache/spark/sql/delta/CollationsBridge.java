// SPDX-License-Identifier: Apache-2.0
package org.apache.spark.sql.delta;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * What rewritten Delta code calls. It knows JDK types only, so that it can live in Delta's class
 * loader even where that loader cannot see our jar; and it must be in this package, because a class
 * can be defined into a loader only beside a class that is there already.
 */
public final class CollationsBridge {

  /** By hook name: from {value, receiver, argument 1, …} to the value to use instead. */
  public static final Map<String, Function<Object[], Object>> HOOKS = new ConcurrentHashMap<>();

  private CollationsBridge() {}

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
