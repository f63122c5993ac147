package io.cantle.core.replica;

import io.cantle.core.base.Clock;
import io.cantle.core.base.Environment;
import io.cantle.core.memory.HeapGuard;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagingService;
import io.cantle.core.wire.ReplicationMessage.HeapNotice;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the other members when the heap of this node is full, and when it has room again. A full
 * node repeats its notice, since members come and messages get lost, and so does one that has room
 * again, as long as the earlier notice may count.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class HeapExchange {
  /** How often the gauge is read while no entries are written. */
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MessagingService messaging;
  private final TopologyDriver topologyDriver;
  private final Clock clock;
  private final HeapRoom room;
  private final HeapGuard guard;
  private final Runnable listener = this::onChange;
  private final AtomicBoolean toldFull = new AtomicBoolean();
  private volatile long toldNanos;
  private volatile long changedNanos;
  private volatile boolean closed;

  /** Creates an exchange that has not started. */
  public HeapExchange(
      MessagingService messaging,
      TopologyDriver topologyDriver,
      Environment environment,
      HeapRoom room) {
    this.messaging = messaging;
    this.topologyDriver = topologyDriver;
    this.clock = environment.clock();
    this.room = room;
    this.guard = room.guard();
    this.changedNanos = clock.nanoTime() - HeapRoom.NOTICE_NANOS;
  }

  /** Begins to watch the heap, if it has a limit. */
  public void start() {
    if (guard.isLimited()) {
      guard.addListener(listener);
      scheduleNext();
    }
  }

  /** Watches the heap no longer. */
  public void close() {
    closed = true;
    guard.removeListener(listener);
  }

  private void scheduleNext() {
    clock.schedule(INTERVAL_NANOS, this::watch);
  }

  /** Called with the locks of whoever finds out, so the notice is sent by a timer. */
  private void onChange() {
    clock.schedule(0, this::tellMembers);
  }

  private void watch() {
    if (closed) {
      return;
    }
    guard.poll();
    room.retain(topologyDriver.current().members());
    tellMembers();
    scheduleNext();
  }

  private void tellMembers() {
    boolean full = guard.isFull();
    long now = clock.nanoTime();
    boolean isNews = toldFull.compareAndSet(!full, full);
    changedNanos = isNews ? now : changedNanos;
    boolean mayBeMissed = full || now - changedNanos < HeapRoom.NOTICE_NANOS;
    if (closed || !(isNews || (mayBeMissed && now - toldNanos > REPEAT_NANOS))) {
      return;
    }
    toldNanos = now;
    HeapNotice notice = new HeapNotice(full, guard.usedBytes(), guard.limitBytes());
    for (Member member : topologyDriver.current().members()) {
      if (!member.equals(messaging.self())) {
        messaging.post(member, notice);
      }
    }
  }

  /** Handles the notice of another member. */
  public void onNotice(Member from, HeapNotice notice) {
    room.onNotice(from, notice);
  }
}
