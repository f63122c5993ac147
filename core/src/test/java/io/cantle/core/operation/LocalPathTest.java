package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.IndeterminateException;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ChangeObserver;
import io.cantle.core.replica.CommittedChange;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests reads and writes that this node answers at once, and which calls it leaves to others. */
final class LocalPathTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));
  private static final ByteSlice KEY = ByteSlice.of(ManualReplica.bytes("k"));

  private final Member second = ManualNetwork.member("second");
  private final OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
  private final CacheResolver cacheResolver = new CacheResolver(node.driver, node.clock, ONE);
  private final LocalReader reader = new LocalReader(cacheResolver, node.context);
  private final LocalWriter writer =
      new LocalWriter(
          cacheResolver, node.context, node.writeHandler(new ConflictResolver(WhenCut.stop())));

  private static Put put(String value) {
    return new Put(ByteSlice.of(ManualReplica.bytes(value)), false);
  }

  private @Nullable OperationResult write(Operation operation) {
    return writer.write(KEY, null, operation, null);
  }

  private @Nullable Entry read() {
    return reader.find(KEY.toByteArray(), null);
  }

  @Test
  void whatIsWrittenIsCommittedAndFound() {
    node.formGrid(ONE, node.self);
    assertThat(read()).isNull();
    assertThat(write(put("first"))).isEqualTo(OperationResult.ABSENT);
    Entry first = read();
    assertThat(first).isNotNull();
    assertThat(node.replica().progress().hasUnacknowledgedWrites()).isFalse();
    assertThat(write(new PutIfAbsent(ByteSlice.of(ManualReplica.bytes("no")))))
        .isEqualTo(OperationResult.valueOf(first));
    assertThat(write(new RemoveEntry(false))).isEqualTo(OperationResult.valueOf(first));
    assertThat(read()).isNull();
    assertThat(node.replica().entries().tombstoneCount()).isZero();
  }

  @Test
  void commandsOfSessionsFollowInTheSameOrder() {
    node.formGrid(ONE, node.self);
    write(put("first"));
    node.write(
        new SessionId(
            node.self.id(), node.driver.current().membership().admissionNumber(node.self)),
        1,
        "k",
        "second",
        Lifetime.UNLIMITED);
    Entry second = Objects.requireNonNull(read());
    assertThat(second.index()).isEqualTo(2);
    assertThat(write(put("third"))).isEqualTo(OperationResult.valueOf(second));
  }

  @Test
  void observersAreToldOfEachWrite() {
    node.formGrid(ONE, node.self);
    List<String> seen = new ArrayList<>();
    ChangeObserver observer =
        new ChangeObserver() {
          @Override
          public void onReset() {}

          @Override
          public void onCommitted(List<CommittedChange> changes) {
            changes.forEach(change -> seen.add(change.cause() + " " + change.version()));
          }
        };
    node.replica().observe(observer, Runnable::run, Version.NONE);
    node.replica().performEffects();
    write(put("first"));
    write(new RemoveEntry(true));
    assertThat(seen).containsExactly("COMMAND 1/1", "COMMAND 1/2");
  }

  @Test
  void readOfWhatMayHaveExpiredIsLeftToThePrimary() {
    node.formGrid(ONE, node.self);
    write(ExpiringWrite.of(put("idle"), new Lifetime(0, 1_000)));
    assertThat(read()).isSameAs(LocalReader.ELSEWHERE);
    assertThat(write(new PutIfAbsent(ByteSlice.of(ManualReplica.bytes("read")))))
        .as("the read is recorded")
        .isNull();
    assertThat(write(ExpiringWrite.of(put("long"), new Lifetime(1_000, 0)))).isNotNull();
    assertThat(read()).isNotNull().isNotSameAs(LocalReader.ELSEWHERE);
    node.clock.advance(2_000_000_000);
    assertThat(read()).as("it has ended").isNull();
    assertThat(write(put("next"))).isEqualTo(OperationResult.ABSENT);
  }

  @Test
  void writeWithABackupIsLeftToTheClient() {
    node.formGrid(ONE, node.self, second);
    assertThat(write(put("first"))).isNull();
    assertThat(read()).isNull();
    assertThat(node.replica().progress().hasUnacknowledgedWrites()).isFalse();
  }

  @Test
  void functionsAndInterruptedCallersAreLeftToTheClient() {
    node.formGrid(ONE, node.self);
    ByteSlice nothing = ByteSlice.of(new byte[0]);
    assertThat(
            write(
                new ApplyFunction(
                    ApplyFunction.FunctionKind.COMPUTE, nothing, nothing, FunctionChain.NONE)))
        .isNull();
    Thread.currentThread().interrupt();
    assertThat(write(put("first"))).isNull();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(read()).isNull();
  }

  @Test
  void functionMustNotWriteItsKey() {
    node.formGrid(ONE, node.self);
    FunctionChain chain =
        FunctionChain.NONE.plus(node.driver.current().gridId(), 0, node.hash(KEY.toByteArray()));
    assertThatIllegalStateException().isThrownBy(() -> chain.run(() -> write(put("own"))));
  }

  @Test
  void nodeThatGaveUpItsLeaseAnswersNothing() {
    node.formGrid(ONE, node.self);
    write(put("first"));
    node.driver.abandon();
    assertThat(read()).isSameAs(LocalReader.ELSEWHERE);
    assertThat(write(put("second"))).isNull();
  }

  @Test
  void writeDuringWhichTheLeaseEndsIsInDoubt() {
    node.formGrid(ONE, node.self);
    ChangeObserver abandoning =
        new ChangeObserver() {
          @Override
          public void onReset() {}

          @Override
          public void onCommitted(List<CommittedChange> changes) {
            node.driver.abandon();
          }
        };
    node.replica().observe(abandoning, Runnable::run, Version.NONE);
    node.replica().performEffects();
    assertThatThrownBy(() -> write(put("first"))).isInstanceOf(IndeterminateException.class);
  }

  @Test
  void destroyedCacheIsNotReadFromWhatWasFoundBefore() {
    node.formGrid(ONE, node.self);
    write(put("first"));
    assertThat(read()).isNotNull();
    Topology topology = node.driver.current();
    Topology next =
        new Topology(
            topology.number() + 1,
            topology.gridDefinition(),
            topology.membership(),
            new CacheCatalog(List.of(), Collections.emptySortedMap(), 1, topology.number() + 1));
    Output out = new Output(64);
    next.write(out);
    node.driver.onMessage(MessageKind.TOPOLOGY, node.self, out.toInput());
    assertThatThrownBy(this::read).isInstanceOf(CacheDestroyedException.class);
    assertThatThrownBy(() -> write(put("second"))).isInstanceOf(CacheDestroyedException.class);
  }
}
