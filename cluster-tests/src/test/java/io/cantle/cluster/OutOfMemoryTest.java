package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import io.cantle.GridException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a node that runs out of memory leaves at once, reports that, and leaves its process
 * alone.
 */
@Timeout(180)
final class OutOfMemoryTest {
  private static final int MAX_VALUES = 4_000;

  /** Values that the transport sends in one piece, and values that it puts together of many. */
  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 8_000_000})
  void aNodeWithoutMemoryLeavesAtOnceAndItsProcessGoesOn(int valueBytes) throws Exception {
    try (TestGrid cluster = new TestGrid(2)) {
      Grid survivor = cluster.join();
      Cache<Integer, byte[]> cache = survivor.cache("large", CacheConfig.distributed().owners(2));
      Process child = start(cluster);
      try (BufferedReader words = child.inputReader(StandardCharsets.UTF_8)) {
        assertThat(words.readLine()).isEqualTo("joined");
        cluster.awaitMembers(2);
        ConditionWait.until("two owners", survivor::settled, survivor::members);
        // Writes that need no more memory than those before are not refused.
        cache.put(0, new byte[valueBytes]);
        child.getOutputStream().write('\n');
        child.getOutputStream().flush();
        for (int put = 0; survivor.members().size() == 2 && put < MAX_VALUES; put++) {
          cache.put(0, new byte[valueBytes]);
        }

        assertThat(words.readLine()).contains("ran out of memory", "-Xmx");
        ConditionWait.until("it is gone", () -> survivor.members().size() == 1, survivor::members);
        assertThat(child.isAlive()).isTrue();
        // A connection whose thread had no memory is gone before the node has closed the others.
        ConditionWait.until(
            "its port is closed", () -> !isOpen(cluster.firstPort() + 1), survivor::members);
        assertThat(cache.get(0)).hasSize(valueBytes);
      } finally {
        child.destroyForcibly();
      }
    }
  }

  private static boolean isOpen(int port) {
    try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Process start(TestGrid cluster) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "--add-opens=java.base/java.lang.invoke=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            SmallNode.class.getName(),
            cluster.name(),
            Integer.toString(cluster.firstPort()))
        .redirectError(Redirect.INHERIT)
        .start();
  }

  /** A node with little memory; its process lives until its input ends. */
  static final class SmallNode {
    private static final long PAUSE_NANOS = 50_000_000;
    private static final int PIECE_BYTES = 16 << 10;
    private static final List<byte[]> KEPT = new ArrayList<>();

    private SmallNode() {}

    /** Runs the node; the arguments are the name and the first port of the grid. */
    public static void main(String... words) throws IOException {
      TestGrid cluster = new TestGrid(words[0], Integer.parseInt(words[1]), 2);
      Grid grid = Grid.join(cluster.configAt(1));
      System.out.println("joined");
      if (System.in.read() == '\n') {
        Thread.ofPlatform().daemon().start(() -> sayWhyItFails(grid));
        fillHeap(grid);
      }
      System.in.transferTo(OutputStream.nullOutputStream());
    }

    /** Takes all memory, as a program around a node may, until the node has ended. */
    private static void fillHeap(Grid grid) {
      while (true) {
        try {
          KEPT.add(new byte[PIECE_BYTES]);
        } catch (OutOfMemoryError e) {
          if (hasEnded(grid)) {
            KEPT.clear();
            return;
          }
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    private static boolean hasEnded(Grid grid) {
      try {
        grid.cache("large").get(-1);
        return false;
      } catch (GridException e) {
        return true;
      } catch (OutOfMemoryError e) {
        return false;
      }
    }

    private static void sayWhyItFails(Grid grid) {
      while (true) {
        try {
          grid.cache("large").get(-1);
        } catch (GridException e) {
          if (String.valueOf(e.getMessage()).contains("memory")) {
            System.out.println(e.getMessage());
            return;
          }
        } catch (OutOfMemoryError e) {
          // This is a thread of the program around the node, which goes on.
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }
}
