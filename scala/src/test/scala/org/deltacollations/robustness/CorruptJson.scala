// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.robustness

import java.lang.management.ManagementFactory

import scala.util.Random

import org.deltacollations.protocol.CodePointTag

/** The result of checking many corrupt strings of one kind. */
final case class CheckResult(
    kind: String,
    cases: Int,
    maxMillis: Long,
    maxBytes: Long,
    failures: Seq[String]
) {
  override def toString: String =
    f"$kind%-20s $cases%8d cases, max $maxMillis%5d ms, max ${maxBytes >> 20}%4d MB allocated, " +
      s"${failures.size} failures"
}

/**
 * Runs the checks on random corrupt strings, each with a limit of CPU time and memory and with the
 * stack size of Spark's threads.
 */
final class CorruptJson(seed: Long, checks: CorruptJsonChecks = new CorruptJsonChecks) {

  import CorruptJson._

  def run(cases: Int): Seq[CheckResult] = {
    val random = new Random(seed)
    def odd = new OddJson(random)
    val share = (cases / 8).max(1)
    // Initializes classes and caches, so that the first string is not blamed for it.
    new CorruptJsonChecks().stats(CorruptStats(
      CorruptStats.fresh(CorruptJsonChecks.Key),
      mustBeRead = true
    )): Unit
    val huge = if (cases < 500) 0 else (share / 200).max(3).min(10)
    Seq(
      check(
        "statistics",
        share * 3
      )(_ => CorruptStats.next(CorruptJsonChecks.Key, random))(checks.stats)(_.text),
      check(
        "huge statistics",
        huge
      )(CorruptStats.huge(CorruptJsonChecks.Key, _))(checks.stats)(_.text),
      check("schemas", share * 3)(_ => CorruptSchema.next(random))(checks.schema)(identity),
      check("huge schemas", huge)(CorruptSchema.huge)(checks.schema)(identity),
      check("domain metadata", share)(_ => domain(random))(checks.domain)(identity),
      check("identifiers", share)(_ => odd.identifier())(checks.identifier)(identity),
      check("tags", share)(_ => tag(random))(checks.tag)(identity)
    )
  }

  private def tag(random: Random): String = {
    val odd = new OddJson(random)
    val blocks = odd.pick(Seq("\"2-7 e\"", "\"0-ffffff\"", "\"\"", "\"7-2\"", odd.value()))
    val text = OddJson.obj("4:name" -> blocks, odd.name() -> odd.value())
    random.nextInt(3) match {
      case 0 => odd.scrambled(text)
      case 1 => s"""{"numRecords":3,"${CodePointTag.Name}":$text${odd.pick(Seq("}", "", "}}"))}"""
      case _ => text
    }
  }

  private def domain(random: Random): String = {
    val odd = new OddJson(random)
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
    if (random.nextInt(3) == 0) odd.scrambled(text) else text
  }

  private def check[T](
      kind: String,
      cases: Int
  )(generate: Int => T)(findFailures: T => Seq[String])(
      text: T => String
  ): CheckResult = {
    val empty = CheckResult(kind, 0, 0, 0, Nil)
    (0 until cases).foldLeft(empty) { (result, number) =>
      val input = generate(number)
      val (bytes, started) = (allocated, threads.getCurrentThreadCpuTime)
      val failures =
        try findFailures(input)
        catch {
          case error: Throwable => Seq(s"$error at ${error.getStackTrace.take(3).mkString(" ")}")
        }
      val millis = (threads.getCurrentThreadCpuTime - started) / 1000000
      val used = allocated - bytes
      val size = text(input).length
      val exceededLimits = Seq(
        Option.when(millis > MaxMillis)(s"$millis ms"),
        Option.when(
          used > MaxBytes + BytesPerCharacter * size
        )(s"$used bytes for $size characters")
      ).flatten
      val messages = (failures ++ exceededLimits).map(failure =>
        s"$failure: ${printable(text(input))}"
      )
      CheckResult(
        kind,
        result.cases + 1,
        result.maxMillis.max(millis),
        result.maxBytes.max(used),
        result.failures ++ messages
      )
    }
  }
}

object CorruptJson {

  /** Limits of CPU time and memory for one string. */
  private val MaxMillis = 10000
  private val MaxBytes = 64L << 20
  private val BytesPerCharacter = 400L

  /** The default stack size of Java threads, which executors use. */
  private val StackBytes = 1L << 20

  private val threads =
    ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private def allocated: Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)

  private def printable(text: String): String = text.take(600).map { char =>
    if (char < 32 || char > 126) f"\\u${char.toInt}%04x" else char.toString
  }.mkString

  def run(
      cases: Int,
      seed: Long,
      checks: CorruptJsonChecks = new CorruptJsonChecks
  ): Seq[CheckResult] = {
    var results = Seq.empty[CheckResult]
    val thread =
      new Thread(
        null,
        () => results = new CorruptJson(seed, checks).run(cases),
        "corrupt-json",
        StackBytes
      )
    thread.start()
    thread.join()
    results
  }

  /** Runs more cases than the suite; started by `./dev bench`. */
  def main(arguments: Array[String]): Unit = {
    val cases = arguments.headOption.fold(100000)(_.toInt)
    val seed = arguments.lift(1).fold(System.nanoTime)(_.toLong)
    println(s"corrupt JSON, seed $seed")
    val results = run(cases, seed)
    results.foreach(println)
    val failures = results.flatMap(_.failures)
    failures.take(20).foreach(println)
    if (failures.nonEmpty || results.isEmpty) sys.exit(1)
  }
}
