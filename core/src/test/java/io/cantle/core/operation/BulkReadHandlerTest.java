package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.container.Lifetime;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.ResponseHandler;
import io.cantle.core.wire.CallMessage.BulkReadRequest;
import io.cantle.core.wire.CallMessage.SegmentKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests a primary's answer to a bulk read. */
final class BulkReadHandlerTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));
  private static final CacheDefinition DURABLE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1).durability(Durability.SYNC));

  private final Member backup = ManualNetwork.member("backup");
  private final List<List<String>> answers = new ArrayList<>();
  private long sequence;

  private void write(OperationFixture node, String key, String value, Lifetime lifetime) {
    sequence++;
    node.write(new SessionId(node.self.id(), 1), sequence, key, value, lifetime);
  }

  /** Reads keys of the only segment, unless a key begins with the number of another one. */
  private void read(OperationFixture node, String... keys) {
    List<SegmentKey> sent =
        Stream.of(keys)
            .map(
                key ->
                    new SegmentKey(
                        key.startsWith("7") ? 7 : 0, ByteSlice.of(ManualReplica.bytes(key))))
            .toList();
    long request =
        node.messaging.register(
            new ResponseHandler() {
              @Override
              public void onResponse(Member from, Input body) {
                answers.add(
                    BulkReadReply.read(body, keys.length).results().stream()
                        .map(BulkReadHandlerTest::text)
                        .toList());
              }

              @Override
              public void wake() {}
            });
    new BulkReadHandler(node.context, node.readHandler())
        .onBulkRead(
            node.self, request, new BulkReadRequest(node.driver.current().number(), 0, sent));
  }

  private static String text(@Nullable OperationResult result) {
    return result == null ? "again" : result.hasValue() ? ManualReplica.text(result) : "absent";
  }

  @Test
  void everyKeyIsAnsweredInTheOrderOfTheRequest() {
    OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
    node.formGrid(ONE, node.self);
    write(node, "a", "1", Lifetime.UNLIMITED);
    write(node, "b", "2", Lifetime.UNLIMITED);
    read(node, "b", "none", "7 of a segment that is not here", "a", "b");
    read(node);
    assertThat(answers).containsExactly(List.of("2", "absent", "again", "1", "2"), List.of());
  }

  @Test
  void answerWaitsUntilEveryValueIsCommitted() {
    OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
    node.formGrid(ONE, node.self, backup);
    write(node, "a", "1", Lifetime.UNLIMITED);
    write(node, "b", "2", Lifetime.UNLIMITED);
    read(node, "a", "b");
    node.replica().onAck(backup, 1, 1);
    node.replica().performEffects();
    assertThat(answers).isEmpty();
    node.replica().onAck(backup, 1, 2);
    node.replica().performEffects();
    assertThat(answers).containsExactly(List.of("1", "2"));
  }

  @Test
  void answerEndsAfterTheValueWithWhichItIsFull() {
    OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
    node.formGrid(ONE, node.self);
    String half = "h".repeat(BulkReadHandler.MAX_ANSWER_BYTES / 2);
    for (String key : List.of("a", "b", "c", "d")) {
      write(node, key, half + key, Lifetime.UNLIMITED);
    }
    read(node, "a", "b", "c", "d");
    assertThat(answers).containsExactly(List.of(half + "a", half + "b", "again", "again"));
  }

  @Test
  void noMoreValuesAreLoadedThanFitIntoTheAnswer() {
    ManualNodeStore disk = ManualNodeStore.withoutMemory();
    OperationFixture node = new OperationFixture(Runnable::run, 1, disk);
    node.formGrid(DURABLE, node.self);
    String half = "h".repeat(BulkReadHandler.MAX_ANSWER_BYTES / 2);
    for (String key : List.of("a", "b", "c", "d")) {
      write(node, key, half + key, Lifetime.UNLIMITED);
    }
    node.evict(disk, "a", "b", "c", "d");
    read(node, "a", "b", "c", "d");
    node.flush(disk);
    assertThat(answers).containsExactly(List.of(half + "a", half + "b", "again", "again"));
    assertThat(disk.readCount).isEqualTo(2);
  }

  @Test
  void readOfAnEntryWithMaxIdleIsRecorded() {
    OperationFixture node = new OperationFixture(Runnable::run, 1, NodeStore.NONE);
    node.formGrid(ONE, node.self);
    write(node, "a", "1", new Lifetime(0, 8_000));
    node.clock.advance(7_000_000_000L);
    read(node, "a");
    node.clock.advance(7_000_000_000L);
    read(node, "a");
    assertThat(answers).containsExactly(List.of("1"), List.of("1"));
  }
}
