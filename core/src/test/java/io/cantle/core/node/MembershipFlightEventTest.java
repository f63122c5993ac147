package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.MembershipEvent.MajorityLost;
import io.cantle.MembershipEvent.MemberLost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a recording of Java Flight Recorder has of membership events. */
final class MembershipFlightEventTest {
  @Test
  void recordingHasMembershipEvents(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("events.jfr");
    MembershipFlightEvent.record("shop", "n1", new MajorityLost("", List.of("n1"), 1));
    try (Recording recording = new Recording()) {
      recording.enable(MembershipFlightEvent.NAME);
      recording.start();
      MembershipFlightEvent.record(
          "shop", "n1", new MemberLost("n2", "127.0.0.1:7801", List.of("n1", "n3"), 2));
      MembershipFlightEvent.record(
          "shop", "n1", new MajorityLost("n2 and n3 are missing", List.of("n1", "n2", "n3"), 3));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events =
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(MembershipFlightEvent.NAME))
            .toList();
    assertThat(events)
        .satisfiesExactly(
            event -> {
              assertThat(event.getString("grid")).isEqualTo("shop");
              assertThat(event.getString("node")).isEqualTo("n1");
              assertThat(event.getString("change")).isEqualTo("MemberLost");
              assertThat(event.getString("member")).isEqualTo("n2");
              assertThat(event.getString("address")).isEqualTo("127.0.0.1:7801");
              assertThat(event.getInt("memberCount")).isEqualTo(2);
              assertThat(event.getInt("voterCount")).isEqualTo(2);
              assertThat(event.getString("problem")).isEmpty();
            },
            event -> {
              assertThat(event.getString("change")).isEqualTo("MajorityLost");
              assertThat(event.getString("problem")).isEqualTo("n2 and n3 are missing");
            });
  }
}
