// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed;

import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;

/** Written in Java, because {@code TaskContext.taskMemoryManager} is not accessible from Scala. */
final class GreedyTask {

  private GreedyTask() {}

  /**
   * Acquires more memory than there is, so that Spark makes the other consumers of this task spill.
   * Returns the number of bytes that they have released.
   */
  static long acquireAll() {
    TaskMemoryManager manager = TaskContext.get().taskMemoryManager();
    MemoryConsumer greedy = new MemoryConsumer(manager, MemoryMode.ON_HEAP) {
      @Override
      public long spill(long size, MemoryConsumer trigger) {
        return 0;
      }
    };
    long before = manager.getMemoryConsumptionForThisTask();
    long acquired = greedy.acquireMemory(Long.MAX_VALUE / 4);
    long released = before + acquired - manager.getMemoryConsumptionForThisTask();
    greedy.freeMemory(acquired);
    return released;
  }
}
