package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The log of what was done to the nodes and when, in a file next to the histories and on the same
 * clock.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FaultLog implements AutoCloseable {
  static final String FILE_NAME = "faults.jsonl";

  private final HistoryWriter writer;

  FaultLog(Path folder) throws IOException {
    writer = new HistoryWriter(folder.resolve(FILE_NAME));
  }

  void recordBegin(FaultKind kind, ChaosNodeProcess node) {
    writer.writeLine(newEvent(kind).with("type", "begin").with("node", clientName(node)));
  }

  void recordEnd(FaultKind kind, ChaosNodeProcess node) {
    writer.writeLine(newEvent(kind).with("type", "end").with("node", clientName(node)));
  }

  /** Records that from now on exactly these links are cut. */
  void recordCut(FaultKind kind, Set<TestNetwork.Link> links) {
    String cut =
        links.stream()
            .map(link -> link.from() + ">" + link.to())
            .sorted()
            .collect(Collectors.joining(" "));
    writer.writeLine(newEvent(kind).with("type", "cut").with("links", cut));
  }

  /** Records how long it took until a key could be written again. */
  void recordMeasured(FailoverTimes.Cause cause, String key, long nanos) {
    writer.writeLine(
        JsonLine.empty()
            .with("time", System.nanoTime())
            .with("measured", cause.name())
            .with("key", key)
            .with("millis", TimeUnit.NANOSECONDS.toMillis(nanos)));
  }

  private static JsonLine newEvent(FaultKind kind) {
    return JsonLine.empty().with("time", System.nanoTime()).with("fault", kind.name());
  }

  /** Returns the prefix of the names of a node's clients. */
  private static String clientName(ChaosNodeProcess node) {
    return node.settings().place() + "." + node.settings().incarnation();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
