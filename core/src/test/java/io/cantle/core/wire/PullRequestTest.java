package io.cantle.core.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the encoding of a request for elements. */
final class PullRequestTest {
  private final SegmentCursor inside =
      new SegmentCursor(77, new byte[] {1, 2, 3}, SegmentCursor.CursorKind.AFTER);

  private static byte[] bytes(PullRequest pull) {
    Output out = new Output(8);
    pull.write(out);
    return out.toByteArray();
  }

  @Test
  void roundTripsWithoutATask() {
    PullRequest pull =
        new PullRequest(
            3,
            PullRequest.EntryPart.KEY,
            null,
            1 << 20,
            true,
            1_024,
            false,
            List.of(new ScanTarget(0, SegmentCursor.START), new ScanTarget(4_095, inside)));
    assertThat(PullRequest.read(new Input(bytes(pull)))).isEqualTo(pull);
  }

  @Test
  void roundTripsWithATask() {
    PullRequest pull =
        new PullRequest(
            0, PullRequest.EntryPart.ENTRY, new byte[] {9, 8}, 1, false, 1, true, List.of());
    PullRequest read = PullRequest.read(new Input(bytes(pull)));
    assertThat(read.task()).containsExactly(9, 8);
    assertThat(read.targets()).isEmpty();
    assertThat(read.part()).isEqualTo(PullRequest.EntryPart.ENTRY);
    assertThat(read.keepsAfterMove()).isTrue();
  }

  @Test
  void roundTripsWithKeys() {
    ScanTarget target = new ScanTarget(7, inside, List.of(new byte[] {1}, new byte[] {2, 3}));
    PullRequest pull =
        new PullRequest(0, PullRequest.EntryPart.KEY, null, 1, true, 1, false, List.of(target));
    ScanTarget read = PullRequest.read(new Input(bytes(pull))).targets().getFirst();
    assertThat(read.cursor()).isEqualTo(inside);
    assertThat(read.keys()).containsExactly(new byte[] {1}, new byte[] {2, 3});
  }

  @Test
  void everyTruncationIsMalformed() {
    byte[] bytes =
        bytes(
            new PullRequest(
                3,
                PullRequest.EntryPart.VALUE,
                new byte[] {9, 8},
                500,
                true,
                1_024,
                false,
                List.of(new ScanTarget(7, inside))));
    for (int length = 0; length < bytes.length; length++) {
      Input in = new Input(bytes, 0, length);
      assertThatExceptionOfType(MalformedException.class).isThrownBy(() -> PullRequest.read(in));
    }
  }

  @Test
  void budgetsBeyondTheirLimitsAreMalformed() {
    for (PullRequest pull :
        List.of(
            new PullRequest(
                0, PullRequest.EntryPart.KEY, null, (16 << 20) + 1, true, 1, false, List.of()),
            new PullRequest(
                0, PullRequest.EntryPart.KEY, null, 1, true, (1 << 20) + 1, false, List.of()))) {
      byte[] bytes = bytes(pull);
      assertThatExceptionOfType(MalformedException.class)
          .isThrownBy(() -> PullRequest.read(new Input(bytes)))
          .withMessageContaining("exceeds");
    }
  }

  @Test
  void anUnknownPartIsMalformed() {
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> PullRequest.read(new Input(new byte[] {0, 3, 0, 1, 1, 0})))
        .withMessageContaining("part 3");
  }

  @Test
  void reduceRequestsRoundTrip() {
    ReduceRequest request = new ReduceRequest(3, new byte[] {1}, true, true, 7, List.of());
    Output out = new Output(8);
    request.write(out);
    ReduceRequest read = ReduceRequest.read(out.toInput());
    assertThat(read.task()).containsExactly(1);
    assertThat(read.parallel() && read.keepsAfterMove()).isTrue();
    assertThat(read.maxEntryBytes()).isEqualTo(7);
  }
}
