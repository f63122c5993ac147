package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A disk in memory that does, from a seed, whatever a disk may do. What was not synced is lost or
 * kept at a power cut by sectors of 512 bytes, each for itself; names as well, each change for
 * itself. A chosen call is the last one and happens only in part; a chosen write or sync fails; a
 * chosen {@link SyncPoint} is forgotten, to see whether a test notices.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class SimulatedDisk implements Disk {
  private static final int SECTOR = 512;

  private final RandomGenerator random;
  private final Set<SyncPoint> forgotten = EnumSet.noneOf(SyncPoint.class);
  private final Map<SyncPoint, Integer> syncs = new TreeMap<>();

  private Map<String, Content> names = new HashMap<>();
  private Map<String, Content> durableNames = new HashMap<>();
  private final List<Runnable> unsyncedNames = new ArrayList<>();
  private boolean exists;
  private boolean existsDurably;
  private boolean takesDurableWrites = true;
  private long capacity = Long.MAX_VALUE;
  private int calls;
  private int lastCall = Integer.MAX_VALUE;
  private int failingCall = Integer.MAX_VALUE;
  private int lostWrite = Integer.MAX_VALUE;
  private int misdirectedWrite = Integer.MAX_VALUE;
  private int life;

  /** The machine is gone in the middle of a call. */
  public static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
      super("the simulated machine stopped", null, false, false);
    }
  }

  /** What a file holds, whatever its name is. */
  private static final class Content {
    byte[] cached = {};
    byte[] durable = {};
    final Map<Integer, List<byte[]>> unsynced = new TreeMap<>();
  }

  /** An empty disk that does by chance what it may do. */
  public SimulatedDisk(RandomGenerator random) {
    this.random = random;
  }

  /** Never makes this durable, and says it did. */
  public SimulatedDisk forget(SyncPoint point) {
    boolean _ = forgotten.add(point);
    return this;
  }

  /** Whether writes can be durable when they return; otherwise they have to be forced. */
  public SimulatedDisk takeDurableWrites(boolean take) {
    takesDurableWrites = take;
    return this;
  }

  /** Is full when so many bytes are in all files. */
  public SimulatedDisk capacity(long bytes) {
    capacity = bytes;
    return this;
  }

  /** Stops in the middle of the call of this number, counted from now on. */
  public void crashAt(int call) {
    lastCall = calls + call;
  }

  /** Fails in the call of this number, counted from now on. */
  public void failAt(int call) {
    failingCall = calls + call;
  }

  /** Says that the write of this number, or the first one after it, was done; it was not. */
  public void loseAt(int call) {
    lostWrite = calls + call;
  }

  /** Writes to a wrong place in the write of this number, or in the first one after it. */
  public void misdirectAt(int call) {
    misdirectedWrite = calls + call;
  }

  /** How many calls changed something, or should have. */
  public int calls() {
    return calls;
  }

  /** How often the process ended or the power was cut. */
  public int restarts() {
    return life;
  }

  /** How often each kind of sync was asked for. */
  public Map<SyncPoint, Integer> syncs() {
    return syncs;
  }

  /** The process ended; the system goes on, and has in its cache whatever was written. */
  public void kill() {
    restart();
  }

  /** The power was cut. */
  public void cutPower() {
    for (Runnable change : unsyncedNames) {
      if (random.nextBoolean()) {
        change.run();
      }
    }
    unsyncedNames.clear();
    if (!existsDurably && random.nextBoolean()) {
      exists = false;
      durableNames.clear();
    }
    names = new HashMap<>(durableNames);
    names.values().forEach(this::loseUnsynced);
    restart();
  }

  private void loseUnsynced(Content content) {
    boolean grown = random.nextBoolean();
    byte[] left =
        Arrays.copyOf(
            content.durable,
            grown
                ? Math.max(content.cached.length, content.durable.length)
                : content.durable.length);
    content.unsynced.forEach(
        (sector, versions) -> {
          int version = random.nextInt(versions.size() + 1);
          int place = sector * SECTOR;
          if (version > 0 && place < left.length) {
            byte[] bytes = versions.get(version - 1);
            System.arraycopy(bytes, 0, left, place, Math.min(bytes.length, left.length - place));
          }
        });
    content.durable = left;
    content.cached = left.clone();
    content.unsynced.clear();
  }

  private void restart() {
    life++;
    lastCall = Integer.MAX_VALUE;
    failingCall = Integer.MAX_VALUE;
  }

  /** Turns one bit of a file over, on the disk and in the cache. */
  public void flip(String name, long place, int bit) {
    Content content = content(name);
    content.cached[(int) place] ^= (byte) (1 << bit);
    content.durable = content.cached.clone();
    content.unsynced.clear();
  }

  /** How much is in all files. */
  public long used() {
    return names.values().stream().mapToLong(file -> file.cached.length).sum();
  }

  /** How long a file is. */
  public long length(String name) {
    return content(name).cached.length;
  }

  private Content content(String name) {
    Content content = names.get(name);
    if (content == null) {
      throw new IllegalArgumentException("there is no " + name);
    }
    return content;
  }

  private boolean isLast() {
    if (calls >= lastCall) {
      throw new Crash();
    }
    return ++calls >= lastCall;
  }

  private void maybeFail(String what) throws IOException {
    if (calls >= failingCall) {
      failingCall = Integer.MAX_VALUE;
      throw new IOException("simulated: Input/output error in " + what);
    }
  }

  @Override
  public void makeHome() {
    if (!exists) {
      boolean last = isLast();
      exists = true;
      if (last) {
        throw new Crash();
      }
    }
    count(SyncPoint.HOME);
    if (!forgotten.contains(SyncPoint.HOME)) {
      existsDurably = true;
    }
  }

  private void count(SyncPoint point) {
    syncs.merge(point, 1, Integer::sum);
  }

  @Override
  public List<String> names() {
    return List.copyOf(names.keySet());
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    boolean last = isLast();
    maybeFail("create of " + name);
    Content content = new Content();
    change(last, () -> names.put(name, content), () -> durableNames.put(name, content));
    return new Open(content, access);
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    Content content = names.get(name);
    if (content == null) {
      throw new IOException("there is no " + name);
    }
    return new Open(content, access);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    boolean last = isLast();
    maybeFail("rename of " + from);
    Content content = names.get(from);
    if (content == null) {
      throw new IOException("there is no " + from);
    }
    change(
        last,
        () -> {
          names.remove(from);
          names.put(to, content);
        },
        () -> {
          durableNames.remove(from, content);
          durableNames.put(to, content);
        });
  }

  @Override
  public void delete(String name) throws IOException {
    boolean last = isLast();
    maybeFail("delete of " + name);
    Content content = names.get(name);
    change(last, () -> names.remove(name), () -> durableNames.remove(name, content));
  }

  private void change(boolean last, Runnable now, Runnable durably) {
    if (last && random.nextBoolean()) {
      throw new Crash();
    }
    now.run();
    unsyncedNames.add(durably);
    if (last) {
      throw new Crash();
    }
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    boolean last = isLast();
    maybeFail("sync of names for " + why);
    count(why);
    if (!forgotten.contains(why) && !(last && random.nextBoolean())) {
      unsyncedNames.forEach(Runnable::run);
      unsyncedNames.clear();
    }
    if (last) {
      throw new Crash();
    }
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String place() {
    return "simulated";
  }

  /** An open file. */
  private final class Open implements DiskFile {
    private final Content content;
    private final Access access;
    private final int openedIn = life;

    Open(Content content, Access access) {
      this.content = content;
      this.access = access;
    }

    @Override
    public long length() {
      return content.cached.length;
    }

    @Override
    public boolean isDurable() {
      return access == Access.DURABLE && takesDurableWrites;
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
      mustBeOpen();
      int length = (int) Math.min(into.remaining(), content.cached.length - place);
      if (length <= 0) {
        return -1;
      }
      into.put(content.cached, (int) place, length);
      return length;
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
      mustBeOpen();
      boolean last = isLast();
      int length = from.remaining();
      if (length > Disk.BLOCK && random.nextInt(4) == 0) {
        length = (1 + random.nextInt(length / Disk.BLOCK)) * Disk.BLOCK;
      }
      if (isDurable() && (length % Disk.BLOCK != 0 || place % Disk.BLOCK != 0)) {
        throw new IOException("a direct write of " + length + " bytes to " + place);
      }
      byte[] bytes = new byte[length];
      from.get(bytes);
      long to = place;
      if (calls >= misdirectedWrite && content.cached.length > 2 * Disk.BLOCK) {
        misdirectedWrite = Integer.MAX_VALUE;
        int blocks = Math.max(0, content.cached.length - length) / Disk.BLOCK;
        to = (long) random.nextInt(blocks + 1) * Disk.BLOCK;
      }
      if (calls >= lostWrite) {
        lostWrite = Integer.MAX_VALUE;
        return length;
      }
      boolean fails = calls >= failingCall;
      if (fails || last) {
        writeSome(bytes, (int) to);
      }
      maybeFail("write for " + why);
      if (last) {
        throw new Crash();
      }
      grow(to + length);
      boolean durable = isDurable() && !forgotten.contains(why);
      if (isDurable()) {
        count(why);
      }
      for (int at = 0; at < length; ) {
        int end = Math.min(length, at + SECTOR - (int) ((to + at) % SECTOR));
        write((int) to + at, Arrays.copyOfRange(bytes, at, end), durable);
        at = end;
      }
      return length;
    }

    /** A write that does not come to its end: some sectors of it, in no order. */
    private void writeSome(byte[] bytes, int place) throws IOException {
      grow((long) place + bytes.length);
      for (int at = 0; at < bytes.length; ) {
        int end = Math.min(bytes.length, at + SECTOR - (place + at) % SECTOR);
        if (random.nextBoolean()) {
          byte[] part = Arrays.copyOfRange(bytes, at, end);
          write(place + at, part, isDurable() && random.nextBoolean());
        }
        at = end;
      }
    }

    private void grow(long length) throws IOException {
      int more = (int) Math.max(0, length - content.cached.length);
      if (more > 0 && used() + more > capacity) {
        throw new IOException("simulated: No space left on device");
      }
      if (more > 0) {
        content.cached = Arrays.copyOf(content.cached, content.cached.length + more);
      }
    }

    /** Writes within one sector, of which the whole is what the disk will get. */
    private void write(int at, byte[] part, boolean durable) {
      System.arraycopy(part, 0, content.cached, at, part.length);
      int number = at / SECTOR;
      int place = number * SECTOR;
      int end = Math.min(place + SECTOR, content.cached.length);
      byte[] sector = Arrays.copyOfRange(content.cached, place, end);
      if (durable) {
        if (content.durable.length < place + sector.length) {
          content.durable = Arrays.copyOf(content.durable, place + sector.length);
        }
        System.arraycopy(sector, 0, content.durable, place, sector.length);
        content.unsynced.remove(number);
      } else {
        content.unsynced.computeIfAbsent(number, _ -> new ArrayList<>()).add(sector);
      }
    }

    @Override
    public void force(SyncPoint why) throws IOException {
      mustBeOpen();
      boolean last = isLast();
      boolean fails = calls >= failingCall;
      if (last || fails) {
        persist(true);
      }
      if (fails) {
        // The pages count as clean from now on: the next force has nothing to do.
        content.unsynced.clear();
      }
      maybeFail("sync for " + why);
      count(why);
      if (last) {
        throw new Crash();
      }
      if (!forgotten.contains(why)) {
        persist(false);
        content.unsynced.clear();
      }
    }

    /** What was to become durable does: all of it, or some. */
    private void persist(boolean some) {
      if (!some || random.nextBoolean()) {
        content.durable =
            Arrays.copyOf(content.durable, Math.max(content.durable.length, content.cached.length));
      }
      content.unsynced.forEach(
          (sector, versions) -> {
            int place = sector * SECTOR;
            int length = Math.min(SECTOR, content.durable.length - place);
            if (length > 0 && (!some || random.nextBoolean())) {
              byte[] bytes = versions.getLast();
              System.arraycopy(bytes, 0, content.durable, place, Math.min(bytes.length, length));
            }
          });
    }

    private void mustBeOpen() {
      if (openedIn != life) {
        throw new IllegalStateException("this file was opened before the crash");
      }
    }

    @Override
    public void close() {}
  }
}
