package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.SegmentLostException;
import io.cantle.WhenCut;
import io.cantle.core.agreement.LeaseFixture;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.call.ClosedNodeGuard;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.SegmentOwnership;
import io.cantle.core.ownership.Topology;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.ownership.TopologyFixture;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessagingService;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests what callers do while no node answers and the topology changes, step by step, driven by
 * hand.
 *
 * <p>There is one cache of one segment. This node, {@code self}, owns nothing of it; {@code second}
 * is the primary at first, {@code third} may become it. Neither of them exists: what is sent to
 * them stays in the network, where a test finds it, answers it, or drops it.
 *
 * <p>A call runs on the thread of the test. Whenever it would wait, the clock runs the next task of
 * {@code whileParked} instead: a step of the story, such as an answer, another topology or time
 * that passes. A call that would then wait until its timeout is ended by {@code stopCall}. Bulk
 * calls send from threads of their own, which {@code runStarted} runs.
 */
final class OperationClientTest {
  private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));

  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final OperationFixture node = new OperationFixture(started::add, 9, NodeStore.NONE);
  private final ManualClock clock = node.clock;
  private final Member self = node.self;
  private final Member second = ManualNetwork.member("second");
  private final Member third = ManualNetwork.member("third");
  private final ReplicaTable replicas = node.replicas;
  private final ManualNetwork network = node.network;
  private final MessagingService messaging = node.messaging;
  private final TopologyDriver driver = node.driver;
  private final CacheResolver cacheResolver = new CacheResolver(driver, clock, ONE);
  private Topology topology = Topology.NONE;

  private OperationClient callers() {
    return callers(TIMEOUT);
  }

  private OperationClient callers(long timeoutNanos) {
    WriteHandler writeHandler = node.writeHandler(new ConflictResolver(WhenCut.stop()));
    return new OperationClient(node.context, writeHandler, timeoutNanos);
  }

  @BeforeEach
  void open() {
    messaging.start();
    messaging.onMembersChanged(List.of(self, second, third));
    adopt(
        TopologyFixture.of(
            1,
            ManualReplica.SEED,
            List.of(self, second, third),
            List.of(new CacheOwnership(0, 0, ONE, List.of(TopologyFixture.owned(1, second))))));
  }

  private void adopt(Topology next) {
    Output out = new Output(64);
    next.write(out);
    topology = next;
    driver.onMessage(MessageKind.TOPOLOGY, second, out.toInput());
    network.inFlight.clear();
  }

  /** Adopts a next topology with these members and this ownership of the segment. */
  private void change(SegmentOwnership segment, Member... members) {
    Topology next = TopologyFixture.next(topology, members);
    adopt(
        new Topology(
            next.number(),
            next.gridDefinition(),
            next.membership(),
            CacheCatalog.of(List.of(new CacheOwnership(0, 0, ONE, List.of(segment))))));
  }

  private static SegmentOwnership lost(Member last) {
    return new SegmentOwnership(2, 1, List.of(), List.of(), List.of(), List.of(), List.of(last));
  }

  private List<Member> asked(MessageKind kind) {
    return network.inFlight.stream()
        .filter(sent -> sent.kind() == kind)
        .map(ManualNetwork.SentMessage::to)
        .toList();
  }

  private void read() {
    callers().read(cacheResolver, ManualReplica.bytes("k"), true, clock.nanoTime() + TIMEOUT);
  }

  private OperationResult remove() {
    return callers()
        .write(
            cacheResolver,
            ManualReplica.bytes("k"),
            new RemoveEntry(false),
            clock.nanoTime() + TIMEOUT);
  }

  private void putAll() {
    putAll(
        new BulkWriteClient.KeyWrite(
            ManualReplica.bytes("k"), new Put(ByteSlice.of(ManualReplica.bytes("v")), true), 10));
  }

  private void putAll(BulkWriteClient.KeyWrite... writes) {
    new BulkWriteClient(node.context, callers())
        .writeAll(
            cacheResolver, List.of(writes).iterator(), key -> "k", ClosedNodeGuard.NONE, n -> {});
  }

  private List<OperationResult> readAll(String... keys) {
    return readAll(TIMEOUT, keys);
  }

  private List<OperationResult> readAll(long timeoutNanos, String... keys) {
    return new BulkReadClient(node.context, callers(timeoutNanos))
        .readAll(cacheResolver, Stream.of(keys).map(ManualReplica::bytes).toList());
  }

  private void runStarted() {
    for (Runnable next; (next = started.poll()) != null; ) {
      next.run();
    }
  }

  /** Ends a call that would continue until its timeout. */
  private static final class StopCallException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private void stopCall() {
    clock.whileParked.add(
        () -> {
          throw new StopCallException();
        });
  }

  @Test
  void localReadIsDiscardedWhenTheGridChanges() {
    adopt(TopologyFixture.next(topology, self, second, third));
    // The thread was paused after it had read the topology, so this replica belongs to the other
    // grid.
    replicas.adopt(
        TopologyFixture.of(
            1,
            ManualReplica.SEED,
            List.of(self),
            List.of(new CacheOwnership(0, 0, ONE, List.of(TopologyFixture.owned(1, self))))),
        Topology.NONE,
        self);
    assertThat(Objects.requireNonNull(replicas.find(0, 0)).serveEpoch(1)).isTrue();
    LeaseFixture.grant(driver.lease(), driver.current(), second, self, clock.reading());
    OperationClient client = callers();
    byte[] key = ManualReplica.bytes("k");
    long deadline = client.deadlineFromNow();
    assertThat(client.read(cacheResolver, key, true, deadline).value().hasValue()).isFalse();
    clock.onNextReading.add(
        () -> {
          Topology next = TopologyFixture.next(topology, self, second, third);
          GridDefinition was = next.gridDefinition();
          GridDefinition last =
              new GridDefinition(
                  was.gridId(),
                  was.foundedMillis(),
                  was.hashSeed(),
                  was.partitionHandling(),
                  was.lineage(),
                  was.isWritten(),
                  was.isRebalanceSuspended(),
                  true);
          adopt(new Topology(next.number(), last, next.membership(), next.caches()));
        });
    stopCall();
    assertThatExceptionOfType(StopCallException.class)
        .isThrownBy(() -> client.read(cacheResolver, key, true, deadline));
  }

  @Test
  void readRetriesAtTheNextPrimaryAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.READ)).containsExactly(second);
          change(TopologyFixture.owned(2, third), self, third);
        });
    stopCall();
    assertThatExceptionOfType(StopCallException.class).isThrownBy(this::read);
    assertThat(asked(MessageKind.READ)).containsExactly(third);
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void keysOfOneOwnerAreReadTogetherAndTheUnansweredOnesAskedForAgain() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.BULK_READ)).containsExactly(second);
          answer(MessageKind.BULK_READ, 1, 0, 0, 1, 1, 1, 'v');
        });
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.BULK_READ)).containsExactly(second);
          answer(MessageKind.BULK_READ, 1, 0);
        });
    assertThat(readAll("a", "b", "c"))
        .extracting(OperationResult::hasValue)
        .containsExactly(false, false, true);
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void bulkReadContinuesAtTheNextPrimaryAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> change(TopologyFixture.owned(2, third), self, third));
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.BULK_READ)).containsExactly(third);
          answer(MessageKind.BULK_READ, 1, 0, 1, 0);
        });
    assertThat(readAll("a", "b")).containsOnly(OperationResult.ABSENT);
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void bulkReadEndsAtItsTimeoutAfterTheLastProgress() {
    // Shorter than the time after which a node without a lease says that it is cut off.
    long timeout = TimeUnit.SECONDS.toNanos(1);
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(
        () -> {
          clock.advance(timeout / 2);
          answer(MessageKind.BULK_READ, 1, 0, 0);
        });
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(() -> readAll(timeout, "a", "b"))
        .withMessageContaining("1 of 2 reads sent together; trying again is safe");
    assertThat(clock.nanoTime() - began).isBetween(timeout * 3 / 2, timeout * 3 / 2 + timeout / 10);
  }

  @Test
  void bulkReadOfALostSegmentSaysSo() {
    change(lost(second), self, third);
    assertThatExceptionOfType(SegmentLostException.class).isThrownBy(() -> readAll("a"));
  }

  @Test
  void cutOffNodeFailsBeforeSending() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    network.inFlight.clear();
    long began = clock.nanoTime();
    assertThatExceptionOfType(NotAvailableException.class).isThrownBy(this::read);
    assertThat(asked(MessageKind.READ)).isEmpty();
    assertThat(clock.nanoTime()).isEqualTo(began);
  }

  @Test
  void cutOffNodeRefusesEvenAnEmptyBulkWrite() {
    putAll(new BulkWriteClient.KeyWrite[0]);
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(() -> putAll(new BulkWriteClient.KeyWrite[0]))
        .withMessageContaining("cut off");
  }

  @Test
  void unsentBulkWritesAreNotInDoubtWhenTheSegmentIsLost() {
    clock.whileParked.add(
        () -> {
          change(lost(second), self, third);
          runStarted();
        });
    assertThatExceptionOfType(SegmentLostException.class)
        .isThrownBy(this::putAll)
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(asked(MessageKind.BULK_WRITE)).isEmpty();
  }

  @Test
  void sentBulkWritesAreInDoubtWhenTheSegmentIsLost() {
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> change(lost(second), self, third));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(this::putAll)
        .satisfies(
            thrown -> {
              assertThat(thrown.doubtfulCount()).isEqualTo(1);
              assertThat(thrown.writtenCount()).isZero();
            });
  }

  @Test
  void bulkWritesWhoseAttemptHasNoEffectAreNotInDoubt() {
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> answer(MessageKind.BULK_WRITE, 1, 1, 0, 1, 0, 0, 0));
    clock.whileParked.add(() -> change(lost(second), self, third));
    assertThatExceptionOfType(SegmentLostException.class).isThrownBy(this::putAll);
  }

  @Test
  void unsentBulkWritesContinueInTheNextSession() {
    clock.whileParked.add(
        () -> {
          change(TopologyFixture.owned(1, second), second, third);
          change(TopologyFixture.owned(1, second), self, second, third);
          runStarted();
        });
    stopCall();
    assertThatExceptionOfType(StopCallException.class).isThrownBy(this::putAll);
    assertThat(asked(MessageKind.BULK_WRITE)).as("under new command ids").containsExactly(second);
  }

  @Test
  void unsentWriteContinuesInTheNextSessionAfterAPause() {
    change(TopologyFixture.owned(1, second), second, third);
    clock.whileParked.add(() -> change(TopologyFixture.owned(1, second), self, second, third));
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.WRITE)).as("paused").isEmpty();
          clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
        });
    stopCall();
    assertThatExceptionOfType(StopCallException.class).isThrownBy(this::remove);
    assertThat(asked(MessageKind.WRITE)).containsExactly(second);
  }

  /**
   * A node that starts again learns first of members that have gone with it. Once one was asked,
   * owners that have restarted cannot say that the write was not made.
   */
  @Test
  void writesWaitForAPrimaryThatTheTransportLists() {
    messaging.onMembersChanged(List.of(self, third));
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.WRITE)).isEmpty();
          change(TopologyFixture.owned(2, third), self, third);
          clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
        });
    clock.whileParked.add(() -> answer(MessageKind.WRITE, OperationReply.RESULT, 1, 2));
    assertThat(remove()).isEqualTo(OperationResult.TRUE);
  }

  @Test
  void bulkWritesWaitForAPrimaryThatTheTransportLists() {
    messaging.onMembersChanged(List.of(self, third));
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(
        () -> {
          assertThat(asked(MessageKind.BULK_WRITE)).isEmpty();
          change(TopologyFixture.owned(2, third), self, third);
          clock.advance(TimeUnit.MILLISECONDS.toNanos(1));
        });
    stopCall();
    assertThatExceptionOfType(StopCallException.class).isThrownBy(this::putAll);
    assertThat(asked(MessageKind.BULK_WRITE)).containsExactly(third);
  }

  @Test
  void nonMemberDoesNotSendWrites() {
    change(TopologyFixture.owned(1, second), second, third);
    OperationClient client = callers();
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(
            () ->
                client.write(
                    cacheResolver,
                    ManualReplica.bytes("k"),
                    new RemoveEntry(false),
                    clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100)))
        .withMessageContaining("it was not written");
    assertThat(asked(MessageKind.WRITE)).isEmpty();
  }

  /** Makes the primary answer the last request. */
  private void answer(MessageKind kind, int... body) {
    ManualNetwork.SentMessage asked =
        Objects.requireNonNull(network.takeFirst(sent -> sent.kind() == kind));
    Input in = new Input(asked.bytes());
    in.skip(2 + Long.BYTES);
    int[] answer = new int[body.length + 1];
    answer[0] = (int) in.readVarint();
    System.arraycopy(body, 0, answer, 1, body.length);
    network.deliver(
        new ManualNetwork.SentMessage(
            asked.to(), self, ManualNetwork.bytes(MessageKind.RESPONSE, answer)));
  }

  @Test
  void writeEndsAtOnceWhenItsOutcomeIsUnknowable() {
    long began = clock.nanoTime();
    clock.whileParked.add(() -> answer(MessageKind.WRITE, OperationReply.IN_DOUBT, 1));
    assertThatExceptionOfType(IndeterminateException.class)
        .isThrownBy(this::remove)
        .withMessageContaining("restarted");
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  /** The result of a write that was also refused arrives in the pause after the refusal. */
  @Test
  void resultThatIsThereWhenTheNodeIsCutOffIsReturned() {
    List<ManualNetwork.SentMessage> asked = new ArrayList<>();
    clock.whileParked.add(
        () -> {
          network.inFlight.stream()
              .filter(sent -> sent.kind() == MessageKind.WRITE)
              .forEach(asked::add);
          answer(MessageKind.WRITE, OperationReply.REFUSED, 1, 1);
        });
    clock.whileParked.add(
        () -> {
          network.inFlight.addAll(asked);
          answer(MessageKind.WRITE, OperationReply.RESULT, 1, 2);
          clock.advance(TimeUnit.SECONDS.toNanos(5));
        });
    assertThat(remove()).isEqualTo(OperationResult.TRUE);
  }

  @Test
  void bulkWritesWithUnknowableOutcomeEndAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    // The answer says: the lease is held, none is refused or not made, one is in doubt.
    clock.whileParked.add(() -> answer(MessageKind.BULK_WRITE, 1, 0, 0, 1, 0, 0));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(this::putAll)
        .withCauseInstanceOf(IndeterminateException.class)
        .satisfies(thrown -> assertThat(thrown.doubtfulCount()).isEqualTo(1));
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void writeToAFullDiskFailsAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(() -> answer(MessageKind.WRITE, OperationReply.NO_ROOM, 1, 0, 0, 0, 0));
    Put put = new Put(ByteSlice.of(ManualReplica.bytes("v")), true);
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(
            () ->
                callers()
                    .write(
                        cacheResolver, ManualReplica.bytes("k"), put, clock.nanoTime() + TIMEOUT))
        .withMessageContaining("disk of node second")
        .withMessageContaining("is full")
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void bulkWriteToAFullDiskFailsAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> answer(MessageKind.BULK_WRITE, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(this::putAll)
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(clock.nanoTime()).as("the call did not wait").isEqualTo(began);
  }

  @Test
  void wantOfRoomEndsTheDoubtOfABulkWrite() {
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> answer(MessageKind.BULK_WRITE, 1, 1, 0, 0, 0, 0));
    clock.whileParked.add(() -> clock.advance(TimeUnit.SECONDS.toNanos(1)));
    clock.whileParked.add(() -> answer(MessageKind.BULK_WRITE, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0));
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(this::putAll)
        .withMessageContaining("disk of node second")
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(clock.whileParked).isEmpty();
  }

  @Test
  void interruptSaysWhatBecameOfTheCall() {
    try {
      clock.whileParked.add(() -> Thread.currentThread().interrupt());
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(this::read)
          .withMessageContaining("interrupted")
          .withMessageEndingWith("trying again is safe");
      assertThat(Thread.interrupted()).isTrue();
      clock.whileParked.add(
          () -> {
            answer(MessageKind.WRITE, OperationReply.REFUSED, 1, 0);
            Thread.currentThread().interrupt();
          });
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(this::remove)
          .withMessageContaining("interrupted")
          .withMessageEndingWith("it was not written, trying again is safe");
    } finally {
      assertThat(Thread.interrupted()).as("the interrupt is preserved").isTrue();
    }
  }

  @Test
  void interruptedThreadDoesNotGetATimeout() {
    change(TopologyFixture.owned(1, second), second, third);
    try {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(this::remove)
          .isExactlyInstanceOf(GridException.class)
          .withMessageContainingAll("interrupted", "written");
      CacheResolver none =
          new CacheResolver(
              driver, clock, new CacheDefinition("none", CacheConfig.distributed().segments(1)));
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> none.awaitCreated(clock.nanoTime() + TIMEOUT))
          .isExactlyInstanceOf(GridException.class);
    } finally {
      assertThat(Thread.interrupted()).as("the interrupt is preserved").isTrue();
    }
  }
}
