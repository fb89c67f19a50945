// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;

import org.deltacollations.collation.unicode.Utf8;

/**
 * Compares strings by the first characters that weigh differently. That decides most comparisons
 * without a collator, which would decode both strings first; what it does not decide it says.
 *
 * <p>Why the answer is the collator's. A collation compares sequences of primary elements before
 * all else, so the first different element decides, and a sequence that ends first is the smaller.
 * The weight of a character is the primary sort key of that character alone: its elements, unless
 * a neighbour changes them. That happens in a contraction, by a mark that combines or is reordered,
 * and in a syllable of Hangul. A contraction, even one across marks, shows between two neighbours:
 * either the second is a mark, or the first goes on in some contraction and the second continues
 * one. Where two characters may be joined like that, from the last one that both strings share to
 * those that follow the difference, nothing is decided.
 *
 * <p>Two keys of which one begins with the other prove nothing, since the next character goes on
 * where the shorter ends. Neither does a character without a primary element, or with many.
 */
public final class PrimaryWeightComparator {

  /** The strings differ below the first level, or a character depends on its neighbours. */
  public static final int UNDECIDED = Integer.MIN_VALUE;

  /** Weights are keys of one to four bytes, of which the first is not 0: these are none. */
  private static final int NOT_COMPUTED = 0;
  private static final int OPAQUE = 1;

  private static final int LONGEST_KEY = Integer.BYTES;

  /** How a character may join its neighbours: a mark joins all, the others only each other. */
  private static final byte MARK = 1;
  private static final byte GOES_ON = 2;
  private static final byte CONTINUES = 4;

  /** Before the first combining mark, and two bytes long at most. */
  private static final int LATIN = 0x300;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = (Character.MAX_VALUE + 1) / PAGE;
  private static final byte[] NO_JOINTS = new byte[PAGE];

  static final UnicodeSet MARKS =
      new UnicodeSet("[[:^lccc=0:][:hst=V:][:hst=T:]]").freeze();

  /** What stands before the first character, and what is malformed or beyond the tables. */
  private static final int NOTHING = -1;
  private static final int UNREADABLE = -2;

  private final Function<UTF8String, byte[]> keyOf;

  /** By code point, in pages, most of which are the empty one. */
  private final byte[][] joints = new byte[PAGES][];

  /** By code point, in pages, filled when first asked for; threads that race write the same. */
  private final int[][] weights = new int[PAGES][];

  /** The weights of Latin, with 0 for a character that weighs nothing or may join the next. */
  private final int[] letters = new int[LATIN];

  private PrimaryWeightComparator(Function<UTF8String, byte[]> keyOf) {
    this.keyOf = keyOf;
    Arrays.fill(joints, NO_JOINTS);
  }

  /**
   * For an order by the bytes of keys, where the key of a string is the keys of its characters in a
   * row. If spaces at the end do not count, then the key of a space alone must be empty.
   */
  static PrimaryWeightComparator ofKeys(Function<UTF8String, byte[]> keyOf) {
    return new PrimaryWeightComparator(keyOf).withLetters();
  }

  /** For an order by {@code collator}, after {@code trimmed} has cut what does not count. */
  static PrimaryWeightComparator ofCollator(
      RuleBasedCollator collator, ContractionPairs pairs, UnaryOperator<UTF8String> trimmed) {
    RuleBasedCollator primary = collator.cloneAsThawed();
    primary.setStrength(RuleBasedCollator.PRIMARY);
    primary.setCaseLevel(false);
    primary.freeze();
    PrimaryWeightComparator made = new PrimaryWeightComparator(character -> {
      byte[] key = primary.getCollationKey(trimmed.apply(character).toString()).toByteArray();
      return Arrays.copyOf(key, key.length - 1);
    });
    MARKS.forEach(mark -> made.join(mark.codePointAt(0), MARK));
    pairs.forEach((first, second) -> {
      made.join(first, GOES_ON);
      made.join(second, CONTINUES);
    });
    return made.withLetters();
  }

  private void join(int codePoint, byte joint) {
    if (codePoint > Character.MAX_VALUE) return;
    int page = codePoint >>> PAGE_BITS;
    if (joints[page] == NO_JOINTS) joints[page] = new byte[PAGE];
    joints[page][codePoint & PAGE - 1] |= joint;
  }

  private PrimaryWeightComparator withLetters() {
    int[] latin = IntStream.range(0, LATIN).toArray();
    boolean someContinue = Arrays.stream(latin).anyMatch(c -> (joint(c) & CONTINUES) != 0);
    int joined = someContinue ? MARK | GOES_ON : MARK;
    for (int c : latin) {
      boolean standsAlone = weight(c) != OPAQUE && (joint(c) & joined) == 0;
      letters[c] = standsAlone ? weight(c) : 0;
    }
    return this;
  }

  /** The sign of the order, or {@link #UNDECIDED}. */
  public int compare(UTF8String left, UTF8String right) {
    int leftEnd = left.numBytes();
    int rightEnd = right.numBytes();
    int decided = byFirstLetter(left, right);
    if (decided != UNDECIDED) return decided;
    int l = firstOtherCharacter(left, right);
    if (l == leftEnd && l == rightEnd) return 0;
    int r = l;
    int leftBefore = codePointBefore(left, l);
    int rightBefore = leftBefore;
    while (l < leftEnd && r < rightEnd) {
      int leftPoint = codePoint(left, l);
      int rightPoint = codePoint(right, r);
      if (join(leftBefore, leftPoint) || join(rightBefore, rightPoint)) return UNDECIDED;
      l += Utf8.width(leftPoint);
      r += Utf8.width(rightPoint);
      if (leftPoint != rightPoint) {
        int leftWeight = weight(leftPoint);
        int rightWeight = weight(rightPoint);
        if (leftWeight == OPAQUE || rightWeight == OPAQUE) return UNDECIDED;
        if (leftWeight != rightWeight) {
          boolean decisive = differInside(leftWeight, rightWeight)
              && isComplete(leftPoint, left, l)
              && isComplete(rightPoint, right, r);
          return decisive ? Integer.compareUnsigned(leftWeight, rightWeight) : UNDECIDED;
        }
      }
      leftBefore = leftPoint;
      rightBefore = rightPoint;
    }
    if (l < leftEnd) return weighs(leftBefore, left, l) ? 1 : UNDECIDED;
    if (r < rightEnd) return weighs(rightBefore, right, r) ? -1 : UNDECIDED;
    return UNDECIDED;
  }

  /** Most strings differ in the first letter, and in most text no mark follows it. */
  int byFirstLetter(UTF8String left, UTF8String right) {
    if (left.numBytes() < 2 || right.numBytes() < 2) return UNDECIDED;
    int leftWeight = firstWeight(left);
    int rightWeight = firstWeight(right);
    boolean decided = leftWeight != rightWeight && leftWeight != 0 && rightWeight != 0
        && differInside(leftWeight, rightWeight);
    return decided ? Integer.compareUnsigned(leftWeight, rightWeight) : UNDECIDED;
  }

  /** The weight of the first character, or 0 unless it and the next are known to stand alone. */
  private int firstWeight(UTF8String string) {
    int first = string.getByte(0);
    int width = 1;
    if (first < 0) {
      int second = string.getByte(1);
      if (!beginsLetter(first) || !Utf8.isContinuation(second)) return 0;
      first = (first & 0x1F) << 6 | second & 0x3F;
      width = 2;
    }
    if (string.numBytes() == width) return 0;
    int next = string.getByte(width);
    return next >= 0 || beginsLetter(next) ? letters[first] : 0;
  }

  /** Whether a byte beyond ASCII is the first of a character in the table of letters. */
  private static boolean beginsLetter(int part) {
    return (part & 0xFF) >= 0xC2 && (part & 0xFF) < 0xCC;
  }

  /** Where the first character begins that is not the same: at the end of both if there is none. */
  static int firstOtherCharacter(UTF8String left, UTF8String right) {
    int at = firstOther(left, right, Math.min(left.numBytes(), right.numBytes()));
    while (at > 0 && (isInside(left, at) || isInside(right, at))) at--;
    return at;
  }

  /** The first of {@code length} bytes that is not the same. */
  private static int firstOther(UTF8String left, UTF8String right, int length) {
    Object leftBase = left.getBaseObject();
    Object rightBase = right.getBaseObject();
    long leftOffset = left.getBaseOffset();
    long rightOffset = right.getBaseOffset();
    int at = 0;
    if (Platform.unaligned()) {
      while (at + Long.BYTES <= length
          && Platform.getLong(leftBase, leftOffset + at)
              == Platform.getLong(rightBase, rightOffset + at)) {
        at += Long.BYTES;
      }
    }
    while (at < length && left.getByte(at) == right.getByte(at)) at++;
    return at;
  }

  /** Whether the byte at {@code at} is not the first of its character. */
  private static boolean isInside(UTF8String string, int at) {
    return at < string.numBytes() && Utf8.isContinuation(string.getByte(at));
  }

  /** Whether what follows {@code point} leaves it alone. */
  private boolean isComplete(int point, UTF8String string, int at) {
    return at == string.numBytes() || !join(point, codePoint(string, at));
  }

  /** Whether the character at {@code at} adds a primary element to those up to {@code before}. */
  private boolean weighs(int before, UTF8String string, int at) {
    int point = codePoint(string, at);
    return !join(before, point) && weight(point) != OPAQUE;
  }

  private boolean join(int before, int point) {
    if (point == UNREADABLE) return true;
    int joint = joint(point);
    if ((joint & CONTINUES) == 0 || before == NOTHING) return (joint & MARK) != 0;
    return before == UNREADABLE || (joint & MARK) != 0 || (joint(before) & GOES_ON) != 0;
  }

  /** Whether the first different byte is one that both keys have. */
  static boolean differInside(int left, int right) {
    int before = Integer.numberOfLeadingZeros(left ^ right) & -Byte.SIZE;
    return (left << before) >>> 24 != 0 && (right << before) >>> 24 != 0;
  }

  private int joint(int codePoint) {
    return joints[codePoint >>> PAGE_BITS][codePoint & PAGE - 1];
  }

  private int weight(int codePoint) {
    int[] page = weights[codePoint >>> PAGE_BITS];
    if (page == null) page = weights[codePoint >>> PAGE_BITS] = new int[PAGE];
    int known = page[codePoint & PAGE - 1];
    return known != NOT_COMPUTED ? known : (page[codePoint & PAGE - 1] = computed(codePoint));
  }

  private int computed(int codePoint) {
    byte[] key = keyOf.apply(UTF8String.fromString(Character.toString(codePoint)));
    if (key.length == 0 || key.length > LONGEST_KEY || key[0] == 0) return OPAQUE;
    int weight = 0;
    for (byte part : Arrays.copyOf(key, LONGEST_KEY)) weight = weight << Byte.SIZE | part & 0xFF;
    return weight;
  }

  /** Whether the bytes before {@code at} may belong together with those from it, when repaired. */
  static boolean isBrokenBefore(UTF8String string, int at) {
    return codePointBefore(string, at) == UNREADABLE;
  }

  static int codePointBefore(UTF8String string, int at) {
    if (at == 0) return NOTHING;
    return known(Utf8.before(string, at));
  }

  private static int codePoint(UTF8String string, int at) {
    return known(Utf8.at(string, at));
  }

  /** The tables end where two bytes do not hold a code point any more. */
  private static int known(int codePoint) {
    return codePoint >= 0 && codePoint <= Character.MAX_VALUE ? codePoint : UNREADABLE;
  }
}
