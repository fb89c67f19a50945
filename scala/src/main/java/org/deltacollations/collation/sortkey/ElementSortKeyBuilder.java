// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.sortkey;

import static org.deltacollations.collation.sortkey.AsciiElements.LETTER_WIDTH;
import static org.deltacollations.collation.sortkey.AsciiElements.NO_LETTER;
import static org.deltacollations.collation.sortkey.CollationElements.ABSENT;
import static org.deltacollations.collation.sortkey.CollationElements.COMMON;
import static org.deltacollations.collation.sortkey.CollationElements.COMPRESSIBLE;
import static org.deltacollations.collation.sortkey.CollationElements.GOES_ON;
import static org.deltacollations.collation.sortkey.CollationElements.UNKNOWN;

import org.deltacollations.collation.unicode.Utf8;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

import com.ibm.icu.text.Collator;

/**
 * Writes the sort keys of a collator from the elements of its characters.
 *
 * <p>A key has the primary weights of all characters, then their secondary weights, then the
 * tertiary ones. In between is a byte lower than all weights, and at the end a lower one still.
 */
final class ElementSortKeyBuilder extends SortKeyBuilder {

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final byte LEVEL_ENDS = 1;

  /** Where bytes were left out, these show how the next weight compares with those. */
  private static final byte LOWER_FOLLOWS = 3;
  private static final byte HIGHER_FOLLOWS = (byte) 0xFF;

  private static final int SHORT = 128;

  /** More than one element or eight letters may add to the first level. */
  private static final int ROOM = 32;

  private static final long NOT_ASCII = 0x8080808080808080L;
  private static final boolean LAST_BYTE_FIRST = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

  /** Nothing that could make a contraction with the next character. */
  private static final int NOTHING = -1;

  private final CollationElements elements;
  private final ContractionPairs pairs;
  private final boolean writesSecondaries;
  private final boolean writesTertiaries;
  private final int[] letters;
  private final long[] ascii;
  private final ElementComparator order;

  private byte[] primaries = new byte[SHORT];
  private int primaryLength;

  /** The first weight of those that begin with the same byte and may leave it out, or 0. */
  private int compressed;

  private int commonSecondaries;
  private int commonTertiaries;
  private final WeightLevel secondaries = WeightLevel.secondary();
  private final WeightLevel tertiaries;

  ElementSortKeyBuilder(CollationElements elements, AsciiElements ascii) {
    this.elements = elements;
    this.pairs = elements.pairs();
    this.letters = ascii.letters;
    this.ascii = ascii.elements;
    this.order = new ElementComparator(elements, ascii.elements);
    this.writesSecondaries = elements.strength() >= Collator.SECONDARY;
    this.writesTertiaries = elements.strength() >= Collator.TERTIARY;
    this.tertiaries = elements.capitalsComeFirst()
        ? WeightLevel.tertiaryOfCapitalsFirst() : WeightLevel.tertiary();
  }

  @Override
  boolean write(UTF8String text) {
    clear();
    Object base = text.getBaseObject();
    long at = text.getBaseOffset();
    long end = at + text.numBytes();
    int before = NOTHING;
    while (at < end) {
      if (before == NOTHING && compressed == 0) {
        long start = at;
        at = afterLetters(base, at, end);
        if (at == end) break;
        if (at > start) before = goingOn(Platform.getByte(base, at - 1));
      }
      if (before == NOTHING) {
        long start = at;
        at = afterCapitals(base, at, end);
        if (at > start) continue;
      }
      int point = Utf8.codePoint(base, at, end);
      if (point == Utf8.MALFORMED) return false;
      CollationElements.Page page = elements.page(point);
      long entry = page.entry(point);
      if (entry == UNKNOWN || before != NOTHING && pairs.contains(before, point)) return false;
      if (CollationElements.isExpansion(entry)) appendAll(page.expansions, entry);
      else append(entry);
      before = ((int) entry & GOES_ON) != 0 ? point : NOTHING;
      at += Utf8.width(point);
    }
    if (writesSecondaries) secondaries.end(commonSecondaries);
    if (writesTertiaries) tertiaries.end(commonTertiaries);
    return true;
  }

  /** Writes letters up to a character that is none, eight at once as long as that goes well. */
  private long afterLetters(Object base, long start, long end) {
    byte[] out = primaries;
    int length = primaryLength;
    long at = start;
    while (Platform.unaligned() && end - at >= Long.BYTES) {
      long eight = Platform.getLong(base, at);
      if ((eight & NOT_ASCII) != 0) break;
      if (LAST_BYTE_FIRST) eight = Long.reverseBytes(eight);
      if (length + ROOM > out.length) out = primaries = Arrays.copyOf(out, 2 * out.length);
      int after = length;
      int all = 0;
      for (int i = 0; i < Long.BYTES; i++) {
        int letter = letters[(int) (eight >>> Byte.SIZE * i) & 0x7F];
        INT.set(out, after, letter);
        after += letter & LETTER_WIDTH;
        all |= letter;
      }
      if ((all & NO_LETTER) != 0) break;
      length = after;
      at += Long.BYTES;
    }
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0) break;
      int letter = letters[first];
      if ((letter & NO_LETTER) != 0) break;
      if (length + ROOM > out.length) out = primaries = Arrays.copyOf(out, 2 * out.length);
      INT.set(out, length, letter);
      length += letter & LETTER_WIDTH;
    }
    primaryLength = length;
    commonSecondaries += (int) (at - start);
    commonTertiaries += (int) (at - start);
    return at;
  }

  /** Writes what is almost as simple as a letter, up to one or to what may join the next. */
  private long afterCapitals(Object base, long start, long end) {
    long at = start;
    for (; at < end; at++) {
      int first = Platform.getByte(base, at);
      if (first < 0 || (letters[first] & NO_LETTER) == 0 && compressed == 0) break;
      long element = ascii[first];
      if (element == UNKNOWN || ((int) element & GOES_ON) != 0) break;
      append(element);
    }
    return at;
  }

  private int goingOn(int letter) {
    return (letters[letter] & GOES_ON) != 0 ? letter : NOTHING;
  }

  private void appendAll(long[] expansions, long entry) {
    int place = CollationElements.place(entry);
    int end = place + CollationElements.count(entry);
    for (int i = place; i < end; i++) append(expansions[i]);
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
    int tertiary = lower & CollationElements.TERTIARY;
    if (tertiary == COMMON) {
      commonTertiaries++;
    } else {
      tertiaries.append(tertiary, commonTertiaries);
      commonTertiaries = 0;
    }
  }

  private void appendPrimary(int primary, boolean compressible) {
    if (primaryLength + ROOM > primaries.length) {
      primaries = Arrays.copyOf(primaries, 2 * primaries.length);
    }
    int width = width(primary);
    if (compressible && compressed >>> 24 == primary >>> 24) {
      INT.set(primaries, primaryLength, primary << Byte.SIZE);
      primaryLength += width - 1;
      return;
    }
    if (compressed != 0) {
      boolean isLower = Integer.compareUnsigned(primary, compressed) < 0;
      primaries[primaryLength++] = isLower ? LOWER_FOLLOWS : HIGHER_FOLLOWS;
    }
    INT.set(primaries, primaryLength, primary);
    primaryLength += width;
    compressed = compressible ? primary : 0;
  }

  private void clear() {
    primaryLength = compressed = commonSecondaries = commonTertiaries = 0;
    secondaries.clear();
    tertiaries.clear();
  }

  @Override
  void release() {
    if (primaries.length > MOST_KEPT) primaries = new byte[SHORT];
    secondaries.release(MOST_KEPT);
    tertiaries.release(MOST_KEPT);
  }

  /** How many bytes a primary weight has: none of them is 0. */
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
      key[at++] = LEVEL_ENDS;
      secondaries.copyTo(key, at);
      at += secondaries.length();
    }
    if (writesTertiaries) {
      key[at++] = LEVEL_ENDS;
      tertiaries.copyTo(key, at);
      at += tertiaries.length();
    }
    key[at] = 0;
    return key;
  }

  /** Level by level, since all bytes of a level are higher than what ends it. */
  @Override
  int compareTo(SortKeyBuilder draft) {
    ElementSortKeyBuilder other = (ElementSortKeyBuilder) draft;
    int sign = Arrays.compareUnsigned(
        primaries, 0, primaryLength, other.primaries, 0, other.primaryLength);
    if (sign == 0 && writesSecondaries) sign = secondaries.compareTo(other.secondaries);
    if (sign == 0 && writesTertiaries) sign = tertiaries.compareTo(other.tertiaries);
    return sign;
  }

  @Override
  int compare(UTF8String left, UTF8String right) {
    return order.compare(left, right);
  }
}
