// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.AsciiElements.NOT_SIMPLE;
import static org.deltacollations.collation.sortkey.AsciiElements.WIDTH_MASK;
import static org.deltacollations.collation.sortkey.CollationElements.ABSENT;
import static org.deltacollations.collation.sortkey.CollationElements.COMMON;
import static org.deltacollations.collation.sortkey.CollationElements.COMPRESSIBLE;
import static org.deltacollations.collation.sortkey.CollationElements.MAY_JOIN_NEXT;
import static org.deltacollations.collation.sortkey.CollationElements.UNKNOWN;

import org.deltacollations.collation.segment.Segments;
import org.deltacollations.collation.unicode.Utf8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.Collator;

/**
 * Builds the sort keys of a collator from the collation elements of code points.
 *
 * <p>A key has all primary weights first, then all secondary weights, then all tertiary weights.
 * The levels are separated by a byte that is lower than all weights, and the key ends with a zero
 * byte.
 */
final class ElementSortKeyBuilder extends SortKeyBuilder {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  /** End a run of compressed primaries, before a lower and before a higher primary. ICU's names. */
  private static final byte PRIMARY_COMPRESSION_LOW_BYTE = 3;
  private static final byte PRIMARY_COMPRESSION_HIGH_BYTE = (byte) 0xFF;

  private static final int INITIAL_CAPACITY = 128;

  /** More than what one element or eight simple ASCII characters append to the primary level. */
  private static final int MAX_APPENDED = 32;

  private static final long NON_ASCII_BITS = 0x8080808080808080L;
  private static final boolean IS_BIG_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

  /** Not a position: the elements are unknown. */
  private static final int FAILED = -1;

  private final CollationElements elements;
  private final Segments segments;
  private final boolean writesSecondaries;
  private final boolean writesTertiaries;
  private final int[] simplePrimaries;
  private final long[] ascii;
  private final ElementComparator comparator;

  private byte[] primaries = new byte[INITIAL_CAPACITY];
  private int primaryLength;

  /** The first primary weight of a run whose lead byte is compressed, or 0. */
  private int compressedPrimary;

  private int commonSecondaries;
  private int commonTertiaries;
  private final WeightLevel secondaries = WeightLevel.secondary();
  private final WeightLevel tertiaries;

  ElementSortKeyBuilder(CollationElements elements, AsciiElements ascii) {
    this.elements = elements;
    this.segments = elements.segments();
    this.simplePrimaries = ascii.simplePrimaries;
    this.ascii = ascii.elements;
    this.comparator = new ElementComparator(elements, ascii.elements);
    this.writesSecondaries = elements.strength() >= Collator.SECONDARY;
    this.writesTertiaries = elements.strength() >= Collator.TERTIARY;
    this.tertiaries = elements.isUpperCaseFirst()
        ? WeightLevel.tertiaryUpperCaseFirst() : WeightLevel.tertiary();
  }

  @Override
  boolean write(UTF8String string) {
    clear();
    Object base = string.getBaseObject();
    long at = string.getBaseOffset();
    long end = at + string.numBytes();
    while (at < end) {
      if (compressedPrimary == 0) at = appendSimpleAscii(base, at, end);
      at = appendOtherAscii(base, at, end);
      if (at == end) break;
      at = appendSegment(base, at, end);
      if (at == FAILED) return false;
    }
    endLevels();
    return true;
  }

  /** Writes the key of the given elements, which are repeated. */
  void writeTwice(long[] elementsOfSegment) {
    clear();
    appendAll(elementsOfSegment, 0, elementsOfSegment.length);
    appendAll(elementsOfSegment, 0, elementsOfSegment.length);
    endLevels();
  }

  private void endLevels() {
    if (writesSecondaries) secondaries.end(commonSecondaries);
    if (writesTertiaries) tertiaries.end(commonTertiaries);
  }

  /** Appends the segment that starts at {@code at} and returns its end, or {@link #FAILED}. */
  private long appendSegment(Object base, long at, long end) {
    int point = Utf8.codePoint(base, at, end);
    if (point == Utf8.MALFORMED) return FAILED;
    CollationElements.Page page = elements.page(point);
    long entry = page.entry(point);
    if (entry == UNKNOWN) return FAILED;
    long next = at + Utf8.width(point);
    if (((int) entry & MAY_JOIN_NEXT) != 0) {
      long segmentEnd = segments.end(point, base, next, end);
      if (segmentEnd > next) {
        long[] joined = elements.ofSegment(base, at, segmentEnd);
        if (joined == null) return FAILED;
        appendAll(joined, 0, joined.length);
        return segmentEnd;
      }
    }
    if (CollationElements.isExpansion(entry)) {
      int offset = CollationElements.offset(entry);
      appendAll(page.expansions, offset, offset + CollationElements.count(entry));
    } else {
      append(entry);
    }
    return next;
  }

  @Override
  boolean writePrefix(UTF8String string) {
    clear();
    Object base = string.getBaseObject();
    long at = string.getBaseOffset();
    long end = at + string.numBytes();
    while (at < end && primaryLength < PREFIX_LENGTH) {
      int first = Platform.getByte(base, at);
      int simple = first < 0 ? NOT_SIMPLE : simplePrimaries[first];
      if ((simple & (NOT_SIMPLE | MAY_JOIN_NEXT)) == 0 && compressedPrimary == 0) {
        INT.set(primaries, primaryLength, simple);
        primaryLength += simple & WIDTH_MASK;
        at++;
      } else {
        at = appendSegment(base, at, end);
        if (at == FAILED) return false;
      }
    }
    return true;
  }

  @Override
  long prefix() {
    return prefix(primaries, primaryLength);
  }

  /**
   * Appends simple ASCII characters up to the first other code point, or one in the same segment as
   * the next code point, and returns its position. Eight at a time until a group of eight contains
   * another code point.
   */
  private long appendSimpleAscii(Object base, long start, long end) {
    byte[] out = primaries;
    int length = primaryLength;
    long at = start;
    while (Platform.unaligned() && end - at >= Long.BYTES) {
      long eight = Platform.getLong(base, at);
      if ((eight & NON_ASCII_BITS) != 0) break;
      if (IS_BIG_ENDIAN) eight = Long.reverseBytes(eight);
      if (length + MAX_APPENDED > out.length) out = primaries = Arrays.copyOf(out, 2 * out.length);
      int newLength = length;
      int allFlags = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        int primary = simplePrimaries[(int) (eight >>> Byte.SIZE * i) & 0x7F];
        INT.set(out, newLength, primary);
        newLength += primary & WIDTH_MASK;
        allFlags |= primary;
      }
      if ((allFlags & NOT_SIMPLE) != 0) break;
      length = newLength;
      at += Long.BYTES;
    }
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0) break;
      int primary = simplePrimaries[first];
      if ((primary & NOT_SIMPLE) != 0) break;
      if (length + MAX_APPENDED > out.length) out = primaries = Arrays.copyOf(out, 2 * out.length);
      INT.set(out, length, primary);
      length += primary & WIDTH_MASK;
    }
    if (start < at && at < end) {
      int last = simplePrimaries[Platform.getByte(base, at - 1)];
      if ((last & MAY_JOIN_NEXT) != 0 && isJoinedAt(base, at, end)) {
        length -= last & WIDTH_MASK;
        at--;
      }
    }
    primaryLength = length;
    commonSecondaries += (int) (at - start);
    commonTertiaries += (int) (at - start);
    return at;
  }

  /** Returns whether the code point at {@code at} joins the ASCII character before. */
  private boolean isJoinedAt(Object base, long at, long end) {
    int point = Utf8.codePoint(base, at, end);
    return point != Utf8.MALFORMED && segments.areJoined(Platform.getByte(base, at - 1), point);
  }

  /**
   * Appends ASCII characters that have one element but are not simple, such as uppercase letters,
   * up to a simple one or one that may join the next code point. Returns the position after them.
   */
  private long appendOtherAscii(Object base, long start, long end) {
    long at = start;
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0 || (simplePrimaries[first] & NOT_SIMPLE) == 0 && compressedPrimary == 0) break;
      long element = ascii[first];
      if (element == UNKNOWN || ((int) element & MAY_JOIN_NEXT) != 0) break;
      append(element);
    }
    return at;
  }

  private void appendAll(long[] source, int from, int end) {
    for (int i = from; i < end; i++) append(source[i]);
  }

  private void append(long element) {
    int primary = (int) (element >>> 32);
    int lower = (int) element;
    if (primary != 0) appendPrimary(primary, (lower & COMPRESSIBLE) != 0);
    int secondary = lower >>> 16;
    if (secondary == COMMON) {
      commonSecondaries++;
    } else if (secondary != ABSENT) {
      secondaries.append(secondary, commonSecondaries);
      commonSecondaries = 0;
    }
    int tertiary = lower & CollationElements.TERTIARY_MASK;
    if (tertiary == COMMON) {
      commonTertiaries++;
    } else {
      tertiaries.append(tertiary, commonTertiaries);
      commonTertiaries = 0;
    }
  }

  private void appendPrimary(int primary, boolean compressible) {
    if (primaryLength + MAX_APPENDED > primaries.length) {
      primaries = Arrays.copyOf(primaries, 2 * primaries.length);
    }
    int width = width(primary);
    if (compressible && compressedPrimary >>> 24 == primary >>> 24) {
      INT.set(primaries, primaryLength, primary << Byte.SIZE);
      primaryLength += width - 1;
      return;
    }
    if (compressedPrimary != 0) {
      boolean isLower = Integer.compareUnsigned(primary, compressedPrimary) < 0;
      primaries[primaryLength++] =
          isLower ? PRIMARY_COMPRESSION_LOW_BYTE : PRIMARY_COMPRESSION_HIGH_BYTE;
    }
    INT.set(primaries, primaryLength, primary);
    primaryLength += width;
    compressedPrimary = compressible ? primary : 0;
  }

  private void clear() {
    primaryLength = compressedPrimary = commonSecondaries = commonTertiaries = 0;
    secondaries.clear();
    tertiaries.clear();
  }

  @Override
  void release() {
    if (primaries.length > MAX_RETAINED_CAPACITY) primaries = new byte[INITIAL_CAPACITY];
    secondaries.release(MAX_RETAINED_CAPACITY);
    tertiaries.release(MAX_RETAINED_CAPACITY);
  }

  /** Returns the number of bytes of a primary weight, none of which is 0. */
  static int width(int primary) {
    return Integer.BYTES - Integer.numberOfTrailingZeros(primary) / Byte.SIZE;
  }

  @Override
  byte[] key() {
    int length = primaryLength + 1
        + (writesSecondaries ? secondaries.length() + 1 : 0)
        + (writesTertiaries ? tertiaries.length() + 1 : 0);
    byte[] key = Arrays.copyOf(primaries, length);
    int at = primaryLength;
    if (writesSecondaries) {
      key[at++] = LEVEL_SEPARATOR_BYTE;
      secondaries.copyTo(key, at);
      at += secondaries.length();
    }
    if (writesTertiaries) {
      key[at++] = LEVEL_SEPARATOR_BYTE;
      tertiaries.copyTo(key, at);
      at += tertiaries.length();
    }
    key[at] = 0;
    return key;
  }

  /** Compares level by level, since all bytes of a level are higher than the separator. */
  @Override
  int compareTo(SortKeyBuilder that) {
    ElementSortKeyBuilder other = (ElementSortKeyBuilder) that;
    int sign = Arrays.compareUnsigned(
        primaries, 0, primaryLength, other.primaries, 0, other.primaryLength);
    if (sign == 0 && writesSecondaries) sign = secondaries.compareTo(other.secondaries);
    if (sign == 0 && writesTertiaries) sign = tertiaries.compareTo(other.tertiaries);
    return sign;
  }

  @Override
  int compare(UTF8String left, UTF8String right) {
    return comparator.compare(left, right);
  }
}
