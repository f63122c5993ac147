package io.cantle.core.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.PartialWriteException;
import io.cantle.SegmentLostException;
import io.cantle.TimeoutException;
import io.cantle.WhenCut;
import io.cantle.core.base.HandClock;
import io.cantle.core.base.HybridClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Decoded;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.CachePlace;
import io.cantle.core.topology.Charter;
import io.cantle.core.topology.HandTopology;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.Topology.CacheOwnership;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessagesOnly;
import io.cantle.core.transport.Requests;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What callers do while nobody answers and the topology changes: step by step, by hand. */
final class CallersTest {
  private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));

  private final HandClock clock = new HandClock();
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final World world = new World(clock, started::add, new Random(1));
  private final Member self = HandNetwork.member("self");
  private final Member second = HandNetwork.member("second");
  private final Member third = HandNetwork.member("third");
  private final Codec codec =
      new Codec(AllowList.of(List.of()), CallersTest.class.getClassLoader());
  private final Replicas replicas =
      new Replicas(new Decoded(codec, 1 << 20), new HybridClock(clock), clock);
  private final HandNetwork network = new HandNetwork();
  private final Requests requests =
      new Requests(
          network.transport(self),
          world,
          (MessagesOnly)
              (kind, from, request, body) -> {
                throw new AssertionError(kind + " from " + from);
              });
  private final TopologyKeeper keeper = HandTopology.keeper(requests, world, 9);
  private final CachePlace place = new CachePlace(keeper, clock, ONE);
  private Topology topology = Topology.NONE;

  private Callers callers() {
    CommitNotices notices = new CommitNotices(requests, keeper, world, replicas);
    Acks acks = new Acks(requests, world, replicas, notices);
    Writers writers =
        new Writers(
            requests,
            keeper,
            world,
            replicas,
            notices,
            acks,
            new Expiry(requests, keeper, world, replicas, notices),
            codec,
            new Conflicts(WhenCut.stop()));
    return new Callers(requests, keeper, replicas, writers, TIMEOUT);
  }

  @BeforeEach
  void open() {
    requests.start();
    adopt(
        HandTopology.of(
            1,
            HandReplica.SEED,
            List.of(self, second, third),
            List.of(new CacheOwnership(ONE, List.of(HandTopology.owned(1, second))))));
  }

  private void adopt(Topology next) {
    Output out = new Output(64);
    next.write(out);
    topology = next;
    keeper.came(Kind.TOPOLOGY, second, out.toInput());
    network.underWay.clear();
  }

  /** The next topology has these members, and the segment as it is given. */
  private void change(Ownership segment, Member... members) {
    Topology next = HandTopology.next(topology, members);
    adopt(
        new Topology(
            next.number(),
            next.charter(),
            next.membership(),
            List.of(new CacheOwnership(ONE, List.of(segment)))));
  }

  private static Ownership lost(Member last) {
    return new Ownership(2, 1, List.of(), List.of(), List.of(), List.of(), List.of(last));
  }

  private List<Member> asked(Kind kind) {
    return network.underWay.stream()
        .filter(sent -> sent.kind() == kind)
        .map(HandNetwork.Sent::to)
        .toList();
  }

  private void read() {
    callers().read(place, HandReplica.bytes("k"), true, clock.nanoTime() + TIMEOUT);
  }

  private void putAll() {
    BulkWrites.KeyWrite write =
        new BulkWrites.KeyWrite(
            HandReplica.bytes("k"), new Put(Slice.of(HandReplica.bytes("v")), true), 10);
    new BulkWrites(callers(), keeper, world)
        .write(place, List.of(write).iterator(), key -> "the key");
  }

  private void runStarted() {
    for (Runnable next; (next = started.poll()) != null; ) {
      next.run();
    }
  }

  /** Ends a call that would go on until its timeout. */
  private static final class Enough extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private void enough() {
    clock.whileParked.add(
        () -> {
          throw new Enough();
        });
  }

  @Test
  void whatIsReadHereWhileTheGridIsLeftForAnotherIsNotTold() {
    adopt(HandTopology.next(topology, self, second, third));
    // The thread was held up after it had looked at the topology: this copy is the other grid's.
    replicas.adopt(
        HandTopology.of(
            1,
            HandReplica.SEED,
            List.of(self),
            List.of(new CacheOwnership(ONE, List.of(HandTopology.owned(1, self))))),
        Topology.NONE,
        self);
    assertThat(Objects.requireNonNull(replicas.find(0, 0)).serve(1)).isTrue();
    HandTopology.grantLease(keeper, second, self, clock.moment());
    Callers callers = callers();
    byte[] key = HandReplica.bytes("k");
    long deadline = callers.deadline();
    assertThat(callers.read(place, key, true, deadline).value().hasValue()).isFalse();
    clock.whenLookedAt.add(
        () -> {
          Topology next = HandTopology.next(topology, self, second, third);
          Charter was = next.charter();
          Charter last =
              new Charter(
                  was.gridId(),
                  was.foundedMillis(),
                  was.hashSeed(),
                  was.mode(),
                  was.descent(),
                  was.used(),
                  was.suspended(),
                  true);
          adopt(new Topology(next.number(), last, next.membership(), next.caches()));
        });
    enough();
    assertThatExceptionOfType(Enough.class)
        .isThrownBy(() -> callers.read(place, key, true, deadline));
  }

  @Test
  void aReadAsksTheNextPrimaryAsSoonAsThereIsOne() {
    long began = clock.nanoTime();
    clock.whileParked.add(
        () -> {
          assertThat(asked(Kind.READ)).containsExactly(second);
          change(HandTopology.owned(2, third), self, third);
        });
    enough();
    assertThatExceptionOfType(Enough.class).isThrownBy(this::read);
    assertThat(asked(Kind.READ)).containsExactly(third);
    assertThat(clock.nanoTime()).as("it waited for nothing").isEqualTo(began);
  }

  @Test
  void aNodeThatIsCutOffSaysSoBeforeItAsks() {
    clock.advance(TimeUnit.SECONDS.toNanos(5));
    network.underWay.clear();
    long began = clock.nanoTime();
    assertThatExceptionOfType(NotAvailableException.class).isThrownBy(this::read);
    assertThat(asked(Kind.READ)).isEmpty();
    assertThat(clock.nanoTime()).isEqualTo(began);
  }

  @Test
  void manyWritesOfWhichNoneWasSentAreNotInDoubtWhenTheirSegmentIsLost() {
    clock.whileParked.add(
        () -> {
          change(lost(second), self, third);
          runStarted();
        });
    assertThatExceptionOfType(SegmentLostException.class)
        .isThrownBy(this::putAll)
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(asked(Kind.BULK)).isEmpty();
  }

  @Test
  void manyWritesOfWhichSomeWereSentAreInDoubtWhenTheirSegmentIsLost() {
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
  void manyWritesThatWereNotSentGoOnInTheNextLifeOfTheirNode() {
    clock.whileParked.add(
        () -> {
          change(HandTopology.owned(1, second), second, third);
          change(HandTopology.owned(1, second), self, second, third);
          runStarted();
        });
    enough();
    assertThatExceptionOfType(Enough.class).isThrownBy(this::putAll);
    assertThat(asked(Kind.BULK)).as("by another identity").containsExactly(second);
  }

  @Test
  void aWriteOfANodeThatIsNoMemberIsNotSent() {
    change(HandTopology.owned(1, second), second, third);
    Callers callers = callers();
    assertThatExceptionOfType(TimeoutException.class)
        .isThrownBy(
            () ->
                callers.write(
                    place,
                    HandReplica.bytes("k"),
                    new Remove(false),
                    clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100)))
        .withMessageContaining("it was not written");
    assertThat(asked(Kind.WRITE)).isEmpty();
  }

  /** The primary answers what it was asked last. */
  private void answer(Kind kind, int... body) {
    HandNetwork.Sent asked = Objects.requireNonNull(network.take(sent -> sent.kind() == kind));
    Input in = new Input(asked.bytes());
    in.skip(2 + Long.BYTES);
    int[] answer = new int[body.length + 1];
    answer[0] = (int) in.readVarint();
    System.arraycopy(body, 0, answer, 1, body.length);
    network.deliver(new HandNetwork.Sent(asked.to(), self, HandNetwork.bytes(Kind.ANSWER, answer)));
  }

  @Test
  void aWriteOfWhichNobodyKnowsAnyMoreEndsAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(() -> answer(Kind.WRITE, Answers.IN_DOUBT, 1));
    assertThatExceptionOfType(IndeterminateException.class)
        .isThrownBy(
            () ->
                callers()
                    .write(
                        place,
                        HandReplica.bytes("k"),
                        new Remove(false),
                        clock.nanoTime() + TIMEOUT))
        .withMessageContaining("started again");
    assertThat(clock.nanoTime()).as("it waited for nothing").isEqualTo(began);
  }

  @Test
  void ofManyWritesThoseEndAtOnceOfWhichNobodyKnowsAnyMore() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    // A lease, nobody refused, one in doubt.
    clock.whileParked.add(() -> answer(Kind.BULK, 1, 0, 1, 0, 0));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(this::putAll)
        .withCauseInstanceOf(IndeterminateException.class)
        .satisfies(thrown -> assertThat(thrown.doubtfulCount()).isEqualTo(1));
    assertThat(clock.nanoTime()).as("it waited for nothing").isEqualTo(began);
  }

  @Test
  void aWriteToAFullDiskEndsAtOnceAndSaysSo() {
    long began = clock.nanoTime();
    clock.whileParked.add(() -> answer(Kind.WRITE, Answers.DISK_FULL, 1));
    Put put = new Put(Slice.of(HandReplica.bytes("v")), true);
    assertThatExceptionOfType(NotAvailableException.class)
        .isThrownBy(
            () -> callers().write(place, HandReplica.bytes("k"), put, clock.nanoTime() + TIMEOUT))
        .withMessageContaining("disk of node second")
        .withMessageContaining("is full")
        .satisfies(thrown -> assertThat(thrown.retrySafe()).isTrue());
    assertThat(clock.nanoTime()).as("it waited for nothing").isEqualTo(began);
  }

  @Test
  void manyWritesToAFullDiskEndAtOnce() {
    long began = clock.nanoTime();
    clock.whileParked.add(this::runStarted);
    clock.whileParked.add(() -> answer(Kind.BULK, 1, 1, 0, 0, 1));
    assertThatExceptionOfType(PartialWriteException.class)
        .isThrownBy(this::putAll)
        .withCauseInstanceOf(NotAvailableException.class);
    assertThat(clock.nanoTime()).as("it waited for nothing").isEqualTo(began);
  }

  @Test
  void aThreadThatIsInterruptedIsNotToldThatTimeIsUp() {
    change(HandTopology.owned(1, second), second, third);
    try {
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(
              () ->
                  callers()
                      .write(
                          place,
                          HandReplica.bytes("k"),
                          new Remove(false),
                          clock.nanoTime() + TIMEOUT))
          .isExactlyInstanceOf(GridException.class)
          .withMessageContaining("interrupted");
      CachePlace none =
          new CachePlace(
              keeper, clock, new CacheDefinition("none", CacheConfig.distributed().segments(1)));
      assertThatExceptionOfType(GridException.class)
          .isThrownBy(() -> none.awaitThere(clock.nanoTime() + TIMEOUT))
          .isExactlyInstanceOf(GridException.class);
    } finally {
      assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    }
  }
}
