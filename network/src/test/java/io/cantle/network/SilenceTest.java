package io.cantle.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SilenceTest {

  /** Keeps what a JVM without logging configuration would print. */
  private static final class Records extends Handler {
    private final BlockingQueue<String> records = new LinkedBlockingQueue<>();

    @Override
    public void publish(LogRecord entry) {
      records.add(entry.getLevel() + " " + entry.getLoggerName() + ": " + entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void saysNothingInANormalLife() throws InterruptedException {
    Set<Thread> before = living();
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Records records = new Records();
    Logger root = Logger.getLogger("");
    root.addHandler(records);
    PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8);
    System.setOut(capture);
    System.setErr(capture);
    try {
      liveTogether();
    } finally {
      System.setOut(out);
      System.setErr(err);
      root.removeHandler(records);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(records.records).isEmpty();
    Set<Thread> left = living();
    left.removeAll(before);
    assertThat(left).allMatch(Thread::isDaemon);
  }

  private static void liveTogether() throws InterruptedException {
    BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
    Node[] pair = new Node[1];
    try (Node first =
            new Node(
                    Node.settings("silence", "first"),
                    (from, message) -> pair[0].send(from, message.readBytes(message.remaining())))
                .start();
        Node second =
            new Node(
                    Node.settings("silence", "second", first),
                    (from, message) -> answers.add(message.remaining()))
                .start();
        Node third =
            new Node(Node.settings("silence", "third", first), (from, message) -> {}).start()) {
      pair[0] = first;
      third.awaitSize(3);
      for (int size : new int[] {10, 300 << 10, 2 << 20}) {
        second.send(first, new byte[size]);
        assertThat(answers.poll(30, TimeUnit.SECONDS)).isEqualTo(size);
      }
    }
  }

  private static Set<Thread> living() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .collect(Collectors.toSet());
  }
}
