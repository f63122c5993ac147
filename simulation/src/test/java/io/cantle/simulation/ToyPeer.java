package io.cantle.simulation;

import io.cantle.IndeterminateException;
import io.cantle.TimeoutException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A system small enough to be right by inspection: all data is on one disk that never fails, and
 * the oldest member alone works on it for the others, who ask again until they are answered. With a
 * bug planted, it shows whether the simulation notices.
 */
final class ToyPeer implements Peer {
  private static final long RETRY_NANOS = 150_000_000L;
  private static final List<Operation.Kind> KINDS = List.of(Operation.Kind.values());
  private static final int PAGE = 5;
  private static final int REQUEST = 0;
  private static final int ANSWER = 1;
  private static final int PAGE_REQUEST = 20;
  private static final int COUNT_REQUEST = 21;

  /** What is wrong with it. */
  enum Bug {
    NONE,
    /** A command that is asked for again is done again. */
    FORGETS_COMMANDS,
    /** One write in a hundred is acknowledged and not done. */
    LOSES_WRITES,
    /** A server answers reads from what it read a while ago. */
    STALE_READS,
    /** A scan whose page does not come starts anew and delivers again. */
    SCAN_STARTS_ANEW,
    /** A scan skips an entry at a page's end now and then. */
    SCAN_SKIPS,
    /** A write that is not answered in time is reported as not done. */
    CALLS_OPEN_WRITES_FAILED,
    /** The retry sends the array that was given away. */
    REUSES_OUTPUT,
    /** It waits for an answer without a time limit. */
    WAITS_FOR_EVER,
    /** What it does depends on the machine's clock. */
    READS_REAL_TIME,
    /** It waits on the machine's clock. */
    SLEEPS
  }

  /** What outlives every node: the entries and the answers to commands. */
  static final class Disk {
    private final TreeMap<Integer, Long> entries = new TreeMap<>();
    private final Map<Long, Long> answers = new HashMap<>();
  }

  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private @Nullable Input answer;
  }

  private final Bug bug;
  private final Disk disk;
  private final Host host;
  private final Transport transport;
  private final long timeoutNanos;
  private final Map<Long, Waiter> waiters = new HashMap<>();
  private final Map<Integer, Long> cached = new HashMap<>();
  private List<Member> members = List.of();
  private int served;

  ToyPeer(Bug bug, Disk disk, Scenario scenario, Host host, Transport transport) {
    this.bug = bug;
    this.disk = disk;
    this.host = host;
    this.transport = transport;
    this.timeoutNanos = scenario.timeout().toNanos();
  }

  /** Makes the nodes of one seed. */
  static Peer.Starter starter(Bug bug) {
    Disk disk = new Disk();
    return (scenario, host, transport) -> new ToyPeer(bug, disk, scenario, host, transport);
  }

  @Override
  public void start() {
    transport.start(
        new Transport.Receiver() {
          @Override
          public void receive(Member from, Input message) {
            received(from, message);
          }

          @Override
          public void members(List<Member> present) {
            members = present;
          }
        });
    while (members.isEmpty()) {
      host.clock().parkNanos(this, 1_000_000);
    }
    if (bug == Bug.READS_REAL_TIME && System.nanoTime() % 2 == 0) {
      host.clock().parkNanos(this, 1_000_000);
    }
  }

  private void received(Member from, Input message) {
    int type = message.readByte();
    long id = message.readLong();
    if (type == ANSWER) {
      Waiter waiter = waiters.get(id);
      if (waiter != null) {
        waiter.answer = message;
        LockSupport.unpark(waiter.thread);
      }
    } else if (oldest()) {
      Output answer = new Output(64);
      answer.writeByte(ANSWER);
      answer.writeLong(id);
      serve(id, message, answer);
      transport.send(from, answer);
    }
  }

  private boolean oldest() {
    return !members.isEmpty() && members.getFirst().equals(transport.self());
  }

  private void serve(long id, Input request, Output answer) {
    int kind = request.readByte();
    if (kind == PAGE_REQUEST) {
      var rest = disk.entries.tailMap(request.readInt(), false).entrySet();
      answer.writeByte(Math.min(PAGE, rest.size()));
      rest.stream()
          .limit(PAGE)
          .forEach(
              entry -> {
                answer.writeInt(entry.getKey());
                answer.writeLong(entry.getValue());
              });
    } else if (kind == COUNT_REQUEST) {
      answer.writeLong(disk.entries.size());
    } else {
      Operation operation =
          new Operation(KINDS.get(kind), request.readInt(), request.readLong(), request.readLong());
      answer.writeLong(apply(id, operation));
    }
  }

  private long apply(long id, Operation operation) {
    Long before = bug == Bug.FORGETS_COMMANDS ? null : disk.answers.get(id);
    if (before != null) {
      return before;
    }
    long state = disk.entries.getOrDefault(operation.key(), Operation.ABSENT);
    if (bug == Bug.STALE_READS && operation.readOnly()) {
      state = cached.getOrDefault(operation.key(), state);
    } else if (++served % 40 == 0) {
      cached.put(operation.key(), state);
    }
    long next = operation.next(state);
    boolean lost = bug == Bug.LOSES_WRITES && served % 100 == 0;
    if (!operation.readOnly() && !lost) {
      if (next == Operation.ABSENT) {
        disk.entries.remove(operation.key());
      } else {
        disk.entries.put(operation.key(), next);
      }
    }
    disk.answers.put(id, operation.result(state));
    return operation.result(state);
  }

  /** Asks the oldest member until it answers; null if it never did. */
  private @Nullable Input ask(Output request, long id, long limitNanos) {
    long deadline = host.clock().nanoTime() + limitNanos;
    if (oldest()) {
      return own(request.toInput(), id);
    }
    Waiter waiter = new Waiter();
    waiters.put(id, waiter);
    byte[] bytes = request.toByteArray();
    while (waiter.answer == null && host.clock().nanoTime() - deadline < 0) {
      Output copy = request;
      if (bug != Bug.REUSES_OUTPUT) {
        copy = new Output(bytes.length);
        copy.write(bytes);
      }
      if (oldest()) {
        waiters.remove(id);
        return own(copy.toInput(), id);
      }
      transport.send(members.getFirst(), copy);
      long retry = host.clock().nanoTime() + RETRY_NANOS;
      while (waiter.answer == null && host.clock().nanoTime() - retry < 0) {
        if (bug == Bug.WAITS_FOR_EVER) {
          LockSupport.park(this);
        } else if (bug == Bug.SLEEPS) {
          LockSupport.parkNanos(this, 1_000_000);
        } else {
          host.clock().parkNanos(this, RETRY_NANOS);
        }
      }
    }
    waiters.remove(id);
    return waiter.answer;
  }

  /** Answers its own request. */
  private Input own(Input request, long id) {
    Output answer = new Output(64);
    request.skip(1 + Long.BYTES);
    serve(id, request, answer);
    return answer.toInput();
  }

  private Output request(long id, int kind) {
    Output request = new Output(64);
    request.writeByte(REQUEST);
    request.writeLong(id);
    request.writeByte(kind);
    return request;
  }

  @Override
  public long call(Operation operation) {
    long id = host.random().nextLong();
    Output request = request(id, KINDS.indexOf(operation.kind()));
    request.writeInt(operation.key());
    request.writeLong(operation.expected());
    request.writeLong(operation.value());
    boolean hasty = bug == Bug.CALLS_OPEN_WRITES_FAILED;
    Input answer = ask(request, id, hasty ? 2 * RETRY_NANOS : timeoutNanos);
    if (answer != null) {
      return answer.readLong();
    }
    if (operation.readOnly() || bug == Bug.CALLS_OPEN_WRITES_FAILED) {
      throw new TimeoutException("no answer to " + operation);
    }
    throw new IndeterminateException("no answer to " + operation);
  }

  @Override
  public void putAll(Map<Integer, Long> values) {
    new TreeMap<>(values).forEach((key, value) -> call(Operation.put(key, value)));
  }

  @Override
  public void walk(Scan scan, int most) {
    int after = -1;
    while (true) {
      long id = host.random().nextLong();
      Output request = request(id, PAGE_REQUEST);
      request.writeInt(after);
      Input page = ask(request, id, bug == Bug.SCAN_STARTS_ANEW ? RETRY_NANOS : timeoutNanos);
      if (page == null && bug == Bug.SCAN_STARTS_ANEW) {
        after = -1;
        continue;
      }
      if (page == null) {
        throw new TimeoutException("no page after " + after);
      }
      List<Runnable> deliveries = new ArrayList<>();
      int size = page.readByte();
      for (int i = 0; i < size; i++) {
        int key = page.readInt();
        long value = page.readLong();
        after = key;
        if (bug != Bug.SCAN_SKIPS || i < PAGE - 1 || key % 7 != 3) {
          deliveries.add(() -> scan.deliver(key, value));
        }
      }
      deliveries.forEach(Runnable::run);
      if (size < PAGE) {
        scan.complete();
        return;
      }
      if (scan.deliveries().size() >= most) {
        return;
      }
    }
  }

  @Override
  public long count() {
    return size();
  }

  @Override
  public long size() {
    long id = host.random().nextLong();
    Input answer = ask(request(id, COUNT_REQUEST), id, timeoutNanos);
    if (answer == null) {
      throw new TimeoutException("no count");
    }
    return answer.readLong();
  }

  @Override
  public boolean settled(List<String> present) {
    return true;
  }

  @Override
  public void close() {
    transport.close();
  }
}
