package io.cantle.simulation;

import io.cantle.CallTimeoutException;
import io.cantle.IndeterminateException;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A system small enough to be right by inspection. All data is on one disk that never fails. Only
 * the oldest member works on it, for the others, which repeat each request until it is answered.
 * With a planted bug, it shows whether the simulation detects the bug.
 */
final class ToyPeer implements NodeUnderTest {
  private static final long RETRY_NANOS = 150_000_000L;
  private static final List<MapOperation.Kind> KINDS = List.of(MapOperation.Kind.values());
  private static final int PAGE = 5;
  private static final int REQUEST = 0;
  private static final int ANSWER = 1;
  private static final int PAGE_REQUEST = 20;
  private static final int COUNT_REQUEST = 21;

  /** The bug that is planted in it. */
  enum Bug {
    NONE,
    /** A repeated command is executed again. */
    FORGETS_COMMANDS,
    /** One write in a hundred is acknowledged and not done. */
    LOSES_WRITES,
    /** A server answers reads from what it read a while ago. */
    STALE_READS,
    /** A scan whose page does not arrive starts anew and delivers again. */
    SCAN_STARTS_ANEW,
    /** A scan now and then skips an entry at the end of a page. */
    SCAN_SKIPS,
    /** A write that is not answered in time is reported as not done. */
    CALLS_OPEN_WRITES_FAILED,
    /** The retry sends an array that was already handed over. */
    REUSES_OUTPUT,
    /** It waits for an answer without a time limit. */
    WAITS_FOR_EVER,
    /** Its behaviour depends on the machine's clock. */
    READS_REAL_TIME,
    /** It waits on the machine's clock. */
    SLEEPS
  }

  /** What survives every node: the entries and the answers to commands. */
  static final class Disk {
    private final TreeMap<Integer, Long> entries = new TreeMap<>();
    private final Map<Long, Long> answers = new HashMap<>();
  }

  private static final class Waiter {
    private final Thread thread = Thread.currentThread();
    private @Nullable Input answer;
  }

  private final Bug bug;
  private final Disk sharedDisk;
  private final SimulatedHost host;
  private final Transport transport;
  private final long timeoutNanos;
  private final Map<Long, Waiter> waiters = new HashMap<>();
  private final Map<Integer, Long> cached = new HashMap<>();
  private List<Member> members = List.of();
  private int served;

  ToyPeer(
      Bug bug, Disk sharedDisk, SeedScenario scenario, SimulatedHost host, Transport transport) {
    this.bug = bug;
    this.sharedDisk = sharedDisk;
    this.host = host;
    this.transport = transport;
    this.timeoutNanos = scenario.timeout().toNanos();
  }

  /** Returns the starter for the nodes of one seed. */
  static NodeUnderTest.NodeStarter starter(Bug bug) {
    Disk disk = new Disk();
    return (scenario, host, transport) -> new ToyPeer(bug, disk, scenario, host, transport);
  }

  @Override
  public void start() {
    transport.start(
        new Transport.Receiver() {
          @Override
          public void receive(Member from, Input message) {
            onMessage(from, message);
          }

          @Override
          public void onMembersChanged(List<Member> present) {
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

  private void onMessage(Member from, Input message) {
    int type = message.readByte();
    long id = message.readLong();
    if (type == ANSWER) {
      Waiter waiter = waiters.get(id);
      if (waiter != null) {
        waiter.answer = message;
        LockSupport.unpark(waiter.thread);
      }
    } else if (isOldest()) {
      Output answer = new Output(64);
      answer.writeByte(ANSWER);
      answer.writeLong(id);
      serveRequest(id, message, answer);
      transport.send(from, answer);
    }
  }

  private boolean isOldest() {
    return !members.isEmpty() && members.getFirst().equals(transport.self());
  }

  private void serveRequest(long id, Input request, Output answer) {
    int kind = request.readByte();
    if (kind == PAGE_REQUEST) {
      var rest = sharedDisk.entries.tailMap(request.readInt(), false).entrySet();
      answer.writeByte(Math.min(PAGE, rest.size()));
      rest.stream()
          .limit(PAGE)
          .forEach(
              entry -> {
                answer.writeInt(entry.getKey());
                answer.writeLong(entry.getValue());
              });
    } else if (kind == COUNT_REQUEST) {
      answer.writeLong(sharedDisk.entries.size());
    } else {
      MapOperation operation =
          new MapOperation(
              KINDS.get(kind), request.readInt(), request.readLong(), request.readLong());
      answer.writeLong(applyOperation(id, operation));
    }
  }

  private long applyOperation(long id, MapOperation operation) {
    Long before = bug == Bug.FORGETS_COMMANDS ? null : sharedDisk.answers.get(id);
    if (before != null) {
      return before;
    }
    long state = sharedDisk.entries.getOrDefault(operation.key(), MapOperation.ABSENT);
    if (bug == Bug.STALE_READS && operation.isReadOnly()) {
      state = cached.getOrDefault(operation.key(), state);
    } else if (++served % 40 == 0) {
      cached.put(operation.key(), state);
    }
    long next = operation.nextState(state);
    boolean lost = bug == Bug.LOSES_WRITES && served % 100 == 0;
    if (!operation.isReadOnly() && !lost) {
      if (next == MapOperation.ABSENT) {
        sharedDisk.entries.remove(operation.key());
      } else {
        sharedDisk.entries.put(operation.key(), next);
      }
    }
    sharedDisk.answers.put(id, operation.resultIn(state));
    return operation.resultIn(state);
  }

  /** Repeats a request to the oldest member until it is answered; null if it never was. */
  private @Nullable Input sendRequest(Output request, long id, long limitNanos) {
    long deadline = host.clock().nanoTime() + limitNanos;
    if (isOldest()) {
      return serveLocally(request.toInput(), id);
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
      if (isOldest()) {
        waiters.remove(id);
        return serveLocally(copy.toInput(), id);
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
  private Input serveLocally(Input request, long id) {
    Output answer = new Output(64);
    request.skip(1 + Long.BYTES);
    serveRequest(id, request, answer);
    return answer.toInput();
  }

  private Output newRequest(long id, int kind) {
    Output request = new Output(64);
    request.writeByte(REQUEST);
    request.writeLong(id);
    request.writeByte(kind);
    return request;
  }

  @Override
  public long call(MapOperation operation) {
    long id = host.random().nextLong();
    Output request = newRequest(id, KINDS.indexOf(operation.kind()));
    request.writeInt(operation.key());
    request.writeLong(operation.expected());
    request.writeLong(operation.value());
    boolean hasty = bug == Bug.CALLS_OPEN_WRITES_FAILED;
    Input answer = sendRequest(request, id, hasty ? 2 * RETRY_NANOS : timeoutNanos);
    if (answer != null) {
      return answer.readLong();
    }
    if (operation.isReadOnly() || bug == Bug.CALLS_OPEN_WRITES_FAILED) {
      throw new CallTimeoutException("no answer to " + operation);
    }
    throw new IndeterminateException("no answer to " + operation);
  }

  @Override
  public void putAll(Map<Integer, Long> values) {
    new TreeMap<>(values).forEach((key, value) -> call(MapOperation.put(key, value)));
  }

  @Override
  public void removeAll(Set<Integer> keys) {
    new TreeSet<>(keys).forEach(key -> call(MapOperation.remove(key)));
  }

  @Override
  public void scan(RecordedScan scan, int most) {
    int after = -1;
    while (true) {
      long id = host.random().nextLong();
      Output request = newRequest(id, PAGE_REQUEST);
      request.writeInt(after);
      Input page =
          sendRequest(request, id, bug == Bug.SCAN_STARTS_ANEW ? RETRY_NANOS : timeoutNanos);
      if (page == null && bug == Bug.SCAN_STARTS_ANEW) {
        after = -1;
        continue;
      }
      if (page == null) {
        throw new CallTimeoutException("no page after " + after);
      }
      List<Runnable> deliveries = new ArrayList<>();
      int size = page.readByte();
      for (int i = 0; i < size; i++) {
        int key = page.readInt();
        long value = page.readLong();
        after = key;
        if (bug != Bug.SCAN_SKIPS || i < PAGE - 1 || key % 7 != 3) {
          deliveries.add(() -> scan.recordDelivery(key, value));
        }
      }
      deliveries.forEach(Runnable::run);
      if (size < PAGE) {
        scan.markComplete();
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
    Input answer = sendRequest(newRequest(id, COUNT_REQUEST), id, timeoutNanos);
    if (answer == null) {
      throw new CallTimeoutException("no count");
    }
    return answer.readLong();
  }

  @Override
  public boolean isSettled(List<String> present) {
    return true;
  }

  @Override
  public void close() {
    transport.close();
  }
}
