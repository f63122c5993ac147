package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CloseableIterator;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.wire.PullRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Tests iterations over some keys and segments. An iteration that does not end fails the test. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class KeyFilterTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private CloseableIterator<String> keys(ScanOptions options) {
    return rig.scanner.iterate(
        new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, options), ScanFixture::key);
  }

  private CloseableIterator<String> transformed(ScanOptions options) {
    return rig.scanner.iterate(
        new PullClient.ScanSpec(PullRequest.EntryPart.KEY, ScanFixture.task(), options),
        ScanFixture::key);
  }

  private static List<String> drained(CloseableIterator<String> iterator) {
    List<String> all = new ArrayList<>();
    while (iterator.hasNext()) {
      all.add(iterator.next());
      assertThat(all.size()).isLessThanOrEqualTo(1_000);
    }
    return all;
  }

  @Test
  void onlyFilteredSegmentsAndKeysAreDelivered() {
    SegmentSet some = SegmentSet.of(2, 3);
    assertThat(drained(keys(ScanOptions.ALL.segments(some))))
        .containsExactlyInAnyOrderElementsOf(
            rig.keys().stream()
                .filter(key -> some.contains(rig.segmentOf.getOrDefault(key, -1)))
                .toList());
    List<byte[]> wanted = new ArrayList<>();
    Set<String> expected = new HashSet<>();
    for (int i = 500; i < 1_100; i += 2) {
      wanted.add(ScanFixture.bytes("k" + i));
      if (i < 1_000) {
        expected.add("k" + i);
      }
    }
    for (int batch : new int[] {1, 7, 4_096}) {
      ScanOptions options = ScanOptions.ALL.keys(wanted).batch(batch);
      assertThat(drained(keys(options))).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(drained(transformed(options))).containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void filterKeysAreNotSentRepeatedly() {
    ScanFixture wide = new ScanFixture(64).filled(1_000, 3);
    ScanOptions options =
        ScanOptions.ALL.keys(wide.keys().stream().map(ScanFixture::bytes).toList()).batch(100);
    assertThat(
            drained(
                wide.scanner.iterate(
                    new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, options),
                    ScanFixture::key)))
        .hasSize(1_000)
        .doesNotHaveDuplicates();
    // A key, its length, and its share of the rest of the request.
    assertThat(wide.sentBytes).isLessThan(1_000 * 30);
  }

  @Test
  void absentKeysNeedFewPullsEvenForSmallBatches() {
    ScanFixture wide = new ScanFixture(256);
    wide.write("there", 3);
    List<byte[]> wanted = new ArrayList<>(List.of(ScanFixture.bytes("there")));
    for (int i = 0; i < 2_000; i++) {
      wanted.add(ScanFixture.bytes("absent" + i));
    }
    ScanOptions options = ScanOptions.ALL.keys(wanted).batch(1);
    assertThat(
            drained(
                wide.scanner.iterate(
                    new PullClient.ScanSpec(PullRequest.EntryPart.KEY, null, options),
                    ScanFixture::key)))
        .containsExactly("there");
    assertThat(wide.sent).hasSizeLessThan(24);
  }
}
