// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed

import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.{SparkConf, SparkContext}

import org.deltacollations.optimizer.speed.SpillableValueStoreSuite.{get, put}
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/** Uses the store in tasks that Spark runs. */
class SpillableValueStoreSuite extends AnyFunSuite with BeforeAndAfterAll {

  private lazy val spark = new SparkContext(
    new SparkConf().setMaster("local[2]").setAppName("values").set("spark.ui.enabled", "false")
  )

  override protected def afterAll(): Unit = spark.stop()

  private def inTask[A: scala.reflect.ClassTag](body: SpillableValueStore => A): A = {
    val store = new SpillableValueStore
    spark.parallelize(Seq(0), 1).map(_ => body(store)).collect().head
  }

  test("get returns the value of an id, also if it is empty or long") {
    val values = Seq("", "a", "é" * 10, "x" * (5 << 20), "", "last")
    assert(inTask(store => values.map(put(store, _)).map(get(store, _))) === values)
  }

  test("ids increase") {
    val ids = inTask(store => (0 to 9999).map(n => put(store, s"value $n")))
    assert(ids === ids.sorted)
    assert(ids.distinct.size === ids.size)
  }

  test("the store releases memory that others need, and returns all values after that") {
    val (released, values) = inTask { store =>
      val early = (0 until 50000).map(n => put(store, s"early $n"))
      val released = GreedyTask.acquireAll()
      val late = (0 until 50000).map(n => put(store, s"late $n"))
      (released, (early ++ late).map(get(store, _)))
    }
    assert(released > 500000)
    assert(values === (0 until 50000).map(n => s"early $n") ++ (0 until 50000).map(n => s"late $n"))
  }

  test("every task starts with an empty store") {
    val store = new SpillableValueStore
    val ids = spark.parallelize(0 to 3, 4).map(task => put(store, s"task $task")).collect()
    assert(ids.distinct === Array(0L))
  }
}

object SpillableValueStoreSuite {

  private def put(store: SpillableValueStore, value: String): Long = {
    val string = UTF8String.fromString(value)
    store.put(string.getBaseObject, string.getBaseOffset, string.numBytes)
  }

  private def get(store: SpillableValueStore, id: Long): String = store.get(id).toString
}
