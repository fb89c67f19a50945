// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.bench;

import static java.util.Map.entry;

import java.text.Normalizer;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.apache.spark.SparkException;
import org.apache.spark.unsafe.types.UTF8String;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures sort keys, comparisons and searches of names in several scripts: Spark's code, this
 * project's code, and the code for strings without a collation.
 *
 * <p>Every operation takes one or two of 4096 strings, each of three words. Results are nanoseconds
 * per operation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class ScriptBenchmark {

  private static final int STRINGS = 4096;
  private static final int WORDS = 3;

  private static final Map<String, String> NAMES = new TreeMap<>(Map.ofEntries(
      entry(
          "ascii",
          "Anderson Baker Clark Davis Edwards Foster Garcia Harris Irving Johnson Keller Lopez "
              + "Miller Nelson Owens Parker Quinn Roberts Smith Taylor Underwood Vargas Wilson Young"),
      entry(
          "european",
          "Müller Andersson Béranger Østergaard Dvořák Özdemir Łukasz Núñez Groß Åkesson Čapek "
              + "Fischer García Hansen Ionescu Jørgensen Kovács Lefèvre Martínez Nagy Oliveira Peeters"),
      entry(
          "thai",
          "กรุงเทพ เชียงใหม่ ขอนแก่น นครราชสีมา สมชาย ประเสริฐ ไทย พิมพ์ใจ วิไลวรรณ ศรีสุข แก้วตา "
              + "โสภณ อุดร ภูเก็ต เพชรบุรี ทองคำ น้ำฝน จันทร์ สุรเชษฐ์ หนองคาย ใบเฟิร์น มณีรัตน์"),
      entry(
          "devanagari",
          "दिल्ली मुंबई कृष्ण शर्मा वर्मा गुप्ता लक्ष्मी प्रिया राहुल अनिल संजय विद्या नेहा "
              + "सुनीता पटेल त्रिपाठी मिश्रा यादव जोशी कुलकर्णी देशमुख बैंगलोर"),
      entry(
          "vietnamese",
          "Nguyễn Trần Lê Phạm Huỳnh Phan Vũ Võ Đặng Bùi Đỗ Hồ Ngô Dương Lý Hà Nội Đà Nẵng Huế "
              + "Cần Thơ Quảng Ngãi Thị Hồng Đức Tuấn"),
      entry(
          "arabic",
          "محمد أحمد علي فاطمة خديجة عمر يوسف إبراهيم حسن حسين القاهرة الرياض بغداد دمشق بيروت "
              + "تونس الجزائر مؤمن عائشة سعيد ليلى مصطفى"),
      entry(
          "hebrew",
          "ירושלים חיפה משה דוד שרה רבקה יעקב יוסף אברהם יצחק מרים רחל לאה כהן לוי מזרחי פרץ "
              + "ביטון אזולאי פרידמן שפירא גולן"),
      entry(
          "hangul",
          "서울 부산 대구 인천 광주 대전 울산 김민준 이서연 박지훈 최수빈 정예은 강도윤 조하준 윤서준 장지우 임채원 한국 나라 사랑 하늘 바다"),
      entry(
          "kana",
          "さくら ひまわり たなか すずき やまだ おおさか とうきょう スーパー コーヒー ビール サトウ ニッポン カラオケ ゲーム ガーデン パーティー かがみ がっこう "
              + "ぎんこう じゅんこ ハート ラーメン"),
      entry(
          "han",
          "北京 上海 广州 深圳 成都 杭州 武汉 西安 重庆 王伟 李娜 张敏 刘洋 陈静 杨勇 赵磊 黄丽 周杰 吴芳 徐强 東京 大阪 京都")));

  /** The parts of names in `./dev bench operators --text world`. */
  private static final String WORLD =
      "an bä да ник ов Αθ ήνα 東京 都市 서울 부산 mar نور øl pér टो ros ß ไทย سين גבר ёж 大";

  @Param({"UNICODE_CI", "UNICODE"})
  public String collation;

  @Param({"ascii", "european", "thai", "devanagari", "vietnamese", "vietnamese-nfd", "arabic",
      "hebrew", "hangul", "kana", "han", "mixed", "world"})
  public String script;

  @Param({"bytes", "spark", "ours"})
  public String code;

  private final UTF8String[] strings = new UTF8String[STRINGS];

  /** The same strings in other letter case, where there is one. */
  private final UTF8String[] equals = new UTF8String[STRINGS];

  private UTF8String hit;
  private UTF8String miss;
  private Operations operations;

  /** Generates the strings. */
  @Setup
  public void setup() throws SparkException {
    String[] words = words();
    Random random = new Random(1);
    String separator = script.equals("world") ? "" : " ";
    for (int i = 0; i < STRINGS; i++) {
      StringBuilder builder = new StringBuilder();
      for (int word = 0; word < WORDS; word++) {
        builder.append(words[random.nextInt(words.length)]).append(separator);
      }
      String string = builder.append(random.nextInt(100)).toString();
      strings[i] = UTF8String.fromString(string);
      boolean ignoresCase = collation.contains("_CI") && !code.equals("bytes");
      equals[i] = UTF8String.fromString(ignoresCase ? string.toUpperCase() : string);
    }
    hit = UTF8String.fromString(words[1]);
    miss = UTF8String.fromString(words[1] + words[2] + words[1]);
    operations = Operations.of(code, collation);
  }

  private String[] words() {
    if (script.equals("world")) return WORLD.split(" ");
    if (script.equals("mixed")) return String.join(" ", NAMES.values()).split(" ");
    String names = NAMES.get(script.replace("-nfd", ""));
    boolean decomposes = script.endsWith("-nfd");
    return (decomposes ? Normalizer.normalize(names, Normalizer.Form.NFD) : names).split(" ");
  }

  /** Makes the sort key. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int key() {
    int sum = 0;
    for (UTF8String string : strings) sum += operations.key(string).length;
    return sum;
  }

  /** Compares with {@code =} strings that mostly differ. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int equalDifferent() {
    int found = 0;
    for (int i = 0; i < STRINGS; i++) {
      if (operations.areEqual(strings[i], strings[(i + 1) % STRINGS])) found++;
    }
    return found;
  }

  /** Compares with {@code =} strings that are equal under the collation. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int equalSame() {
    int found = 0;
    for (int i = 0; i < STRINGS; i++) if (operations.areEqual(strings[i], equals[i])) found++;
    return found;
  }

  /** Compares with {@code <}. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int compare() {
    int sum = 0;
    for (int i = 0; i < STRINGS; i++) {
      sum += operations.compare(strings[i], strings[(i + 1) % STRINGS]);
    }
    return sum;
  }

  /** Searches a word that some strings contain. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int containsHit() {
    int found = 0;
    for (UTF8String string : strings) if (operations.contains(string, hit)) found++;
    return found;
  }

  /** Searches words that no string contains. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int containsMiss() {
    int found = 0;
    for (UTF8String string : strings) if (operations.contains(string, miss)) found++;
    return found;
  }

  /** Searches a word at the start. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int startsWith() {
    int found = 0;
    for (UTF8String string : strings) if (operations.startsWith(string, hit)) found++;
    return found;
  }

  /** Finds the position of a word. */
  @Benchmark
  @OperationsPerInvocation(STRINGS)
  public int locate() {
    int sum = 0;
    for (UTF8String string : strings) sum += operations.locate(string, hit);
    return sum;
  }
}
