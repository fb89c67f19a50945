// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.skipping

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.delta.commands.MergeIntoCommandBase
import org.apache.spark.sql.functions.{max, min}
import org.apache.spark.sql.types._
import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.unsafe.types.UTF8String

import org.deltacollations.collation.{CollatedString, SparkCollations, SparkOrder}
import org.deltacollations.config.CollationsConf
import org.deltacollations.delta.util.ColumnConversions
import org.deltacollations.patch.{Hook, HookKind}

/**
 * Adds predicates on the keys of the source to those by which `MERGE` finds the files of its target, so
 * that `ON t.name = s.name` reads the same files as `t.name IN (…)` with the names of the source.
 *
 * The predicates become part of the read set of the transaction, as those of the condition do: Delta
 * searches only these files, and only these can conflict with a concurrent transaction that removes
 * files.
 */
private[delta] object MergeKeyPredicates {

  /**
   * Delta does not call this method if there are clauses for rows that are not matched by the source,
   * because then every file matters.
   */
  val matching: Hook = Hook(
    name = "merge-keys",
    className = "org.apache.spark.sql.delta.commands.MergeIntoCommandBase",
    method = "getTargetOnlyPredicates",
    signatures = Seq("(sql.SparkSession): immutable.Seq"),
    kind = HookKind.ReplaceResult,
    degradation = "MERGE reads all files of its target that the condition does not exclude",
    replace = call => call.value.asInstanceOf[Seq[Expression]] ++ ofSource(call.receiver)
  )

  private val insertOnlyDegradation =
    "MERGE reads all files of its target if it only inserts rows"

  /**
   * A `MERGE` that only inserts rows does not call the method above, and does not store its source. So
   * its keys are used only if Delta itself would read this source twice.
   */
  val insertOnly: Hook = Hook(
    name = "merge-insert-only",
    className = "org.apache.spark.sql.delta.commands.merge.InsertOnlyMergeExecutor",
    method = "writeOnlyInserts",
    signatures = Seq(
      "(sql.SparkSession, sql.delta.OptimisticTransaction, boolean, java.lang.String): immutable.Seq"
    ),
    kind = HookKind.OnEntry,
    degradation = insertOnlyDegradation,
    requires = Set("merge-insert-only-files"),
    replace = call =>
      if (call.arguments(2) == true)
        inserting.set(Some(call.arguments(1) -> call.receiver))
  )

  val insertOnlyFiles: Hook = Hook(
    name = "merge-insert-only-files",
    className = "org.apache.spark.sql.delta.OptimisticTransactionImpl",
    method = "filterFiles",
    signatures = Seq("(immutable.Seq, boolean): immutable.Seq"),
    kind = HookKind.ReplaceArgument(0),
    degradation = insertOnlyDegradation,
    requires = Set("merge-insert-only"),
    replace = call => {
      val predicates = call.value.asInstanceOf[Seq[Expression]]
      inserting.get match {
        case Some((transaction, command)) if transaction eq call.receiver =>
          inserting.remove()
          if (MergeAccess.isRepeatable(command)) predicates ++ ofSource(command) else predicates
        case _ => predicates
      }
    }
  )

  /**
   * The transaction that a command is about to find files for, and the command. If the command fails
   * before it does, this has no effect, because no other command has the same transaction.
   */
  private val inserting =
    ThreadLocal.withInitial[Option[(AnyRef, AnyRef)]](() => None)

  private def ofSource(command: AnyRef): Seq[Expression] =
    if (CollationsConf.SkippingByMergeKeys.isEnabled)
      predicates(command.asInstanceOf[MergeIntoCommandBase])
    else Nil

  /** The number of source rows up to which all keys are listed. A larger source gives a range. */
  private val MaxKeys = 1000

  /** The estimated size of a source that may be read once more than Delta reads it. */
  private val MaxBytes = 10L << 20

  /** An equality in the condition: an expression on the target, and one on the source. */
  final private case class Key(target: Expression, source: Expression)

  private def predicates(command: MergeIntoCommandBase): Seq[Expression] = {
    val keys = keysOf(command)
    if (keys.isEmpty || !isCheap(command)) Nil
    else {
      val source = MergeAccess.source(command)
        .select(keys.map(key => ColumnConversions.of(key.source)): _*)
      val rows = source.limit(MaxKeys + 1).queryExecution.executedPlan.executeCollect()
      if (rows.length <= MaxKeys)
        keys.zipWithIndex.flatMap { case (key, index) =>
          // NULL equals nothing, so rows with a NULL key have no match.
          anyOf(key, rows.map(_.get(index, key.source.dataType)).filter(_ != null).distinct.toSeq)
        }
      else if (MergeAccess.isMaterialized(command))
        ranges(MergeAccess.source(command), keys.filter(hasRange))
      else Nil
    }
  }

  private def isCheap(command: MergeIntoCommandBase): Boolean =
    MergeAccess.isMaterialized(command) ||
      MergeAccess.source(command).queryExecution.optimizedPlan.stats.sizeInBytes <= MaxBytes

  private def keysOf(command: MergeIntoCommandBase): Seq[Key] =
    conjuncts(command.condition).collect {
      case EqualTo(left, right) => Seq(Key(left, right), Key(right, left))
    }.flatten.filter { key =>
      isKeyType(key.source.dataType) && key.source.deterministic &&
      !SubqueryExpression.hasSubquery(key.source) &&
      isOf(key.target, command.target.outputSet) && isOf(key.source, command.source.outputSet)
    }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  private def isOf(side: Expression, output: AttributeSet): Boolean =
    side.references.nonEmpty && side.references.subsetOf(output)

  /** Excludes floating-point numbers, because statistics cannot represent NaN. */
  private def isKeyType(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType | DateType | TimestampType |
        TimestampNTZType | _: DecimalType | _: StringType => true
    case _ => false
  }

  /** Whether the minimum and the maximum of the keys are bounds for all keys. */
  private def hasRange(key: Key): Boolean = key.source.dataType match {
    case CollatedString(string) => SparkOrder(CollatedString.nameOf(string)).isTotalOrder
    case _ => true
  }

  private def ranges(source: DataFrame, keys: Seq[Key]): Seq[Expression] =
    if (keys.isEmpty) Nil
    else {
      val columns = keys.map(key => ColumnConversions.of(key.source))
        .flatMap(value => Seq[Column](min(value), max(value)))
      val Array(row) = source.agg(columns.head, columns.tail: _*)
        .queryExecution.executedPlan.executeCollect(): @unchecked
      keys.zipWithIndex.flatMap { case (key, index) =>
        val Seq(smallest, largest) =
          Seq(2 * index, 2 * index + 1).map(row.get(_, key.source.dataType)): @unchecked
        if (smallest == null) Seq(Literal.FalseLiteral) else between(key, smallest, largest)
      }
    }

  private def anyOf(key: Key, values: Seq[Any]): Seq[Expression] = key.source.dataType match {
    case _ if values.isEmpty => Seq(Literal.FalseLiteral)
    case string: StringType if SparkCollations.isUtf8Binary(string) =>
      val sorted = values.map(_.asInstanceOf[UTF8String]).sortWith(_.binaryCompare(_) < 0)
      between(key, sorted.head, sorted.last)
    case dataType => Seq(In(key.target, values.map(Literal(_, dataType))))
  }

  private def between(key: Key, smallest: Any, largest: Any): Seq[Expression] = {
    def literal(value: Any): Literal = Literal(value, key.source.dataType)
    key.source.dataType match {
      case string: StringType if SparkCollations.isUtf8Binary(string) =>
        val AsciiRange(from, until) =
          AsciiRange(smallest.asInstanceOf[UTF8String], largest.asInstanceOf[UTF8String])
        GreaterThanOrEqual(key.target, literal(from)) +:
          until.map(end => LessThan(key.target, literal(end))).toSeq
      case _ =>
        Seq(
          GreaterThanOrEqual(key.target, literal(smallest)),
          LessThanOrEqual(key.target, literal(largest))
        )
    }
  }
}

/**
 * A range of ASCII strings around other strings, in binary order.
 *
 * Delta replaces malformed UTF-8 in the bounds of a file by U+FFFD, which may exclude values of the file
 * that contain other characters than ASCII. It does not exclude ASCII strings, because these sort before
 * both. Without this range, `MERGE` would lose rows that it finds if it reads all files.
 *
 * @param until
 *   the exclusive end, if there is one
 */
final private[skipping] case class AsciiRange(from: UTF8String, until: Option[UTF8String])

private[skipping] object AsciiRange {

  def apply(smallest: UTF8String, largest: UTF8String): AsciiRange =
    AsciiRange(UTF8String.fromBytes(asciiPrefix(smallest)), end(largest))

  private def asciiPrefix(string: UTF8String): Array[Byte] = string.getBytes.takeWhile(_ >= 0)

  /** Returns the smallest ASCII string after all strings with the same ASCII prefix. */
  private def end(largest: UTF8String): Option[UTF8String] = {
    val prefix = asciiPrefix(largest).reverse.dropWhile(_ == Byte.MaxValue).reverse
    prefix.lastOption.map(last => UTF8String.fromBytes(prefix.init :+ (last + 1).toByte))
  }
}
