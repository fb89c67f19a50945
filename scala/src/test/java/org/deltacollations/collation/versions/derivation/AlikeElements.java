// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the collation elements that have the same order in two versions of ICU.
 *
 * <p>Every version has other weights, so only their order counts. Of all pairs of an element and its
 * counterpart, this class keeps as many as possible that rise in both versions and differ on the same
 * level. The level matters: if a primary difference becomes a secondary one, the elements keep their
 * order, but strings of them may not.
 */
final class AlikeElements {

  /** The case bits and the quaternary bits of an element. */
  static final long MARKS = 0xC0C0;

  private record Pair(long before, long after) {}

  private final Map<Pair, long[]> weights = new HashMap<>();

  /** Adds the elements of a text in both versions. Pairs of a high weight are kept if possible. */
  void add(long[] before, long[] after, int weight) {
    for (int i = 0; i < before.length; i++) {
      Pair pair = new Pair(before[i] & ~MARKS, after[i] & ~MARKS);
      weights.computeIfAbsent(pair, added -> new long[1])[0] += weight;
    }
  }

  /** Returns a map from old to new elements in which no two elements have changed their order. */
  Map<Long, Long> rising() {
    Pair[] pairs = weights.keySet().toArray(Pair[]::new);
    Comparator<Pair> byBefore = (left, right) -> Long.compareUnsigned(left.before, right.before);
    // With the highest counterpart first, at most one counterpart of an element rises strictly.
    Arrays.sort(
        pairs,
        byBefore.thenComparing((left, right) -> Long.compareUnsigned(right.after, left.after)));
    return onSameLevels(heaviestIncreasing(pairs));
  }

  /** Returns the strictly increasing subsequence of the greatest weight. */
  private Pair[] heaviestIncreasing(Pair[] pairs) {
    long[] afters = Arrays.stream(pairs).mapToLong(Pair::after).map(AlikeElements::signed).sorted()
        .distinct().toArray();
    // A Fenwick tree of the best last element so far, by rank.
    int[] best = new int[afters.length + 1];
    Arrays.fill(best, -1);
    long[] sums = new long[pairs.length];
    int[] previous = new int[pairs.length];
    int last = -1;
    for (int i = 0; i < pairs.length; i++) {
      int rank = Arrays.binarySearch(afters, signed(pairs[i].after)) + 1;
      int below = -1;
      for (int at = rank - 1; at > 0; at &= at - 1) {
        if (best[at] >= 0 && (below < 0 || sums[best[at]] > sums[below])) below = best[at];
      }
      previous[i] = below;
      sums[i] = weights.get(pairs[i])[0] + (below < 0 ? 0 : sums[below]);
      for (int at = rank; at < best.length; at += at & -at) {
        if (best[at] < 0 || sums[best[at]] < sums[i]) best[at] = i;
      }
      if (last < 0 || sums[i] > sums[last]) last = i;
    }
    int length = 0;
    for (int at = last; at >= 0; at = previous[at]) length++;
    Pair[] increasing = new Pair[length];
    for (int at = last; at >= 0; at = previous[at]) increasing[--length] = pairs[at];
    return increasing;
  }

  /** Drops one of two neighbors that differ on another level than before. */
  private Map<Long, Long> onSameLevels(Pair[] increasing) {
    Pair[] kept = new Pair[increasing.length];
    int count = 0;
    for (Pair next : increasing) {
      boolean isKept = true;
      while (isKept && count > 0 && !differOnSameLevel(kept[count - 1], next)) {
        if (weights.get(kept[count - 1])[0] < weights.get(next)[0]) count--;
        else isKept = false;
      }
      if (isKept) kept[count++] = next;
    }
    Map<Long, Long> alike = new HashMap<>();
    for (int i = 0; i < count; i++) alike.put(kept[i].before, kept[i].after);
    return alike;
  }

  private static boolean differOnSameLevel(Pair left, Pair right) {
    return level(left.before, right.before) == level(left.after, right.after);
  }

  /** Returns the first level on which two elements differ: 1 to 3. */
  private static int level(long left, long right) {
    if (left >>> 32 != right >>> 32) return 1;
    return left >>> 16 != right >>> 16 ? 2 : 3;
  }

  private static long signed(long element) {
    return element ^ Long.MIN_VALUE;
  }
}
