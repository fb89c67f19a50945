// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.collation.versions.derivation

import java.util.BitSet

import scala.jdk.CollectionConverters._

import org.deltacollations.collation.unicode.CodePointSet

/**
 * Which characters two versions of ICU may order or equal differently; strings without them are
 * ordered alike. `docs/upgrades.md` has the argument, step by step as here.
 */
final class Derivation(before: Icu, after: Icu) {

  import Derivation._
  import Mapped._

  /** Of UTF8_LCASE, which compares the bytes of what single characters are in lower case. */
  def ofLowerCase: CodePointSet =
    codePoints(all.filter(point => before.lowerCase(point) != after.lowerCase(point)))

  /** Of the collations of a locale, whatever they ignore; none if nothing can be said. */
  def ofLocale(name: String): Option[CodePointSet] = for {
    older <- Option(before.locales.get(name)).map(before.elements)
    newer <- Option(after.locales.get(name)).map(after.elements)
    if older.settings == newer.settings
    affected <- new Comparison(older, newer).affected
  } yield affected

  final private class Comparison(older: Icu.Elements, newer: Icu.Elements) {

    private val affectedPoints = new BitSet

    /** Without those that keep the place of their number, which is above that of every other. */
    private val points = all.map(point => Mapped(Character.toString(point), older, newer))
      .filterNot(mapped => mapped.isNumbered && isSameCharacter(mapped.point)).toArray

    private def isAffected(text: String): Boolean = text.codePoints.anyMatch(affectedPoints.get(_))

    def affected: Option[CodePointSet] = {
      points.filterNot(mapped => isSameCharacter(mapped.point) && mapped.isAlikeInKind)
        .foreach(mapped => affectedPoints.set(mapped.point))
      val contractions = sharedContractions
      val texts = points.iterator ++ contractions
      if (texts.exists(mapped => !mapped.isEqual)) leaveOutOfOrder(contractions)
      closeOverDecompositions()
      Option.when(
        Seq[Mapped => Array[Long]](_.older, _.newer).forall(isWellFormed(_, contractions))
      )(codePoints(points.iterator.map(_.point).filter(affectedPoints.get)))
    }

    /** What is around the elements: how text is cut into what has elements, and put in order. */
    private def isSameCharacter(point: Int): Boolean =
      before.decomposition(point) == after.decomposition(point) &&
        before.combiningClass(point) == after.combiningClass(point) &&
        older.isUnsafeBackward(point) == newer.isUnsafeBackward(point)

    /** Those that both have. Of any other one character is given up, and with it the contraction. */
    private def sharedContractions: Seq[Mapped] = {
      val (olderAll, newerAll) = (older.contractions(true), newer.contractions(true))
      val (olderBare, newerBare) = (older.contractions(false), newer.contractions(false))
      val texts = (olderAll.asScala ++ newerAll.asScala).toSeq.map(Mapped(_, older, newer))
      val (shared, others) = texts.partition { mapped =>
        olderAll.contains(mapped.text) && newerAll.contains(mapped.text) &&
        olderBare.contains(mapped.text) == newerBare.contains(mapped.text) && mapped.isAlikeInKind
      }
      others.foreach(giveUp)
      shared
    }

    private def giveUp(contraction: Mapped): Unit =
      if (!isAffected(contraction.text))
        affectedPoints.set(contraction.text.codePoints.max.getAsInt)

    /** Order: as many elements as possible that rise together; what has others is affected. */
    private def leaveOutOfOrder(contractions: Seq[Mapped]): Unit = {
      val elements = new AlikeElements
      def remaining = (points.iterator ++ contractions).filterNot(mapped => isAffected(mapped.text))
      remaining.foreach(mapped => elements.see(mapped.older, mapped.newer, importance(mapped)))
      val alike = elements.rising()
      def rises(mapped: Mapped): Boolean = mapped.older.indices.forall { place =>
        val counterpart = alike.get(mapped.older(place) & ~AlikeElements.MARKS)
        counterpart != null && counterpart == (mapped.newer(place) & ~AlikeElements.MARKS)
      }
      remaining.toSeq.filterNot(rises).foreach(giveUp)
    }

    /** Of two characters that passed each other, the one nobody could write before is given up. */
    private def importance(mapped: Mapped): Int =
      if (
        mapped.text.codePoints.allMatch(point =>
          before.isAssigned(point) && after.isAssigned(point)
        )
      )
        1000
      else 1

    /** A text may be taken apart before it is compared. */
    private def closeOverDecompositions(): Unit =
      points.foreach(mapped =>
        if (isAffected(before.decomposition(mapped.point))) affectedPoints.set(mapped.point)
      )

    /**
     * Whether weights tell what kind of element they are of. Then strings that are equal on one level
     * are compared on the next by elements that are equal on all before, pair by pair.
     */
    private def isWellFormed(
        elements: Mapped => Array[Long],
        contractions: Seq[Mapped]
    ): Boolean = {
      val found = (points.iterator ++ contractions).filterNot(mapped => isAffected(mapped.text))
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

  /** Every character that a text can hold. */
  private def all: Iterator[Int] = (Character.MIN_CODE_POINT to Character.MAX_CODE_POINT).iterator
    .filterNot(point => Character.getType(point) == Character.SURROGATE)

  private def codePoints(points: Iterator[Int]): CodePointSet = {
    val ranges = points.foldLeft(Vector.empty[(Int, Int)]) {
      case (done :+ ((first, last)), next) if next == last + 1 => done :+ (first -> next)
      case (done, next) => done :+ (next -> next)
    }
    CodePointSet.of(ranges)
  }
}
