// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/** In Java, since Spark hides the memory of a task from Scala. */
final class GreedyTask {

  private GreedyTask() {}

  /**
   * Asks for more memory than there is, so that Spark has others of this task give up theirs, and
   * returns how much that was.
   */
  static long takeAll() {
    TaskMemoryManager manager = TaskContext.get().taskMemoryManager();
    MemoryConsumer greedy = new MemoryConsumer(manager, MemoryMode.ON_HEAP) {
      @Override
      public long spill(long size, MemoryConsumer trigger) {
        return 0;
      }
    };
    long before = manager.getMemoryConsumptionForThisTask();
    long taken = greedy.acquireMemory(Long.MAX_VALUE / 4);
    long released = before + taken - manager.getMemoryConsumptionForThisTask();
    greedy.freeMemory(taken);
    return released;
  }
}
