package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.bench.log.Sink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class FioTest {
  /** Field 49, counted from 1, holds the writes of a second. */
  private static final String LINE =
      "3;fio-3.36;"
          + IntStream.rangeClosed(3, 130)
              .mapToObj(String::valueOf)
              .collect(Collectors.joining(";"));

  @TempDir private Path folder = Path.of("");

  @Test
  void isMissingWhereNoFolderHoldsIt() {
    assertThat(Fio.in(null)).isNull();
    assertThat(Fio.in(folder + ":" + folder.resolve("absent") + ":")).isNull();
  }

  @Test
  void writesAsTheRawLoopDoes() throws Exception {
    Fio fio = program("echo \"$@\" > said; echo 'fio: a note'; echo '" + LINE + "'");
    assertThat(fio.writesPerSecond(folder, Sink.DIRECT, 20_480, 2)).isEqualTo(49);
    assertThat(folder.resolve("said"))
        .content()
        .contains("--direct=1", "--sync=dsync", "--bs=20480", "--runtime=2");
    fio.writesPerSecond(folder, Sink.PREALLOCATED, 4096, 1);
    assertThat(folder.resolve("said"))
        .content()
        .contains("--fdatasync=1")
        .doesNotContain("--direct");
  }

  @Test
  void saysWhatFioSaidWhenItFails() throws Exception {
    Fio broken = program("echo 'no such engine'; exit 3");
    assertThatThrownBy(() -> broken.writesPerSecond(folder, Sink.DIRECT, 4096, 1))
        .isInstanceOf(IOException.class)
        .hasMessage("fio ended with 3: no such engine");
    Fio silent = program("echo 3;");
    assertThatThrownBy(() -> silent.writesPerSecond(folder, Sink.DIRECT, 4096, 1))
        .hasMessageStartingWith("fio said no number of writes: ");
  }

  private Fio program(String script) throws IOException {
    Path programs = Files.createDirectories(folder.resolve("programs"));
    Path file = programs.resolve("fio");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Objects.requireNonNull(Fio.in(programs.toString()));
  }
}
