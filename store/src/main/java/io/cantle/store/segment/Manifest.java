package io.cantle.store.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A record in the log that says what the store has besides the log; the last one is current.
 * Whatever the log has before {@code neededFromLsn} is in the runs or is garbage, so incarnations
 * and notes are repeated here.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param neededFromLsn the first LSN of the log that is still needed
 * @param nextRunId the number of the next run; a number that was named once is never given again
 * @param runIds the numbers of the runs
 * @param incarnations the incarnation of each segment, by its address, except those in their first
 * @param notes the notes by their names
 */
@SuppressWarnings("ArrayRecordComponent") // Manifests are never compared.
record Manifest(
    long neededFromLsn,
    int nextRunId,
    List<Integer> runIds,
    Map<Integer, Long> incarnations,
    Map<String, byte[]> notes) {

  static final Manifest EMPTY = new Manifest(0, 1, List.of(), Map.of(), Map.of());

  private static final int VERSION = 1;

  byte[] encode() {
    int length = 28 + 4 * runIds.size() + 12 * incarnations.size();
    TreeMap<String, byte[]> sorted = new TreeMap<>(notes);
    for (Map.Entry<String, byte[]> note : sorted.entrySet()) {
      length += 8 + nameBytes(note.getKey()).length + note.getValue().length;
    }
    byte[] bytes = new byte[length];
    ByteBuffer to = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    to.putInt(VERSION).putLong(neededFromLsn).putInt(nextRunId);
    to.putInt(runIds.size()).putInt(incarnations.size()).putInt(notes.size());
    runIds.forEach(to::putInt);
    new TreeMap<>(incarnations)
        .forEach((address, incarnation) -> to.putInt(address).putLong(incarnation));
    sorted.forEach(
        (name, note) -> {
          byte[] nameBytes = nameBytes(name);
          to.putInt(nameBytes.length).putInt(note.length).put(nameBytes).put(note);
        });
    return bytes;
  }

  private static byte[] nameBytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Reads what {@link #encode} wrote, after its checksum was verified.
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
