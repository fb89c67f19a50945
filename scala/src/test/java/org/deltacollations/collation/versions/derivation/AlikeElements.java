// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Which collation elements of one version have the order of their counterparts in another.
 *
 * <p>Weights are other numbers in every version, so what counts is their order: of the pairs of
 * counterparts that were seen, as many as possible are taken that rise together, on the same level.
 * Levels matter: what differed by its letter and now differs by an accent rises as before, and yet
 * strings of it do not.
 */
final class AlikeElements {

  /** Case, and what only quaternary strength asks for. */
  static final long MARKS = 0xC0C0;

  private record Pair(long before, long after) {}

  private final Map<Pair, long[]> seen = new HashMap<>();

  /** Counterparts, place by place. A pair that matters more is less likely to be left out. */
  void see(long[] before, long[] after, int importance) {
    for (int i = 0; i < before.length; i++) {
      Pair pair = new Pair(before[i] & ~MARKS, after[i] & ~MARKS);
      seen.computeIfAbsent(pair, unseen -> new long[1])[0] += importance;
    }
  }

  /** From elements before to elements after: no two that are in it changed their order. */
  Map<Long, Long> rising() {
    Pair[] pairs = seen.keySet().toArray(Pair[]::new);
    Comparator<Pair> byBefore = (left, right) -> Long.compareUnsigned(left.before, right.before);
    // Of the counterparts of one element at most one rises strictly, if the highest comes first.
    Arrays.sort(
        pairs,
        byBefore.thenComparing((left, right) -> Long.compareUnsigned(right.after, left.after)));
    return onSameLevels(heaviestRise(pairs));
  }

  /** The strictly rising subsequence of the greatest importance. */
  private Pair[] heaviestRise(Pair[] pairs) {
    long[] afters = Arrays.stream(pairs).mapToLong(Pair::after).map(AlikeElements::signed).sorted()
        .distinct().toArray();
    // A tree of the best end so far, for every end up to some height.
    int[] best = new int[afters.length + 1];
    Arrays.fill(best, -1);
    long[] sums = new long[pairs.length];
    int[] previous = new int[pairs.length];
    int last = -1;
    for (int i = 0; i < pairs.length; i++) {
      int height = Arrays.binarySearch(afters, signed(pairs[i].after)) + 1;
      int below = -1;
      for (int at = height - 1; at > 0; at &= at - 1) {
        if (best[at] >= 0 && (below < 0 || sums[best[at]] > sums[below])) below = best[at];
      }
      previous[i] = below;
      sums[i] = seen.get(pairs[i])[0] + (below < 0 ? 0 : sums[below]);
      for (int at = height; at < best.length; at += at & -at) {
        if (best[at] < 0 || sums[best[at]] < sums[i]) best[at] = i;
      }
      if (last < 0 || sums[i] > sums[last]) last = i;
    }
    int length = 0;
    for (int at = last; at >= 0; at = previous[at]) length++;
    Pair[] rise = new Pair[length];
    for (int at = last; at >= 0; at = previous[at]) rise[--length] = pairs[at];
    return rise;
  }

  /** Neighbours that differ on another level than before cannot both stay. */
  private Map<Long, Long> onSameLevels(Pair[] rise) {
    Pair[] kept = new Pair[rise.length];
    int count = 0;
    for (Pair next : rise) {
      boolean stays = true;
      while (stays && count > 0 && !differAlike(kept[count - 1], next)) {
        if (seen.get(kept[count - 1])[0] < seen.get(next)[0]) count--;
        else stays = false;
      }
      if (stays) kept[count++] = next;
    }
    Map<Long, Long> alike = new HashMap<>();
    for (int i = 0; i < count; i++) alike.put(kept[i].before, kept[i].after);
    return alike;
  }

  private static boolean differAlike(Pair left, Pair right) {
    return level(left.before, right.before) == level(left.after, right.after);
  }

  /** The first level that two elements differ on: 1 to 3. */
  private static int level(long left, long right) {
    if (left >>> 32 != right >>> 32) return 1;
    return left >>> 16 != right >>> 16 ? 2 : 3;
  }

  private static long signed(long element) {
    return element ^ Long.MIN_VALUE;
  }
}
