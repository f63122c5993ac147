package io.cantle.core.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.cantle.CacheConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.segment.SegmentEpoch;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests the encoding of reports. */
final class MemberReportTest {
  @Test
  void reportsRoundTrip() {
    List<MemberReport> reports =
        List.of(
            new MemberReport.SegmentReceived(new SegmentEpoch(3, 4_095, Integer.MAX_VALUE)),
            new MemberReport.LeaveRequested(),
            new MemberReport.CacheRequested(
                new CacheDefinition("c", CacheConfig.local().segments(1))),
            new MemberReport.WriteRequested(),
            new MemberReport.SuspensionRequested(true, 7),
            new MemberReport.SuspensionRequested(false, 8),
            new MemberReport.LossAccepted(new SegmentEpoch(9_999, 9, 3)),
            new MemberReport.EpochOpened(new SegmentEpoch(1, 2, 3)),
            new MemberReport.MemberUnresponsive(new UUID(4, 5)));
    List<MemberReport> read = new ArrayList<>();
    for (MemberReport report : reports) {
      Output out = new Output(8);
      report.write(out);
      Input in = out.toInput();
      read.add(MemberReport.read(in));
      assertThat(in.remaining()).isZero();
    }
    assertThat(read).isEqualTo(reports);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> MemberReport.read(new Input(new byte[] {7})));
  }
}
