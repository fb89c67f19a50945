// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions

import java.nio.file.Path

import scala.math.signum

import org.apache.spark.unsafe.types.UTF8String

import com.ibm.icu.util.VersionInfo
import org.deltacollations.collation.{SparkCollations, SparkOrder}
import org.deltacollations.testutil.Strings
import org.scalatest.funsuite.AnyFunSuite

class OtherIcuOrderSuite extends AnyFunSuite {

  private val currentVersion =
    s"${VersionInfo.ICU_VERSION.getMajor}.${VersionInfo.ICU_VERSION.getMinor}"

  private val versions = sys.props("deltaCollations.test.icuJars").split(',').map { jar =>
    val icu = IsolatedIcu(Path.of(jar))
    icu.version -> icu
  }.toMap

  private def compare(collation: String, version: String)(left: String, right: String): Int =
    signum(comparator(collation, version)(
      UTF8String.fromString(left),
      UTF8String.fromString(right)
    ))

  private def comparator(collation: String, version: String): (UTF8String, UTF8String) => Int =
    data(collation, version).comparator.get

  private def data(collation: String, version: String): OtherIcuOrder.CollationData =
    new OtherIcuOrder.CollationData(collation, versions(version))

  test("several versions of ICU can be loaded next to Spark's") {
    assert(versions.keySet === Set("75.1", "76.1", "77.1", "78.3", "79.1"))
    assert(versions(currentVersion).getClass.getClassLoader === getClass.getClassLoader)
  }

  private val collations =
    Seq(
      "UNICODE",
      "UNICODE_CI",
      "UNICODE_CI_AI",
      "UNICODE_RTRIM",
      "UTF8_LCASE",
      "UTF8_LCASE_RTRIM"
    ) ++
      Seq("de_CI_AI", "sv_CI", "zh_Hant_TWN", "da", "tr_CI", "sr_Cyrl_SRB", "UNICODE_AI")

  for (collation <- collations)
    test(s"OtherIcuOrder with the current ICU version orders as Spark does under $collation") {
      val seed = Strings.Seed
      val strings = new Strings(seed)
      val compareByJar = comparator(collation, currentVersion)
      val spark = SparkOrder(collation)
      for (_ <- 1 to 3000) {
        val (left, right) = strings.pair()
        assert(
          signum(compareByJar(left, right)) === signum(spark.compare(left, right)),
          s"$left $right, seed $seed"
        )
      }
    }

  test("OtherIcuOrder uses the order of the other version") {
    val ideographs = (0x4e00 to 0x9fff).map(Character.toString)
    assert(ideographs.exists { other =>
      compare("UNICODE", "77.1")("劳", other) != compare("UNICODE", "78.3")("劳", other)
    })
    assert(compare("UTF8_LCASE", "77.1")("\ua7ce", "\ua7cf") === -1)
    assert(compare("UTF8_LCASE", "78.3")("\ua7ce", "\ua7cf") === 0)
  }

  test("isTotalOrder with the current ICU version is the same as for Spark's collation") {
    for (name <- collations)
      assert(data(name, currentVersion).isTotalOrder === SparkOrder(name).isTotalOrder, name)
  }

  test("OtherIcuOrder does not use another locale if the version does not have the collation") {
    assume(SparkCollations.canonicalName("blo").isDefined, "Spark 4.2 is the first to have it")
    val before = data("blo", "75.1")
    assert(before.comparator.isEmpty && !before.isTotalOrder)
    assert(data("blo", "79.1").comparator.isDefined)
  }
}
