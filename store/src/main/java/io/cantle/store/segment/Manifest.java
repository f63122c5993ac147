package io.cantle.store.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What there is besides the log: a record in the log, of which the last one holds good. What the
 * log has before {@code from} is in the runs or is not wanted any more, so incarnations and notes
 * are here too.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param neededFromLsn the first number of the log that is still needed
 * @param nextRunId the number the next run is given; none that was named once is given again
 * @param runIds the numbers of the runs
 * @param incarnations the life each segment is in, by its address, but for those in their first
 * @param notes the notes by their names
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares manifests.
record Manifest(
    long neededFromLsn,
    int nextRunId,
    List<Integer> runIds,
    Map<Integer, Long> incarnations,
    Map<String, byte[]> notes) {

  static final Manifest EMPTY = new Manifest(0, 1, List.of(), Map.of(), Map.of());

  private static final int VERSION = 1;

  byte[] encode() {
    List<byte[]> names = new ArrayList<>();
    int length = 28 + 4 * runIds.size() + 12 * incarnations.size();
    TreeMap<String, byte[]> sorted = new TreeMap<>(notes);
    for (Map.Entry<String, byte[]> note : sorted.entrySet()) {
      byte[] name = note.getKey().getBytes(StandardCharsets.UTF_8);
      names.add(name);
      length += 8 + name.length + note.getValue().length;
    }
    byte[] bytes = new byte[length];
    ByteBuffer to = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(VERSION).putLong(neededFromLsn).putInt(nextRunId);
    to.putInt(runIds.size()).putInt(incarnations.size()).putInt(notes.size());
    runIds.forEach(to::putInt);
    new TreeMap<>(incarnations)
        .forEach((address, incarnation) -> to.putInt(address).putLong(incarnation));
    int index = 0;
    for (byte[] note : sorted.values()) {
      byte[] name = names.get(index++);
      to.putInt(name.length).putInt(note.length).put(name).put(note);
    }
    return bytes;
  }

  /**
   * Reads what {@link #encode} wrote, whose checksum was found right.
   *
   * @throws IllegalArgumentException if it is of another version
   */
  static Manifest decode(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int version = from.getInt();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "the manifest is of version " + version + ", this is version " + VERSION);
    }
    long first = from.getLong();
    int nextRun = from.getInt();
    int runCount = from.getInt();
    int incarnationCount = from.getInt();
    int noteCount = from.getInt();
    List<Integer> runs = new ArrayList<>();
    for (int index = 0; index < runCount; index++) {
      runs.add(from.getInt());
    }
    Map<Integer, Long> incarnations = new TreeMap<>();
    for (int index = 0; index < incarnationCount; index++) {
      incarnations.put(from.getInt(), from.getLong());
    }
    Map<String, byte[]> notes = new TreeMap<>();
    for (int index = 0; index < noteCount; index++) {
      byte[] name = new byte[from.getInt()];
      byte[] note = new byte[from.getInt()];
      from.get(name).get(note);
      notes.put(new String(name, StandardCharsets.UTF_8), note);
    }
    return new Manifest(first, nextRun, runs, incarnations, notes);
  }
}
