package io.cantle.chaos;

import io.cantle.chaos.process.JsonLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * What was done to the nodes and when, in a file next to the histories and on the same clock.
 *
 * <p><b>Threading:</b> any thread.
 */
final class FaultLog implements AutoCloseable {
  static final String FILE = "faults.jsonl";

  private final HistoryWriter writer;

  FaultLog(Path folder) throws IOException {
    writer = new HistoryWriter(folder.resolve(FILE));
  }

  void begin(FaultKind kind, NodeProcess node) {
    writer.write(event(kind).with("type", "begin").with("node", client(node)));
  }

  void end(FaultKind kind, NodeProcess node) {
    writer.write(event(kind).with("type", "end").with("node", client(node)));
  }

  /** From now on these links are cut and no others. */
  void cut(FaultKind kind, Set<Network.Link> links) {
    String cut =
        links.stream()
            .map(link -> link.from() + ">" + link.to())
            .sorted()
            .collect(Collectors.joining(" "));
    writer.write(event(kind).with("type", "cut").with("links", cut));
  }

  /** How long it took until a key could be written again. */
  void measured(Failovers.Cause cause, String key, long nanos) {
    writer.write(
        JsonLine.empty()
            .with("time", System.nanoTime())
            .with("measured", cause.name())
            .with("key", key)
            .with("millis", TimeUnit.NANOSECONDS.toMillis(nanos)));
  }

  private static JsonLine event(FaultKind kind) {
    return JsonLine.empty().with("time", System.nanoTime()).with("fault", kind.name());
  }

  /** How the clients of a node begin their names. */
  private static String client(NodeProcess node) {
    return node.settings().place() + "." + node.settings().incarnation();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
