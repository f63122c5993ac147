package io.cantle.chaos.scenario.clock;

import io.cantle.chaos.process.ChaosException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The monotonic clock of a child process, which this process can hold back. A library preloaded
 * into the child subtracts the value in a file that both have mapped.
 *
 * <p><b>Threading:</b> one thread.
 */
final class HeldClock {
  private static final String SOURCE = "held-clock.c";
  private static final int COMPILER_SECONDS = 60;

  private final Path library;
  private final Path file;
  private final ByteBuffer held;
  private long heldNanos;

  /**
   * Creates the clock of a child that is yet to be started.
   *
   * @param library see {@link #compile}
   * @param file a file of its own, which is created
   */
  HeldClock(Path library, Path file) throws IOException {
    this.library = library;
    this.file = file;
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      held =
          channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES).order(ByteOrder.nativeOrder());
    }
  }

  /**
   * Compiles the library.
   *
   * @return where it is
   * @throws ChaosException {@link ChaosException#LACKING_STATUS} without a C compiler
   */
  static Path compile(Path folder) throws ChaosException, IOException, InterruptedException {
    Path source = folder.resolve(SOURCE);
    Path library = folder.resolve("held-clock.so");
    try (InputStream text = HeldClock.class.getResourceAsStream(SOURCE)) {
      Files.copy(Objects.requireNonNull(text, SOURCE), source);
    }
    List<String> command =
        List.of("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString());
    Process compiler;
    try {
      compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new ChaosException(
          ChaosException.LACKING_STATUS,
          "no C compiler `cc` is here, which makes the library that holds a clock back: install"
              + " gcc or clang ("
              + e.getMessage()
              + ")");
    }
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!compiler.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
      compiler.destroyForcibly();
      throw new ChaosException(
          ChaosException.LACKING_STATUS,
          "`" + String.join(" ", command) + "` failed: " + said.strip());
    }
    return library;
  }

  /** Returns the command that runs another one by this clock. */
  List<String> commandWithClock(List<String> command) {
    List<String> whole = new ArrayList<>();
    whole.add("env");
    whole.add("LD_PRELOAD=" + library.toAbsolutePath());
    whole.add("CANTLE_HELD_CLOCK=" + file.toAbsolutePath());
    whole.addAll(command);
    return whole;
  }

  /** Holds the child's clock back by this much more from now on. */
  void holdBack(long nanos) {
    heldNanos += nanos;
    held.putLong(0, heldNanos);
  }

  /** Returns how far it is held back in all. */
  long heldNanos() {
    return heldNanos;
  }
}
