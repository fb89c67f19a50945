// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.BitSet

import scala.jdk.CollectionConverters._

import org.deltacollations.collation.unicode.CodePointSet

/**
 * Derives the code points that two versions of ICU may order or equate differently. Strings without
 * them are ordered alike. `docs/icu-upgrades.md` has the proof, in the same steps as here.
 */
final class Derivation(before: Icu, after: Icu) {

  import Derivation._
  import Mapped._

  /** Returns the changes of UTF8_LCASE, which compares strings in lower case, code point by code point. */
  def ofLowerCase: CodePointSet =
    codePointSet(all.filter(codePoint =>
      before.lowerCase(codePoint) != after.lowerCase(codePoint)
    ))

  /** Returns the changes of all collations of a locale, or `None` if nothing can be proven. */
  def ofLocale(name: String): Option[CodePointSet] = for {
    older <- Option(before.locales.get(name)).map(before.elements)
    newer <- Option(after.locales.get(name)).map(after.elements)
    if older.settings == newer.settings
    changed <- new Comparison(older, newer).changedCodePoints
  } yield changed

  final private class Comparison(older: Icu.Elements, newer: Icu.Elements) {

    private val changed = new BitSet

    /** Excludes characters with an unchanged implicit weight, which is above all other weights. */
    private val characters =
      all.map(codePoint => Mapped(Character.toString(codePoint), older, newer))
        .filterNot(mapped => mapped.hasImplicitWeight && hasSameProperties(mapped.codePoint))
        .toArray

    private def isChanged(text: String): Boolean = text.codePoints.anyMatch(changed.get(_))

    def changedCodePoints: Option[CodePointSet] = {
      characters
        .filterNot(mapped => hasSameProperties(mapped.codePoint) && mapped.isAlikeInKind)
        .foreach(mapped => changed.set(mapped.codePoint))
      val contractions = sharedContractions
      val texts = characters.iterator ++ contractions
      if (texts.exists(mapped => !mapped.isEqual)) excludeReordered(contractions)
      closeOverDecompositions()
      Option.when(
        Seq[Mapped => Array[Long]](_.older, _.newer).forall(isWellFormed(_, contractions))
      )(codePointSet(characters.iterator.map(_.codePoint).filter(changed.get)))
    }

    /** Compares the properties that determine how ICU normalizes text and splits it into elements. */
    private def hasSameProperties(codePoint: Int): Boolean =
      before.decomposition(codePoint) == after.decomposition(codePoint) &&
        before.combiningClass(codePoint) == after.combiningClass(codePoint) &&
        older.isUnsafeBackward(codePoint) == newer.isUnsafeBackward(codePoint)

    /** Returns the contractions of both versions. Excludes all others by one of their characters. */
    private def sharedContractions: Seq[Mapped] = {
      val (olderAll, newerAll) = (older.contractions(true), newer.contractions(true))
      val (olderBare, newerBare) = (older.contractions(false), newer.contractions(false))
      val texts = (olderAll.asScala ++ newerAll.asScala).toSeq.map(Mapped(_, older, newer))
      val (shared, others) = texts.partition { mapped =>
        olderAll.contains(mapped.text) && newerAll.contains(mapped.text) &&
        olderBare.contains(mapped.text) == newerBare.contains(mapped.text) && mapped.isAlikeInKind
      }
      others.foreach(exclude)
      shared
    }

    /** Marks one character of a text as changed, so that no unchanged string contains the text. */
    private def exclude(mapped: Mapped): Unit =
      if (!isChanged(mapped.text)) changed.set(mapped.text.codePoints.max.getAsInt)

    /** Keeps as many elements as possible that have the same order. Excludes texts with others. */
    private def excludeReordered(contractions: Seq[Mapped]): Unit = {
      val elements = new AlikeElements
      def remaining = (characters.iterator ++ contractions).filterNot(mapped =>
        isChanged(mapped.text)
      )
      remaining.foreach(mapped => elements.add(mapped.older, mapped.newer, weight(mapped)))
      val alike = elements.rising()
      def isAlike(mapped: Mapped): Boolean = mapped.older.indices.forall { i =>
        val counterpart = alike.get(mapped.older(i) & ~AlikeElements.MARKS)
        counterpart != null && counterpart == (mapped.newer(i) & ~AlikeElements.MARKS)
      }
      remaining.toSeq.filterNot(isAlike).foreach(exclude)
    }

    /** Of two characters that swapped their order, prefers to keep the one assigned in both versions. */
    private def weight(mapped: Mapped): Int =
      if (
        mapped.text.codePoints.allMatch(codePoint =>
          before.isAssigned(codePoint) && after.isAssigned(codePoint)
        )
      )
        1000
      else 1

    /** ICU may decompose a text before it compares it. */
    private def closeOverDecompositions(): Unit =
      characters.foreach(mapped =>
        if (isChanged(before.decomposition(mapped.codePoint))) changed.set(mapped.codePoint)
      )

    /**
     * Whether the weights of primary, secondary and tertiary elements are in separate ranges. Then, for
     * strings that are equal on one level, ICU compares on the next level pairs of elements that are
     * equal on all levels before.
     */
    private def isWellFormed(
        elements: Mapped => Array[Long],
        contractions: Seq[Mapped]
    ): Boolean = {
      val found = (characters.iterator ++ contractions).filterNot(mapped => isChanged(mapped.text))
        .flatMap(elements(_)).toArray
      val (primaries, others) = found.partition(primary(_) != 0)
      val (secondaries, tertiaries) = others.filter(lower(_) != 0).partition(secondary(_) != 0)
      isBelow(primaries.map(secondary), secondaries.map(secondary)) &&
      isBelow((primaries ++ secondaries).map(tertiary), tertiaries.map(tertiary))
    }

    private def isBelow(low: Array[Long], high: Array[Long]): Boolean =
      low.isEmpty || high.isEmpty || low.max < high.min
  }
}

object Derivation {

  /** Returns all code points except surrogates. */
  private def all: Iterator[Int] = (Character.MIN_CODE_POINT to Character.MAX_CODE_POINT).iterator
    .filterNot(codePoint => Character.getType(codePoint) == Character.SURROGATE)

  private def codePointSet(codePoints: Iterator[Int]): CodePointSet = {
    val ranges = codePoints.foldLeft(Vector.empty[(Int, Int)]) {
      case (ranges :+ ((first, last)), next) if next == last + 1 => ranges :+ (first -> next)
      case (ranges, next) => ranges :+ (next -> next)
    }
    CodePointSet.of(ranges)
  }
}
