package io.cantle.store.log;

import io.cantle.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An append of a test: its record, and the LSN or the failure that ended it. */
record TestAppend(LogRecord record, CompletableFuture<Long> end) {

  /** Hands a record over. */
  static TestAppend submit(AppendLog log, LogRecord record, long timeoutNanos)
      throws StoreException, InterruptedException {
    TestAppend append = new TestAppend(record, new CompletableFuture<>());
    log.submit(record, timeoutNanos, append.end::complete, append.end::completeExceptionally);
    return append;
  }

  /** Appends a record and waits until it is durable; returns its LSN. */
  static long append(AppendLog log, LogRecord record, long timeoutNanos) throws Exception {
    return submit(log, record, timeoutNanos).end.get(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** The LSN of an append that is durable. */
  long lsn() {
    return end.resultNow();
  }
}
