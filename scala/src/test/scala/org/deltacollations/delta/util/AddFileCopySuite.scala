// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.delta.util

import java.lang.reflect.InvocationTargetException
import java.nio.file.Path

import org.deltacollations.delta.IsolatedDelta
import org.scalatest.funsuite.AnyFunSuite

/** Tests `AddFileCopy` with every Delta jar of the build, since their `AddFile` classes differ. */
class AddFileCopySuite extends AnyFunSuite {

  private val full =
    """{"add":{"path":"a%20b","partitionValues":{"p":null},"size":1,"modificationTime":2,""" +
      """"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"k":"v"},"deletionVector":""" +
      """{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,""" +
      """"sizeInBytes":40,"cardinality":6},"baseRowId":3,"defaultRowCommitVersion":4,""" +
      """"clusteringProvider":"liquid"}}"""

  private val nullTags =
    """{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,""" +
      """"dataChange":true,"tags":null}}"""

  for {
    deltaJar <- System.getProperty("deltaCollations.test.deltaJars").split(',').toSeq
    version = Path.of(deltaJar).getFileName.toString.stripSuffix(".jar")
  } {
    lazy val delta = new Delta(new IsolatedDelta(Path.of(deltaJar), together = true))

    test(s"a copy without changes equals the file, with $version") {
      for (json <- Seq(full, nullTags)) {
        val file = delta.addFile(json)
        assert(delta.copy(file) === file)
      }
    }

    for {
      (file, json) <- Seq("a file with all fields" -> full, "a file with null tags" -> nullTags)
      (field, value) <- Seq(
        "stats" -> """{"é":2}""",
        "stats" -> null,
        "tags" -> Map("a" -> "b"),
        "tags" -> null,
        "dataChange" -> false,
        "dataChange" -> true
      )
    } test(s"$field -> $value changes only that field of $file, with $version") {
      val before = delta.addFile(json)
      val after = delta.copy(before, field -> value)
      assert(fields(after) === fields(before).updated(field, value))
    }

    test(s"several fields change together, with $version") {
      val before = delta.addFile(nullTags)
      val changes = Seq("stats" -> "{}", "tags" -> Map("a" -> "b"), "dataChange" -> false)
      assert(fields(delta.copy(before, changes: _*)) === fields(before) ++ changes)
    }

    test(s"a copy has the JSON of the file with the new values, with $version") {
      val after = delta.copy(delta.addFile(nullTags), "stats" -> "{}", "dataChange" -> false)
      assert(
        delta.json(after) ===
          """{"add":{"path":"a","partitionValues":{},"size":1,""" +
          """"modificationTime":2,"dataChange":false,"stats":"{}"}}"""
      )
    }

    test(s"an unknown field is rejected, with $version") {
      val file = delta.addFile(full)
      val failure = intercept[IllegalArgumentException](delta.copy(file, "statistics" -> "{}"))
      assert(failure.getMessage.contains("AddFile has no field statistics"))
    }
  }

  private def fields(file: Product): Map[String, Any] =
    file.productElementNames.zip(file.productIterator).toMap

  /** Calls Delta and `AddFileCopy` in the class loader of `isolated`. */
  final private class Delta(isolated: IsolatedDelta) {

    private def call(module: String, method: String, arguments: Any*): AnyRef = {
      val moduleClass = isolated.load(module)
      val target = moduleClass.getField("MODULE$").get(null)
      val values = arguments.map(_.asInstanceOf[AnyRef])
      try moduleClass.getMethods.find(_.getName == method).get.invoke(target, values: _*)
      catch { case thrown: InvocationTargetException => throw thrown.getCause }
    }

    def addFile(json: String): Product =
      call("org.apache.spark.sql.delta.actions.Action$", "fromJson", json).asInstanceOf[Product]

    def json(file: Product): String = file.getClass.getMethod("json").invoke(file).toString

    def copy(file: Product, changes: (String, Any)*): Product =
      call("org.deltacollations.delta.util.AddFileCopy$", "apply", file, changes)
        .asInstanceOf[Product]
  }
}
