package io.cantle.store.log;

import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A record on its way into the log, which is its own node in the queue.
 *
 * <p><b>Threading:</b> immutable but for the fields of the queue, which the log owns.
 */
final class PendingAppend {
  final LogRecord record;
  final int checksum;
  final int byteCount;
  final LongConsumer onDurable;
  final Consumer<Throwable> onFailure;

  /** The next one in the queue. */
  @Nullable PendingAppend nextInQueue;

  /** How many appends are in the queue up to this one. */
  int queueDepth;

  PendingAppend(
      LogRecord record, int byteCount, LongConsumer onDurable, Consumer<Throwable> onFailure) {
    this.record = record;
    this.byteCount = byteCount;
    this.onDurable = onDurable;
    this.onFailure = onFailure;
    CRC32C crc = new CRC32C();
    crc.update(record.key());
    crc.update(record.metadata());
    crc.update(record.value());
    checksum = (int) crc.getValue();
  }
}
