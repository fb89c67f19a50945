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
 * Stores the values that an aggregation shows for its groups, and assigns increasing ids to them.
 *
 * <p>The buffers of Spark's hash aggregation have a fixed width, so they can contain an id but not
 * a string. The values are in memory that Spark accounts for, and spill to disk when Spark needs
 * that memory. The store is released when the task ends.
 *
 * <p>A plan contains an empty store, and every task deserializes its own copy.
 */
public final class SpillableValueStore implements Serializable {

  private static final long serialVersionUID = 1L;

  private transient TaskValues values;

  /** Adds a copy of the bytes and returns their id. */
  public long put(Object base, long offset, int length) {
    if (values == null) values = new TaskValues(TaskContext.get());
    return values.put(base, offset, length);
  }

  /** Returns the bytes with the given id. They never change. */
  public UTF8String get(long id) {
    return values.get(id);
  }

  /** All stores are equal, so that Spark recognizes equal plans and reuses their exchanges. */
  @Override
  public boolean equals(Object other) {
    return other instanceof SpillableValueStore;
  }

  @Override
  public int hashCode() {
    return SpillableValueStore.class.hashCode();
  }

  private static final class TaskValues extends MemoryConsumer {

    private static final int MIN_CHUNK_SIZE = 1 << 14;
    private static final int MAX_CHUNK_SIZE = 1 << 18;
    private static final int UNACCOUNTED_CHUNK_SIZE = 1 << 20;
    private static final int LENGTH_BYTES = Integer.BYTES;

    /** The upper half of an id is the index of a chunk, the lower half the offset in it. */
    private final List<ByteBuffer> chunks = new ArrayList<>();

    /** The chunk to which values are added: the last one, or an empty buffer after a spill. */
    private ByteBuffer current = ByteBuffer.allocate(0);

    /** The number of chunks that are on disk. */
    private int spilledChunks;

    private FileChannel channel;
    private File file;

    private final TaskContext task;

    TaskValues(TaskContext task) {
      super(task.taskMemoryManager(), MemoryMode.ON_HEAP);
      this.task = task;
      task.addTaskCompletionListener((TaskCompletionListener) ended -> close());
    }

    synchronized long put(Object base, long offset, int length) {
      if (current.remaining() < LENGTH_BYTES + length) addChunk(LENGTH_BYTES + length);
      long id = (long) (chunks.size() - 1) << Integer.SIZE | current.position();
      current.putInt(length);
      Platform.copyMemory(base, offset,
          current.array(), Platform.BYTE_ARRAY_OFFSET + current.position(), length);
      current.position(current.position() + length);
      return id;
    }

    synchronized UTF8String get(long id) {
      ByteBuffer chunk = chunks.get((int) (id >>> Integer.SIZE));
      int offset = (int) id;
      int length = chunk.getInt(offset);
      if (chunk.hasArray()) {
        return UTF8String.fromBytes(chunk.array(), offset + LENGTH_BYTES, length);
      }
      byte[] value = new byte[length];
      chunk.get(offset + LENGTH_BYTES, value);
      return UTF8String.fromBytes(value);
    }

    private void addChunk(int required) {
      int usual = Math.min(MAX_CHUNK_SIZE, Math.max(MIN_CHUNK_SIZE, current.capacity() * 2));
      int size = Math.max(usual, required);
      long granted = acquireMemory(size);
      if (granted < size) {
        // All consumers of this task have spilled. Continue with one chunk outside the accounting.
        freeMemory(granted);
        spillChunks();
        size = Math.max(UNACCOUNTED_CHUNK_SIZE, required);
      }
      current = ByteBuffer.allocate(size);
      chunks.add(current);
    }

    @Override
    public synchronized long spill(long size, MemoryConsumer trigger) {
      long freed = getUsed();
      if (freed == 0) return 0;
      spillChunks();
      freeMemory(freed);
      task.taskMetrics().incMemoryBytesSpilled(freed);
      return freed;
    }

    /** Replaces all chunks in memory by read-only mappings of a file. */
    private void spillChunks() {
      try {
        for (; spilledChunks < chunks.size(); spilledChunks++) {
          chunks.set(spilledChunks, writeChunk(chunks.get(spilledChunks)));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      current = ByteBuffer.allocate(0);
    }

    private void openFile() throws IOException {
      file = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock()._2();
      channel = FileChannel.open(file.toPath(), StandardOpenOption.CREATE_NEW,
          StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private ByteBuffer writeChunk(ByteBuffer chunk) throws IOException {
      if (channel == null) openFile();
      long start = channel.size();
      ByteBuffer content = chunk.duplicate().flip();
      int length = content.limit();
      while (content.hasRemaining()) channel.write(content, start + content.position());
      task.taskMetrics().incDiskBytesSpilled(length);
      return channel.map(FileChannel.MapMode.READ_ONLY, start, length);
    }

    private synchronized void close() {
      chunks.clear();
      current = ByteBuffer.allocate(0);
      freeMemory(getUsed());
      if (channel == null) return;
      try {
        channel.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        file.delete();
      }
    }
  }
}
