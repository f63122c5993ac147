package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CallTimeoutException;
import io.cantle.CloseableIterator;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests many scans that have memory for few of them. */
final class ScanBufferPoolTest {
  private static final int BUFFER_BYTES = 64 << 10;
  private static final int ITERATORS = 24;

  private final ScanFixture rig = new ScanFixture(8, BUFFER_BYTES).filled(300, 1_000);

  private CloseableIterator<String> iterate(PullRequest.EntryPart part, byte[] task) {
    return rig.scanner.iterate(
        new PullClient.ScanSpec(part, task, ScanOptions.ALL), ScanFixture::key);
  }

  private List<CloseableIterator<String>> begun() {
    List<CloseableIterator<String>> all = new ArrayList<>();
    for (int i = 0; i < ITERATORS; i++) {
      CloseableIterator<String> one =
          i % 2 == 0
              ? iterate(PullRequest.EntryPart.KEY, ScanFixture.task())
              : rig.scanner.iterate(
                  new PullClient.ScanSpec(PullRequest.EntryPart.ENTRY, null, ScanOptions.ALL),
                  in -> {
                    String key = ScanFixture.key(in);
                    in.readBlob();
                    return key;
                  });
      assertThat(one.hasNext()).isTrue();
      all.add(one);
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void everyElementComesOnceThoughBuffersAreReclaimed(long seed) {
    rig.counting(entry -> {});
    List<CloseableIterator<String>> all = begun();
    List<List<String>> read = new ArrayList<>();
    all.forEach(one -> read.add(new ArrayList<>()));
    Random random = new Random(seed);
    while (all.stream().anyMatch(CloseableIterator::hasNext)) {
      int which = random.nextInt(ITERATORS);
      for (int steps = random.nextInt(40); steps > 0 && all.get(which).hasNext(); steps--) {
        read.get(which).add(all.get(which).next());
      }
    }
    assertThat(read)
        .allSatisfy(keys -> assertThat(keys).containsExactlyInAnyOrderElementsOf(rig.keys()));
    assertThat(rig.bufferMemory.mostReservedBytes()).isLessThan(2 * BUFFER_BYTES);
    rig.assertNothingLeft();
  }

  @Test
  void abandonedScansHoldNothingThatAnotherNeeds() {
    rig.counting(entry -> {});
    List<CloseableIterator<String>> abandoned = begun();
    List<String> read = new ArrayList<>();
    iterate(PullRequest.EntryPart.KEY, ScanFixture.task()).forEachRemaining(read::add);
    assertThat(read).containsExactlyInAnyOrderElementsOf(rig.keys());
    abandoned.forEach(CloseableIterator::close);
    rig.assertNothingLeft();
  }

  @Test
  void aScanThatGetsNoMemorySaysSo() {
    rig.bufferMemory.reserve(BUFFER_BYTES);
    CloseableIterator<String> waiting = iterate(PullRequest.EntryPart.KEY, ScanFixture.task());
    assertThatExceptionOfType(CallTimeoutException.class)
        .isThrownBy(waiting::hasNext)
        .withMessageContaining("1 scans of this node wait for memory: 65536 of 65536 bytes");
    rig.bufferMemory.release(BUFFER_BYTES);
    rig.assertNothingLeft();
  }

  @Test
  void anAnswerWaitsForMemoryOfTheOwner() {
    rig.answerMemory.reserve(64 << 20);
    rig.clock.schedule(TimeUnit.SECONDS.toNanos(1), () -> rig.answerMemory.release(64 << 20));
    List<String> read = new ArrayList<>();
    rig.counting(entry -> {});
    iterate(PullRequest.EntryPart.KEY, ScanFixture.task()).forEachRemaining(read::add);
    assertThat(read).containsExactlyInAnyOrderElementsOf(rig.keys());
    assertThat(rig.sent).contains(MessageKind.PULL);
    rig.assertNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(ints = {ScanOptions.DEFAULT_BATCH_ELEMENTS, 100})
  void readerThatKeepsAllBuffersMoreUnlessItsBatchIsSet(int batch) {
    ScanFixture big = new ScanFixture(8).filled(400, 50_000);
    List<Integer> lengths = new ArrayList<>();
    big.scanner
        .iterate(
            new PullClient.ScanSpec(
                PullRequest.EntryPart.VALUE, null, ScanOptions.ALL.batch(batch), true),
            in -> in.readBlob().length)
        .forEachRemaining(lengths::add);

    assertThat(lengths).hasSize(400).containsOnly(50_000);
    assertThat(big.metrics.figures().mostBytesWaiting())
        .isBetween(
            batch == 100 ? 300_000L : PullClient.BUDGET_BYTES + 1L,
            batch == 100 ? PullClient.BUDGET_BYTES : 4L * PullClient.BUDGET_BYTES);
    big.assertNothingLeft();
  }
}
