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

import org.deltacollations.collation.segment.ContractionPairs;
import org.deltacollations.collation.unicode.Utf8;

/**
 * Compares strings by the first code points with different primary weights. This decides most
 * comparisons without the collator, which would decode both strings first. All others are {@link
 * #UNDECIDED}.
 *
 * <p>Why the result is the collator's: a collator compares the sequences of primary weights before
 * all other levels, so the first difference decides, and a proper prefix sorts first. The weight of
 * a code point is here the primary sort key of that code point alone. It is correct unless an
 * adjacent code point changes its elements, in a contraction, by a combining mark or its
 * reordering, or in a Hangul syllable. Two adjacent code points can be part of a contraction, even
 * of a discontiguous one, only if the second is a combining mark, or if some contraction continues
 * after the first and some contraction continues with the second. The comparison is undecided if
 * that is the case anywhere from the last code point that both strings share to the code points
 * after the difference.
 *
 * <p>It is also undecided if one key is a prefix of the other, since the next code point continues
 * the shorter one, and if a code point has no primary weight or a key of more than four bytes.
 */
public final class PrimaryWeightComparator {

  /**
   * The strings have equal primary weights, or the weight of a code point depends on its context.
   */
  public static final int UNDECIDED = Integer.MIN_VALUE;

  /** Not weights: a weight is a key of one to four bytes, of which the first is not 0. */
  private static final int NOT_COMPUTED = 0;
  private static final int NO_WEIGHT = 1;

  private static final int MAX_KEY_LENGTH = Integer.BYTES;

  /**
   * Flags that say with which neighbors a code point may interact. A combining one interacts with
   * any code point before it.
   */
  private static final byte COMBINING = 1;
  private static final byte STARTS_CONTRACTION = 2;
  private static final byte CONTINUES_CONTRACTION = 4;

  /**
   * The end of the code points before the first combining mark. They have one or two bytes each.
   */
  private static final int LATIN = 0x300;

  private static final int PAGE_BITS = 8;
  private static final int PAGE = 1 << PAGE_BITS;
  private static final int PAGES = (Character.MAX_VALUE + 1) / PAGE;
  private static final byte[] NO_FLAGS = new byte[PAGE];

  static final UnicodeSet COMBINING_CODE_POINTS =
      new UnicodeSet("[[:^lccc=0:][:hst=V:][:hst=T:]]").freeze();

  /** Not code points: before the start of a string, and malformed or beyond the tables. */
  private static final int NONE = -1;
  private static final int UNSUPPORTED = -2;

  private final Function<UTF8String, byte[]> keyOf;

  /** Flags by code point, in pages. Most pages are {@link #NO_FLAGS}. */
  private final byte[][] flags = new byte[PAGES][];

  /**
   * Weights by code point, in pages, computed on first use. Racing threads write the same values.
   */
  private final int[][] weights = new int[PAGES][];

  /** The weights of Latin, or 0 for a code point without weight or that may start a contraction. */
  private final int[] latinWeights = new int[LATIN];

  private PrimaryWeightComparator(Function<UTF8String, byte[]> keyOf) {
    this.keyOf = keyOf;
    Arrays.fill(flags, NO_FLAGS);
  }

  /**
   * Creates a comparator for a collation that compares keys as unsigned bytes, where the key of a
   * string is the concatenation of the keys of its code points. If the collation trims trailing
   * spaces, the key of a single space must be empty.
   */
  static PrimaryWeightComparator ofKeys(Function<UTF8String, byte[]> keyOf) {
    return new PrimaryWeightComparator(keyOf).withLatinWeights();
  }

  /** Creates a comparator for a collation that applies {@code trim} and then {@code collator}. */
  static PrimaryWeightComparator ofCollator(
      RuleBasedCollator collator, ContractionPairs pairs, UnaryOperator<UTF8String> trim) {
    RuleBasedCollator primary = collator.cloneAsThawed();
    primary.setStrength(RuleBasedCollator.PRIMARY);
    primary.setCaseLevel(false);
    primary.freeze();
    PrimaryWeightComparator comparator = new PrimaryWeightComparator(string -> {
      byte[] key = primary.getCollationKey(trim.apply(string).toString()).toByteArray();
      return Arrays.copyOf(key, key.length - 1);
    });
    COMBINING_CODE_POINTS.forEach(mark -> comparator.addFlag(mark.codePointAt(0), COMBINING));
    pairs.forEach((first, second) -> {
      comparator.addFlag(first, STARTS_CONTRACTION);
      comparator.addFlag(second, CONTINUES_CONTRACTION);
    });
    return comparator.withLatinWeights();
  }

  private void addFlag(int codePoint, byte flag) {
    if (codePoint > Character.MAX_VALUE) return;
    int page = codePoint >>> PAGE_BITS;
    if (flags[page] == NO_FLAGS) flags[page] = new byte[PAGE];
    flags[page][codePoint & PAGE - 1] |= flag;
  }

  private PrimaryWeightComparator withLatinWeights() {
    int[] latin = IntStream.range(0, LATIN).toArray();
    boolean hasContractions =
        Arrays.stream(latin).anyMatch(c -> (flags(c) & CONTINUES_CONTRACTION) != 0);
    int excluded = hasContractions ? COMBINING | STARTS_CONTRACTION : COMBINING;
    for (int c : latin) {
      boolean isContextIndependent = weight(c) != NO_WEIGHT && (flags(c) & excluded) == 0;
      latinWeights[c] = isContextIndependent ? weight(c) : 0;
    }
    return this;
  }

  /** Returns the sign of the order, or {@link #UNDECIDED}. */
  public int compare(UTF8String left, UTF8String right) {
    int leftEnd = left.numBytes();
    int rightEnd = right.numBytes();
    int sign = compareFirstLatin(left, right);
    if (sign != UNDECIDED) return sign;
    int l = mismatch(left, right);
    if (l == leftEnd && l == rightEnd) return 0;
    int r = l;
    int leftPrevious = codePointBefore(left, l);
    int rightPrevious = leftPrevious;
    while (l < leftEnd && r < rightEnd) {
      int leftPoint = codePoint(left, l);
      int rightPoint = codePoint(right, r);
      if (mayInteract(leftPrevious, leftPoint) || mayInteract(rightPrevious, rightPoint)) {
        return UNDECIDED;
      }
      l += Utf8.width(leftPoint);
      r += Utf8.width(rightPoint);
      if (leftPoint != rightPoint) {
        int leftWeight = weight(leftPoint);
        int rightWeight = weight(rightPoint);
        if (leftWeight == NO_WEIGHT || rightWeight == NO_WEIGHT) return UNDECIDED;
        if (leftWeight != rightWeight) {
          boolean decisive = neitherIsPrefix(leftWeight, rightWeight)
              && isUnaffectedByNext(leftPoint, left, l)
              && isUnaffectedByNext(rightPoint, right, r);
          return decisive ? Integer.compareUnsigned(leftWeight, rightWeight) : UNDECIDED;
        }
      }
      leftPrevious = leftPoint;
      rightPrevious = rightPoint;
    }
    if (l < leftEnd) return addsWeight(leftPrevious, left, l) ? 1 : UNDECIDED;
    if (r < rightEnd) return addsWeight(rightPrevious, right, r) ? -1 : UNDECIDED;
    return UNDECIDED;
  }

  /**
   * Compares only the first code points, if they and the next ones are Latin. A fast path, since
   * most strings differ in the first code point, which is rarely followed by a combining mark.
   */
  int compareFirstLatin(UTF8String left, UTF8String right) {
    if (left.numBytes() < 2 || right.numBytes() < 2) return UNDECIDED;
    int leftWeight = firstLatinWeight(left);
    int rightWeight = firstLatinWeight(right);
    boolean decisive = leftWeight != rightWeight && leftWeight != 0 && rightWeight != 0
        && neitherIsPrefix(leftWeight, rightWeight);
    return decisive ? Integer.compareUnsigned(leftWeight, rightWeight) : UNDECIDED;
  }

  /** Returns the weight of the first code point if it and the next one are Latin, else 0. */
  private int firstLatinWeight(UTF8String string) {
    int first = string.getByte(0);
    int width = 1;
    if (first < 0) {
      int second = string.getByte(1);
      if (!isLatinLeadByte(first) || !Utf8.isContinuation(second)) return 0;
      first = (first & 0x1F) << 6 | second & 0x3F;
      width = 2;
    }
    if (string.numBytes() == width) return 0;
    int next = string.getByte(width);
    return next >= 0 || isLatinLeadByte(next) ? latinWeights[first] : 0;
  }

  /** Returns whether a non-ASCII byte is the lead byte of a code point below {@link #LATIN}. */
  private static boolean isLatinLeadByte(int value) {
    return (value & 0xFF) >= 0xC2 && (value & 0xFF) < 0xCC;
  }

  /**
   * Returns the offset of the first code point that differs, or the length of both strings if they
   * are equal.
   */
  static int mismatch(UTF8String left, UTF8String right) {
    int at = byteMismatch(left, right, Math.min(left.numBytes(), right.numBytes()));
    while (at > 0 && (isInsideCodePoint(left, at) || isInsideCodePoint(right, at))) at--;
    return at;
  }

  /** Returns the offset of the first of {@code length} bytes that differs, or {@code length}. */
  private static int byteMismatch(UTF8String left, UTF8String right, int length) {
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

  private static boolean isInsideCodePoint(UTF8String string, int at) {
    return at < string.numBytes() && Utf8.isContinuation(string.getByte(at));
  }

  /** Returns whether the code point at {@code at} cannot change the elements of {@code point}. */
  private boolean isUnaffectedByNext(int point, UTF8String string, int at) {
    return at == string.numBytes() || !mayInteract(point, codePoint(string, at));
  }

  /** Returns whether the code point at {@code at} adds a primary weight after {@code previous}. */
  private boolean addsWeight(int previous, UTF8String string, int at) {
    int point = codePoint(string, at);
    return !mayInteract(previous, point) && weight(point) != NO_WEIGHT;
  }

  /**
   * Returns whether the elements of two adjacent code points may differ from those of each alone.
   */
  private boolean mayInteract(int previous, int point) {
    if (point == UNSUPPORTED) return true;
    int flags = flags(point);
    if ((flags & CONTINUES_CONTRACTION) == 0 || previous == NONE) return (flags & COMBINING) != 0;
    return previous == UNSUPPORTED
        || (flags & COMBINING) != 0
        || (flags(previous) & STARTS_CONTRACTION) != 0;
  }

  /** Returns whether two different keys differ in a byte that both have. */
  static boolean neitherIsPrefix(int left, int right) {
    int equalBits = Integer.numberOfLeadingZeros(left ^ right) & -Byte.SIZE;
    return (left << equalBits) >>> 24 != 0 && (right << equalBits) >>> 24 != 0;
  }

  private int flags(int codePoint) {
    return flags[codePoint >>> PAGE_BITS][codePoint & PAGE - 1];
  }

  private int weight(int codePoint) {
    int[] page = weights[codePoint >>> PAGE_BITS];
    if (page == null) page = weights[codePoint >>> PAGE_BITS] = new int[PAGE];
    int cached = page[codePoint & PAGE - 1];
    return cached != NOT_COMPUTED
        ? cached : (page[codePoint & PAGE - 1] = computeWeight(codePoint));
  }

  private int computeWeight(int codePoint) {
    byte[] key = keyOf.apply(UTF8String.fromString(Character.toString(codePoint)));
    if (key.length == 0 || key.length > MAX_KEY_LENGTH || key[0] == 0) return NO_WEIGHT;
    int weight = 0;
    for (byte b : Arrays.copyOf(key, MAX_KEY_LENGTH)) weight = weight << Byte.SIZE | b & 0xFF;
    return weight;
  }

  /**
   * Returns whether the code point before {@code at} is malformed or not in the tables. Spark may
   * repair malformed bytes together with the bytes that follow.
   */
  static boolean isUnsupportedBefore(UTF8String string, int at) {
    return codePointBefore(string, at) == UNSUPPORTED;
  }

  static int codePointBefore(UTF8String string, int at) {
    if (at == 0) return NONE;
    return orUnsupported(Utf8.before(string, at));
  }

  private static int codePoint(UTF8String string, int at) {
    return orUnsupported(Utf8.at(string, at));
  }

  /**
   * Maps malformed and supplementary code points to {@link #UNSUPPORTED}: the tables cover the BMP.
   */
  private static int orUnsupported(int codePoint) {
    return codePoint >= 0 && codePoint <= Character.MAX_VALUE ? codePoint : UNSUPPORTED;
  }
}
