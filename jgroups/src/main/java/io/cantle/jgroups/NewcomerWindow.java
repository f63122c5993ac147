package io.cantle.jgroups;

import java.util.concurrent.TimeUnit;
import org.jgroups.Message;
import org.jgroups.util.Table;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a newcomer that wait for an earlier one, and which others are accepted: at most
 * {@link #MAX_WAITING} short messages wait, and no fragment is accepted.
 *
 * <p>A fragment that has held up the messages behind it for {@link #MAX_HELD_UP_NANOS} is passed
 * over. So are the fragments that follow it, until none has arrived for as long.
 *
 * <p><b>Threading:</b> any thread.
 */
final class NewcomerWindow {
  static final int MAX_WAITING = 16;
  static final int MAX_WAITING_BYTES = 4 << 10;

  /** How far ahead a number may be; JGroups allocates a row for each 1,024 numbers. */
  static final int MAX_AHEAD = 8 << 10;

  static final long MAX_HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Table<Message> messages;
  private volatile @Nullable BlockingFragment blockingFragment;

  /**
   * Fragments that hold up the messages behind them.
   *
   * @param number the number of the last one
   * @param sinceNanos when the first one first arrived
   * @param lastNanos when the last one last arrived
   */
  private record BlockingFragment(long number, long sinceNanos, long lastNanos) {
    BlockingFragment withFragment(long next, long nowNanos) {
      boolean isOver = next != number && nowNanos - lastNanos >= MAX_HELD_UP_NANOS;
      return new BlockingFragment(next, isOver ? nowNanos : sinceNanos, nowNanos);
    }
  }

  NewcomerWindow(Table<Message> messages) {
    this.messages = messages;
  }

  /** The table of JGroups with the messages that wait. */
  Table<Message> messages() {
    return messages;
  }

  /** The number of the message that is to be delivered next. */
  long next() {
    return messages.getHighestDelivered() + 1;
  }

  boolean accepts(long number, Message message) {
    long next = next();
    return !isFragment(message)
        && (number <= next
            || (number - next < MAX_AHEAD
                && (message.isFlagSet(Message.Flag.OOB) || mayWait(message))));
  }

  private static boolean isFragment(Message message) {
    return message.getHeader(HeaderReader.FRAGMENTS) != null;
  }

  /** A message out of band is delivered at once; any other waits for those before it. */
  private boolean mayWait(Message message) {
    return messages.size() < MAX_WAITING && message.size() <= MAX_WAITING_BYTES;
  }

  /** Whether a message, a fragment that arrives now, has held up those behind it too long. */
  boolean isHeldUpBy(long number, Message message, long nowNanos) {
    if (number != next() || !isFragment(message)) {
      return false;
    }
    BlockingFragment before = blockingFragment;
    BlockingFragment next =
        before == null
            ? new BlockingFragment(number, nowNanos, nowNanos)
            : before.withFragment(number, nowNanos);
    blockingFragment = next;
    return nowNanos - next.sinceNanos >= MAX_HELD_UP_NANOS;
  }
}
