package io.cantle.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.bench.log.WriteMode;
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
final class FioBenchmarkTest {
  /** Field 49, counted from 1, holds the writes per second. */
  private static final String LINE =
      "3;fio-3.36;"
          + IntStream.rangeClosed(3, 130)
              .mapToObj(String::valueOf)
              .collect(Collectors.joining(";"));

  @TempDir private Path folder = Path.of("");

  @Test
  void isMissingWithoutTheProgram() {
    assertThat(FioBenchmark.findIn(null)).isNull();
    assertThat(FioBenchmark.findIn(folder + ":" + folder.resolve("absent") + ":")).isNull();
  }

  @Test
  void writesLikeTheRawLoop() throws Exception {
    FioBenchmark fio = program("echo \"$@\" > said; echo 'fio: a note'; echo '" + LINE + "'");
    assertThat(fio.writesPerSecond(folder, WriteMode.DIRECT, 20_480, 2)).isEqualTo(49);
    assertThat(folder.resolve("said"))
        .content()
        .contains("--direct=1", "--sync=dsync", "--bs=20480", "--runtime=2");
    fio.writesPerSecond(folder, WriteMode.PREALLOCATED, 4096, 1);
    assertThat(folder.resolve("said"))
        .content()
        .contains("--fdatasync=1")
        .doesNotContain("--direct");
  }

  @Test
  void reportsFioOutputOnFailure() throws Exception {
    FioBenchmark broken = program("echo 'no such engine'; exit 3");
    assertThatThrownBy(() -> broken.writesPerSecond(folder, WriteMode.DIRECT, 4096, 1))
        .isInstanceOf(IOException.class)
        .hasMessage("fio ended with 3: no such engine");
    FioBenchmark silent = program("echo 3;");
    assertThatThrownBy(() -> silent.writesPerSecond(folder, WriteMode.DIRECT, 4096, 1))
        .hasMessageStartingWith("fio said no number of writes: ");
  }

  private FioBenchmark program(String script) throws IOException {
    Path programs = Files.createDirectories(folder.resolve("programs"));
    Path file = programs.resolve("fio");
    Files.writeString(file, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return Objects.requireNonNull(FioBenchmark.findIn(programs.toString()));
  }
}
