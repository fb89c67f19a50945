// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.coercion

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.CollationTypeCoercion
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo}
import org.apache.spark.sql.types.StringType

import org.deltacollations.patch.{HookOutcome, Patch}
import org.scalatest.funsuite.AnyFunSuite

/** Applies the hook to the Spark of each platform. */
class CoercionPatchSuite extends AnyFunSuite {

  private val hook = CoercionPatch.hook
  private def classes = CoercionPatch.find(getClass.getClassLoader)

  test("Spark accepts the hook") {
    val outcomes = CoercionPatch.apply(classes)
    assert(outcomes.keySet === Set(hook))
    assert(outcomes(hook).isInstanceOf[HookOutcome.Applied])
  }

  test("Spark rejects mixed collations in sessions without the extension") {
    CoercionPatch.apply(classes)
    val plain = AttributeReference("plain", StringType)()
    val collated = AttributeReference("collated", StringType("UTF8_LCASE"))()
    val error = intercept[AnalysisException](CollationTypeCoercion(EqualTo(plain, collated)))
    assert(error.getCondition === "INDETERMINATE_COLLATION_IN_EXPRESSION")
  }

  test("a hook that does not fit is missing with a reason") {
    val renamed = hook.copy(name = "renamed", method = "noSuchMethod")
    val outcomes = Patch.rewrite(classes, Seq(renamed))
    assert(outcomes === Seq(
      renamed -> HookOutcome.Missing(s"${hook.className} has no method noSuchMethod")
    ))
    Patch.register("Spark", classes, outcomes)
  }
}
