// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.optimizer.speed;

import java.io.File;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;

import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The values that an aggregation has to remember for its groups, each known by a number that counts
 * up.
 *
 * <p>Spark's hash aggregation keeps buffers of a fixed width, so a string has no room in them; a
 * number has. The values lie in memory that Spark accounts for, and go to disk when it asks for it
 * back. All that a task has remembered is given up when the task ends.
 *
 * <p>One of these travels with a plan, empty, and every task has its own copy.
 */
public final class SpillableValueStore implements Serializable {

  private static final long serialVersionUID = 1L;

  private transient Store store;

  /** Keeps a copy of these bytes, and returns the number to get them back by. */
  public long put(Object base, long offset, int length) {
    if (store == null) store = new Store(TaskContext.get());
    return store.add(base, offset, length);
  }

  /** The bytes that were remembered under this number. They stay as they are. */
  public UTF8String get(long number) {
    return store.get(number);
  }

  /** As part of a plan one is like the other, so that Spark can tell that two plans do the same. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SpillableValueStore;
  }

  @Override
  public int hashCode() {
    return SpillableValueStore.class.hashCode();
  }

  private static final class Store extends MemoryConsumer {

    private static final int FIRST_CHUNK = 1 << 14;
    private static final int LARGEST_CHUNK = 1 << 18;
    private static final int SPARE_CHUNK = 1 << 20;
    private static final int LENGTH = Integer.BYTES;

    /** By the upper half of a number; the lower half is the place in the chunk. */
    private final List<ByteBuffer> chunks = new ArrayList<>();

    /** The chunk that has room left, which is the last one; none after all went to disk. */
    private ByteBuffer open = ByteBuffer.allocate(0);

    /** Of the chunks, so many are on disk. */
    private int spilled;

    private FileChannel disk;
    private File file;

    private final TaskContext task;

    Store(TaskContext task) {
      super(task.taskMemoryManager(), MemoryMode.ON_HEAP);
      this.task = task;
      task.addTaskCompletionListener((TaskCompletionListener) ended -> close());
    }

    synchronized long add(Object base, long offset, int length) {
      if (open.remaining() < LENGTH + length) openChunk(LENGTH + length);
      long number = (long) (chunks.size() - 1) << Integer.SIZE | open.position();
      open.putInt(length);
      Platform.copyMemory(base, offset,
          open.array(), Platform.BYTE_ARRAY_OFFSET + open.position(), length);
      open.position(open.position() + length);
      return number;
    }

    synchronized UTF8String get(long number) {
      ByteBuffer chunk = chunks.get((int) (number >>> Integer.SIZE));
      int at = (int) number;
      int length = chunk.getInt(at);
      if (chunk.hasArray()) return UTF8String.fromBytes(chunk.array(), at + LENGTH, length);
      byte[] value = new byte[length];
      chunk.get(at + LENGTH, value);
      return UTF8String.fromBytes(value);
    }

    private void openChunk(int needed) {
      int usual = Math.min(LARGEST_CHUNK, Math.max(FIRST_CHUNK, open.capacity() * 2));
      int size = Math.max(usual, needed);
      long granted = acquireMemory(size);
      if (granted < size) {
        // Spark has asked everyone by now. One chunk it does not know of is enough to go on with.
        freeMemory(granted);
        writeAll();
        size = Math.max(SPARE_CHUNK, needed);
      }
      open = ByteBuffer.allocate(size);
      chunks.add(open);
    }

    @Override
    public synchronized long spill(long size, MemoryConsumer trigger) {
      long freed = getUsed();
      if (freed == 0) return 0;
      writeAll();
      freeMemory(freed);
      task.taskMetrics().incMemoryBytesSpilled(freed);
      return freed;
    }

    /** Puts all chunks on disk, where they can be read but not added to. */
    private void writeAll() {
      try {
        for (; spilled < chunks.size(); spilled++) {
          chunks.set(spilled, onDisk(chunks.get(spilled)));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      open = ByteBuffer.allocate(0);
    }

    private void openDisk() throws IOException {
      file = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
      disk = FileChannel.open(file.toPath(), StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private ByteBuffer onDisk(ByteBuffer chunk) throws IOException {
      if (disk == null) openDisk();
      long start = disk.size();
      ByteBuffer filled = chunk.duplicate().flip();
      int length = filled.limit();
      while (filled.hasRemaining()) disk.write(filled, start + filled.position());
      task.taskMetrics().incDiskBytesSpilled(length);
      return disk.map(FileChannel.MapMode.READ_ONLY, start, length);
    }

    private synchronized void close() {
      chunks.clear();
      open = ByteBuffer.allocate(0);
      freeMemory(getUsed());
      if (disk == null) return;
      try {
        disk.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        file.delete();
      }
    }
  }
}
