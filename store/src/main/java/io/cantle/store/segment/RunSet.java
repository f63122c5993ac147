package io.cantle.store.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a store.
 *
 * <p><b>Threading:</b> any thread reads; the one that compacts adds and removes.
 */
final class RunSet implements Closeable {
  private final Map<Integer, RunFile> files = new ConcurrentHashMap<>();

  /** All runs, the oldest first. */
  List<RunFile> allRuns() {
    return files.values().stream().sorted(Comparator.comparingInt(RunFile::id)).toList();
  }

  @Nullable RunFile get(int id) {
    return files.get(id);
  }

  void add(RunFile file) {
    files.put(file.id(), file);
  }

  void remove(RunFile file) throws IOException {
    files.remove(file.id());
    file.close();
  }

  /** The run that a location is in. */
  RunFile runAt(long location) throws ClosedChannelException {
    RunFile file = files.get(RecordLocation.runId(location));
    if (file == null) {
      throw new ClosedChannelException();
    }
    return file;
  }

  /**
   * Adds to the live bytes of the run that a location is in; locations in the log are not counted.
   */
  void countLive(long location, int address, long bytes) {
    if (RecordLocation.isInRun(location)) {
      RunFile file = files.get(RecordLocation.runId(location));
      if (file != null) {
        file.countLive(address, bytes);
      }
    }
  }

  /** Counts nothing of a segment as live any more. */
  void dropLive(int address) {
    files.values().forEach(file -> file.dropLive(address));
  }

  @Override
  public void close() throws IOException {
    for (RunFile file : files.values()) {
      file.close();
    }
  }
}
