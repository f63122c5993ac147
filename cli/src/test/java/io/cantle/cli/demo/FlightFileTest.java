package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.cli.console.UsageException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightFileTest {
  private static final String GOOD = "UA1545,EWR,IAH,2013-01-01T05:15,2,11,1400";

  @TempDir private Path folder;
  private final List<String> malformed = new ArrayList<>();

  @Test
  void readsEveryColumn() throws Exception {
    assertThat(read(GOOD))
        .containsExactly(
            new FlightRow(
                2,
                new FlightKey("UA1545", "EWR", LocalDateTime.of(2013, 1, 1, 5, 15)),
                new Flight("IAH", 2, 11, 1400)));
    assertThat(malformed).isEmpty();
  }

  @Test
  void knowsHowAFlightLeft() throws Exception {
    assertThat(
            read(
                "A1,EWR,IAH,2013-01-01T05:15,,,1",
                "A2,EWR,IAH,2013-01-01T05:15,0,,1",
                "A3,EWR,IAH,2013-01-01T05:15,-7,-9,1",
                "A4,EWR,IAH,2013-01-01T05:15,1,-9,1"))
        .extracting(row -> row.flight().departure())
        .containsExactly(
            DepartureStatus.CANCELLED,
            DepartureStatus.PUNCTUAL,
            DepartureStatus.PUNCTUAL,
            DepartureStatus.DELAYED);
  }

  @Test
  void readsCompressedFilesAndBothLineEndings() throws Exception {
    Path file = folder.resolve("flights.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write((FlightRowParser.HEADER + "\r\n" + GOOD + "\r\n").getBytes(StandardCharsets.UTF_8));
    }
    assertThat(rows(file)).hasSize(1);
    assertThat(read(GOOD)).hasSize(1);
  }

  @Test
  void readsLastLineWithoutLineEnding() throws Exception {
    Path file = folder.resolve("flights.csv");
    Files.writeString(file, FlightRowParser.HEADER + "\n" + GOOD);
    assertThat(rows(file)).hasSize(1);
  }

  @Test
  void reportsMalformedRowsAndContinues() throws Exception {
    List<FlightRow> rows =
        read(
            GOOD,
            "UA1,EWR,IAH,2013-01-01T05:15,soon,11,1400",
            "UA1,EWR",
            "UA1,EWR,IAH,2013-01-01T05:15,2,11,1400,more",
            "UA1,EWR,IAH,2013-02-30T05:15,2,11,1400",
            "UA1,EWR,IAH,2013-01-01 05:15,2,11,1400",
            "UA1,EWR,IAH,2013-01-01T05:15,2,11,",
            "UA1,EWR,IAH,2013-01-01T05:15,2,-,1",
            ",EWR,IAH,2013-01-01T05:15,2,11,1400",
            "",
            "x".repeat(5_000),
            "UA2,EWR,IAH,2013-01-01T05:15,2,11,1400");
    assertThat(rows).extracting(FlightRow::line).containsExactly(2, 13);
    assertThat(malformed.stream().map(line -> line.substring(folder.toString().length() + 1)))
        .containsExactly(
            "flights.csv:3:30: departure_delay_min is \"soon\", not a whole number of at most 5"
                + " digits",
            "flights.csv:4:8: ends after 2 of 7 columns",
            "flights.csv:5:39: more than 7 columns",
            "flights.csv:6:13: scheduled_departure is \"2013-02-30T05:15\", not a time like"
                + " 2013-01-01T05:15",
            "flights.csv:7:13: scheduled_departure is \"2013-01-01 05:15\", not a time like"
                + " 2013-01-01T05:15",
            "flights.csv:8:35: distance_miles is \"\", not a number of miles",
            "flights.csv:9:32: arrival_delay_min is \"-\", not a whole number of at most 5 digits",
            "flights.csv:10:1: flight is \"\", not 1 to 8 capital letters and digits",
            "flights.csv:11:1: ends after 1 of 7 columns",
            "flights.csv:12:1001: longer than 1000 bytes");
  }

  @Test
  void countsOnlyTheFirstRowOfAKey() throws Exception {
    List<FlightRow> rows = read(GOOD, "UA1545,EWR,IAH,2013-01-01T05:15,99,11,1400");
    assertThat(rows).extracting(row -> row.flight().departureDelayMinutes()).containsExactly(2);
    assertThat(malformed)
        .singleElement()
        .asString()
        .endsWith(":3:1: flight, origin and scheduled departure are those of line 2");
  }

  @Test
  void reportsWhyAFileCannotBeRead() throws Exception {
    Path absent = folder.resolve("absent");
    refuses(absent, "cannot read " + absent + ": there is no such file");
    refuses(folder, "cannot read " + folder + ": it is a directory");
    Path empty = Files.createFile(folder.resolve("empty"));
    refuses(empty, "cannot read " + empty + ": it is empty");
    Path other = Files.writeString(folder.resolve("other"), "a,b\n1,2\n");
    refuses(other, "its first line is not \"" + FlightRowParser.HEADER + "\"");
  }

  @Test
  void reportsTruncatedCompressedFile() throws Exception {
    Path file = folder.resolve("cut.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(
          (FlightRowParser.HEADER + "\n" + (GOOD + "\n").repeat(3))
              .getBytes(StandardCharsets.UTF_8));
    }
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 12));
    refuses(file, "cannot read " + file + ": Unexpected end of ZLIB input stream");
  }

  private void refuses(Path file, String reason) {
    assertThatThrownBy(() -> rows(file))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining(reason);
  }

  private List<FlightRow> read(String... lines) throws UsageException, IOException {
    Path file = folder.resolve("flights.csv");
    Files.writeString(file, FlightRowParser.HEADER + "\n" + String.join("\n", lines) + "\n");
    return rows(file);
  }

  private List<FlightRow> rows(Path path) throws UsageException {
    List<FlightRow> rows = new ArrayList<>();
    try (FlightFile file = FlightFile.open(path, malformed::add)) {
      for (FlightRow row = file.next(); row != null; row = file.next()) {
        rows.add(row);
      }
      assertThat(file.malformedCount()).isEqualTo(malformed.size());
      assertThat(file.lines()).hasSize(rows.size());
    }
    return rows;
  }
}
