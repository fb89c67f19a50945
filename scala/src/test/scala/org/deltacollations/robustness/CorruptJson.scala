// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import java.lang.management.ManagementFactory

import scala.util.Random

import org.deltacollations.protocol.CodePointTag

/** What came of many damaged texts of one kind. */
final case class DamageRun(
    kind: String,
    cases: Int,
    longestMillis: Long,
    mostBytes: Long,
    broken: Seq[String]
) {
  override def toString: String =
    f"$kind%-20s $cases%8d cases, longest $longestMillis%5d ms, most ${mostBytes >> 20}%4d MB allocated, " +
      s"${broken.size} broken"
}

/**
 * Tries the laws on damaged texts, each within a limit of time and of memory, with the stack that
 * Spark gives its threads.
 */
final class CorruptJson(seed: Long, laws: CorruptJsonChecks = new CorruptJsonChecks) {

  import CorruptJson._

  def run(cases: Int): Seq[DamageRun] = {
    val chance = new Random(seed)
    def odd = new OddJson(chance)
    val share = (cases / 8).max(1)
    // What is learnt once in the life of a JVM is not the doing of any text.
    new CorruptJsonChecks().stats(CorruptStats(
      CorruptStats.fresh(CorruptJsonChecks.Key),
      mustBeRead = true
    )): Unit
    val huge = if (cases < 500) 0 else (share / 200).max(3).min(10)
    Seq(
      tried(
        "statistics",
        share * 3
      )(_ => CorruptStats.next(CorruptJsonChecks.Key, chance))(laws.stats)(_.text),
      tried(
        "huge statistics",
        huge
      )(CorruptStats.huge(CorruptJsonChecks.Key, _))(laws.stats)(_.text),
      tried("schemas", share * 3)(_ => CorruptSchema.next(chance))(laws.schema)(identity),
      tried("huge schemas", huge)(CorruptSchema.huge)(laws.schema)(identity),
      tried("domain metadata", share)(_ => domain(chance))(laws.domain)(identity),
      tried("identifiers", share)(_ => odd.identifier())(laws.identifier)(identity),
      tried("tags", share)(_ => tag(chance))(laws.tag)(identity)
    )
  }

  private def tag(chance: Random): String = {
    val odd = new OddJson(chance)
    val blocks = odd.pick(Seq("\"2-7 e\"", "\"0-ffffff\"", "\"\"", "\"7-2\"", odd.value()))
    val text = OddJson.obj("4:name" -> blocks, odd.name() -> odd.value())
    chance.nextInt(3) match {
      case 0 => odd.scrambled(text)
      case 1 => s"""{"numRecords":3,"${CodePointTag.Name}":$text${odd.pick(Seq("}", "", "}}"))}"""
      case _ => text
    }
  }

  private def domain(chance: Random): String = {
    val odd = new OddJson(chance)
    val text = OddJson.obj(
      "writeVersions" -> odd.pick(Seq(
        odd.value(),
        OddJson.obj(
          odd.identifier() -> odd.value(),
          odd.identifier() -> """["78.3",7,"78.3",null]"""
        )
      )),
      odd.name() -> odd.value()
    )
    if (chance.nextInt(3) == 0) odd.scrambled(text) else text
  }

  private def tried[T](kind: String, cases: Int)(make: Int => T)(law: T => Seq[String])(
      text: T => String
  ): DamageRun = {
    val none = DamageRun(kind, 0, 0, 0, Nil)
    (0 until cases).foldLeft(none) { (run, number) =>
      val damaged = make(number)
      val (bytes, started) = (allocated, threads.getCurrentThreadCpuTime)
      val broken =
        try law(damaged)
        catch {
          case error: Throwable => Seq(s"$error at ${error.getStackTrace.take(3).mkString(" ")}")
        }
      val millis = (threads.getCurrentThreadCpuTime - started) / 1000000
      val used = allocated - bytes
      val size = text(damaged).length
      val beyond = Seq(
        Option.when(millis > MostMillis)(s"$millis ms"),
        Option.when(
          used > MostBytes + BytesPerCharacter * size
        )(s"$used bytes for $size characters")
      ).flatten
      val said = (broken ++ beyond).map(law => s"$law: ${shown(text(damaged))}")
      DamageRun(
        kind,
        run.cases + 1,
        run.longestMillis.max(millis),
        run.mostBytes.max(used),
        run.broken ++ said
      )
    }
  }
}

object CorruptJson {

  /** Of the processor and of memory, for one text. */
  private val MostMillis = 10000
  private val MostBytes = 64L << 20
  private val BytesPerCharacter = 400L

  /** What Java gives a thread unless told otherwise, as in executors. */
  private val StackBytes = 1L << 20

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private def allocated: Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)

  private def shown(text: String): String = text.take(600).map { char =>
    if (char < 32 || char > 126) f"\\u${char.toInt}%04x" else char.toString
  }.mkString

  def run(
      cases: Int,
      seed: Long,
      laws: CorruptJsonChecks = new CorruptJsonChecks
  ): Seq[DamageRun] = {
    var found = Seq.empty[DamageRun]
    val thread =
      new Thread(null, () => found = new CorruptJson(seed, laws).run(cases), "damage", StackBytes)
    thread.start()
    thread.join()
    found
  }

  /** The longer run, which `./dev bench trust-damage` starts. */
  def main(arguments: Array[String]): Unit = {
    val cases = arguments.headOption.fold(100000)(_.toInt)
    val seed = arguments.lift(1).fold(System.nanoTime)(_.toLong)
    println(s"damaged texts, seed $seed")
    val runs = run(cases, seed)
    runs.foreach(println)
    val broken = runs.flatMap(_.broken)
    broken.take(20).foreach(println)
    if (broken.nonEmpty || runs.isEmpty) sys.exit(1)
  }
}
