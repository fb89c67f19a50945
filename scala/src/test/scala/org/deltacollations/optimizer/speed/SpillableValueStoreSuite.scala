// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.{SparkConf, SparkContext}

import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** What a task remembers of its groups, in tasks that Spark runs. */
class SpillableValueStoreSuite extends AnyFunSuite with BeforeAndAfterAll {

  private lazy val spark = new SparkContext(
    new SparkConf().setMaster("local[2]").setAppName("seen").set("spark.ui.enabled", "false")
  )

  override protected def afterAll(): Unit = spark.stop()

  private def inTask[A: scala.reflect.ClassTag](body: SpillableValueStore => A): A = {
    val seen = new SpillableValueStore
    spark.parallelize(Seq(0), 1).map(_ => body(seen)).collect().head
  }

  test("values are recalled by their numbers, empty and long ones too") {
    val values = Seq("", "a", "é" * 10, "x" * (5 << 20), "", "last")
    assert(inTask(seen =>
      values.map(SpillableValueStoreSuite.put(seen, _)).map(SpillableValueStoreSuite.get(
        seen,
        _
      ))
    ) === values)
  }

  test("numbers count up") {
    val numbers =
      inTask(seen => (0 to 9999).map(n => SpillableValueStoreSuite.put(seen, s"value $n")))
    assert(numbers === numbers.sorted)
    assert(numbers.distinct.size === numbers.size)
  }

  test("memory that others need is given back, and every value can still be recalled") {
    val (released, values) = inTask { seen =>
      val early = (0 until 50000).map(n => SpillableValueStoreSuite.put(seen, s"early $n"))
      val released = GreedyTask.takeAll()
      val late = (0 until 50000).map(n => SpillableValueStoreSuite.put(seen, s"late $n"))
      (released, (early ++ late).map(SpillableValueStoreSuite.get(seen, _)))
    }
    assert(released > 500000)
    assert(values === (0 until 50000).map(n => s"early $n") ++ (0 until 50000).map(n => s"late $n"))
  }

  test("a task has seen nothing of what another has") {
    val seen = new SpillableValueStore
    val numbers = spark.parallelize(0 to 3, 4)
      .map(task => SpillableValueStoreSuite.put(seen, s"task $task")).collect()
    assert(numbers.distinct === Array(0L))
  }
}

object SpillableValueStoreSuite {

  private def put(seen: SpillableValueStore, value: String): Long = {
    val text = UTF8String.fromString(value)
    seen.put(text.getBaseObject, text.getBaseOffset, text.numBytes)
  }

  private def get(seen: SpillableValueStore, number: Long): String =
    seen.get(number).toString
}
