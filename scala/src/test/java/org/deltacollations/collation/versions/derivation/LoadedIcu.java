// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.ibm.icu.impl.coll.Collation;
import com.ibm.icu.impl.coll.CollationData;
import com.ibm.icu.impl.coll.CollationSettings;
import com.ibm.icu.impl.coll.SharedObject;
import com.ibm.icu.impl.coll.UTF16CollationIterator;
import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.Collator;
import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.text.RuleBasedCollator;
import com.ibm.icu.text.UnicodeSet;
import com.ibm.icu.util.ULocale;
import com.ibm.icu.util.VersionInfo;

/** Calls the ICU version in the class loader of this class. */
public final class LoadedIcu implements Icu {

  private static final Normalizer2 NFD = Normalizer2.getNFDInstance();

  @Override
  public String version() {
    return VersionInfo.ICU_VERSION.getMajor() + "." + VersionInfo.ICU_VERSION.getMinor();
  }

  @Override
  public Map<String, String> locales() {
    Map<String, String> found = new TreeMap<>();
    found.put("UNICODE", "");
    for (ULocale locale : Collator.getAvailableULocales()) {
      if (!locale.getVariant().isEmpty()) continue;
      StringBuilder name = new StringBuilder(locale.getLanguage());
      for (String part : List.of(locale.getScript(), locale.getISO3Country())) {
        if (!part.isEmpty()) name.append('_').append(part);
      }
      found.put(name.toString(), locale.toString());
    }
    return found;
  }

  @Override
  public int lowerCase(int codePoint) {
    return UCharacter.toLowerCase(codePoint);
  }

  @Override
  public boolean isAssigned(int codePoint) {
    return UCharacter.isDefined(codePoint);
  }

  @Override
  public String decomposition(int codePoint) {
    String found = NFD.getDecomposition(codePoint);
    return found == null ? "" : found;
  }

  @Override
  public int combiningClass(int codePoint) {
    return NFD.getCombiningClass(codePoint);
  }

  @Override
  public Elements elements(String locale) {
    return new LoadedElements(collator(locale));
  }

  @Override
  public Comparator<String> comparator(String locale, int strength, boolean caseLevel) {
    RuleBasedCollator collator = collator(locale);
    collator.setStrength(strength - 1);
    collator.setCaseLevel(caseLevel);
    return collator.freeze()::compare;
  }

  @Override
  public List<byte[]> keys(String locale, List<String> texts) {
    RuleBasedCollator collator = collator(locale);
    List<byte[]> keys = new ArrayList<>(texts.size());
    for (String text : texts) keys.add(collator.getCollationKey(text).toByteArray());
    return keys;
  }

  private static RuleBasedCollator collator(String locale) {
    return (RuleBasedCollator) Collator.getInstance(new ULocale(locale));
  }

  private static final class LoadedElements implements Elements {

    private final RuleBasedCollator collator;
    private final CollationData data;
    private final CollationSettings settings;
    private final UTF16CollationIterator iterator;

    LoadedElements(RuleBasedCollator collator) {
      this.collator = collator;
      data = (CollationData) field(collator, "data");
      settings = (CollationSettings) ((SharedObject.Reference<?>) field(collator, "settings")).readOnly();
      iterator = new UTF16CollationIterator(data, false, "", 0);
    }

    /** Reads a package-private field of a collator. */
    private static Object field(RuleBasedCollator collator, String name) {
      try {
        Field field = RuleBasedCollator.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(collator);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public long[] of(String text) {
      iterator.setText(false, text, 0);
      long[] found = new long[4];
      int count = 0;
      for (long next = iterator.nextCE(); next != Collation.NO_CE; next = iterator.nextCE()) {
        if (count == found.length) found = Arrays.copyOf(found, 2 * count);
        found[count++] = reordered(next >>> 32) << 32 | next & 0xFFFFFFFFL;
      }
      return Arrays.copyOf(found, count);
    }

    private long reordered(long primary) {
      return settings.hasReordering() ? settings.reorder(primary) : primary;
    }

    @Override
    public Set<String> contractions(boolean withPrefixes) {
      UnicodeSet found = new UnicodeSet();
      try {
        collator.getContractionsAndExpansions(found, null, withPrefixes);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      Set<String> strings = new TreeSet<>();
      for (String string : found.strings()) strings.add(string);
      return strings;
    }

    @Override
    public boolean isUnsafeBackward(int codePoint) {
      return data.isUnsafeBackward(codePoint, false);
    }

    /** The weight of U+FFFE, the merge separator, is below the variable weights. */
    @Override
    public boolean isVariable(long element) {
      long primary = element >>> 32;
      return collator.isAlternateHandlingShifted()
          && primary > Collation.MERGE_SEPARATOR_PRIMARY
          && primary <= reordered(settings.variableTop);
    }

    @Override
    public String settings() {
      return Integer.toHexString(settings.options) + Arrays.toString(settings.reorderCodes);
    }

    @Override
    public String rules() {
      return collator.getRules();
    }
  }
}
