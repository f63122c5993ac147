package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
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
 * A disk in memory that does anything that a disk may do, chosen by a seed. At a power cut, each
 * sector of 512 bytes that was not synced is lost or kept by itself, and so is each change of a
 * name. A chosen call is the last one and happens only in part; a chosen write or sync fails; a
 * chosen {@link SyncPoint} is ignored, to see whether a test notices.
 *
 * <p><b>Threading:</b> one thread.
 */
public final class SimulatedDisk implements Disk {
  private static final int SECTOR_BYTES = 512;

  private final RandomGenerator random;
  private final Set<SyncPoint> forgottenSyncPoints = EnumSet.noneOf(SyncPoint.class);
  private final Map<SyncPoint, Integer> syncs = new TreeMap<>();

  private Map<String, Content> names = new HashMap<>();
  private Map<String, Content> durableNames = new HashMap<>();
  private final List<Runnable> unsyncedNames = new ArrayList<>();
  private boolean directoryExists;
  private boolean directoryExistsDurably;
  private boolean takesDurableWrites = true;
  private long capacity = Long.MAX_VALUE;
  private int calls;
  private int lastCall = Integer.MAX_VALUE;
  private int failingCall = Integer.MAX_VALUE;
  private int lostWrite = Integer.MAX_VALUE;
  private int misdirectedWrite = Integer.MAX_VALUE;
  private int incarnation;

  /** The machine stops in the middle of a call. */
  public static final class Crash extends Error {
    private static final long serialVersionUID = 1;

    Crash() {
      super("the simulated machine stopped", null, false, false);
    }
  }

  /** The contents of a file, whatever its name is. */
  private static final class Content {
    byte[] cachedBytes = {};
    byte[] durableBytes = {};
    final Map<Integer, List<byte[]>> unsyncedSectors = new TreeMap<>();
  }

  /** An empty disk that makes its choices by this generator. */
  public SimulatedDisk(RandomGenerator random) {
    this.random = random;
  }

  /** Ignores syncs of this kind from now on, although it reports success. */
  public SimulatedDisk forgetSync(SyncPoint point) {
    boolean _ = forgottenSyncPoints.add(point);
    return this;
  }

  /** Sets whether writes can be durable when they return; otherwise they must be forced. */
  public SimulatedDisk takeDurableWrites(boolean take) {
    takesDurableWrites = take;
    return this;
  }

  /** Makes the disk full once all files together have so many bytes. */
  public SimulatedDisk setCapacity(long bytes) {
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

  /** Loses the write of this number, or the first one after it, but reports success. */
  public void loseWriteAt(int call) {
    lostWrite = calls + call;
  }

  /** Writes to a wrong place in the write of this number, or in the first one after it. */
  public void misdirectWriteAt(int call) {
    misdirectedWrite = calls + call;
  }

  /** How many calls changed something, or should have. */
  public int calls() {
    return calls;
  }

  /** How often the process ended or the power was cut. */
  public int restarts() {
    return incarnation;
  }

  /** How often each kind of sync was called. */
  public Map<SyncPoint, Integer> syncs() {
    return syncs;
  }

  /** The process ends. The system goes on and has everything that was written in its cache. */
  public void kill() {
    restart();
  }

  /** The power is cut. */
  public void cutPower() {
    for (Runnable change : unsyncedNames) {
      if (random.nextBoolean()) {
        change.run();
      }
    }
    unsyncedNames.clear();
    if (!directoryExistsDurably && random.nextBoolean()) {
      directoryExists = false;
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
            content.durableBytes,
            grown
                ? Math.max(content.cachedBytes.length, content.durableBytes.length)
                : content.durableBytes.length);
    content.unsyncedSectors.forEach(
        (sector, versions) -> {
          int version = random.nextInt(versions.size() + 1);
          int place = sector * SECTOR_BYTES;
          if (version > 0 && place < left.length) {
            byte[] bytes = versions.get(version - 1);
            System.arraycopy(bytes, 0, left, place, Math.min(bytes.length, left.length - place));
          }
        });
    content.durableBytes = left;
    content.cachedBytes = left.clone();
    content.unsyncedSectors.clear();
  }

  private void restart() {
    incarnation++;
    lastCall = Integer.MAX_VALUE;
    failingCall = Integer.MAX_VALUE;
  }

  /** Flips one bit of a file, on the disk and in the cache. */
  public void flipBit(String name, long place, int bit) {
    Content content = content(name);
    content.cachedBytes[(int) place] ^= (byte) (1 << bit);
    content.durableBytes = content.cachedBytes.clone();
    content.unsyncedSectors.clear();
  }

  /** How many bytes all files have together. */
  public long usedBytes() {
    return names.values().stream().mapToLong(file -> file.cachedBytes.length).sum();
  }

  /** The length of a file. */
  public long length(String name) {
    return content(name).cachedBytes.length;
  }

  private Content content(String name) {
    Content content = names.get(name);
    if (content == null) {
      throw new IllegalArgumentException("there is no " + name);
    }
    return content;
  }

  private boolean countAndCheckLastCall() {
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
  public void createDirectory() {
    if (!directoryExists) {
      boolean last = countAndCheckLastCall();
      directoryExists = true;
      if (last) {
        throw new Crash();
      }
    }
    countCall(SyncPoint.HOME);
    if (!forgottenSyncPoints.contains(SyncPoint.HOME)) {
      directoryExistsDurably = true;
    }
  }

  private void countCall(SyncPoint point) {
    syncs.merge(point, 1, Integer::sum);
  }

  @Override
  public List<String> names() {
    return List.copyOf(names.keySet());
  }

  @Override
  public DiskFile create(String name, FileAccess access) throws IOException {
    boolean last = countAndCheckLastCall();
    maybeFail("create of " + name);
    Content content = new Content();
    changeName(last, () -> names.put(name, content), () -> durableNames.put(name, content));
    return new SimulatedFile(content, access);
  }

  @Override
  public DiskFile open(String name, FileAccess access) throws IOException {
    Content content = names.get(name);
    if (content == null) {
      throw new IOException("there is no " + name);
    }
    return new SimulatedFile(content, access);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    boolean last = countAndCheckLastCall();
    maybeFail("rename of " + from);
    Content content = names.get(from);
    if (content == null) {
      throw new IOException("there is no " + from);
    }
    changeName(
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
    boolean last = countAndCheckLastCall();
    maybeFail("delete of " + name);
    Content content = names.get(name);
    changeName(last, () -> names.remove(name), () -> durableNames.remove(name, content));
  }

  private void changeName(boolean last, Runnable now, Runnable durably) {
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
  public void syncNames(SyncPoint syncPoint) throws IOException {
    boolean last = countAndCheckLastCall();
    maybeFail("sync of names for " + syncPoint);
    countCall(syncPoint);
    if (!forgottenSyncPoints.contains(syncPoint) && !(last && random.nextBoolean())) {
      unsyncedNames.forEach(Runnable::run);
      unsyncedNames.clear();
    }
    if (last) {
      throw new Crash();
    }
  }

  @Override
  public ByteBuffer allocateBuffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String location() {
    return "simulated";
  }

  /** An open file. */
  private final class SimulatedFile implements DiskFile {
    private final Content content;
    private final FileAccess access;
    private final int openedIn = incarnation;
    private boolean closed;

    SimulatedFile(Content content, FileAccess access) {
      this.content = content;
      this.access = access;
    }

    @Override
    public long length() {
      return content.cachedBytes.length;
    }

    @Override
    public boolean isDurable() {
      return access == FileAccess.DURABLE && takesDurableWrites;
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
      mustBeOpen();
      if (closed) {
        throw new ClosedChannelException();
      }
      int length = (int) Math.min(into.remaining(), content.cachedBytes.length - place);
      if (length <= 0) {
        return -1;
      }
      into.put(content.cachedBytes, (int) place, length);
      return length;
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
      mustBeOpen();
      boolean last = countAndCheckLastCall();
      int length = from.remaining();
      if (length > Disk.BLOCK_BYTES && random.nextInt(4) == 0) {
        length = (1 + random.nextInt(length / Disk.BLOCK_BYTES)) * Disk.BLOCK_BYTES;
      }
      if (isDurable() && (length % Disk.BLOCK_BYTES != 0 || place % Disk.BLOCK_BYTES != 0)) {
        throw new IOException("a direct write of " + length + " bytes to " + place);
      }
      byte[] bytes = new byte[length];
      from.get(bytes);
      long to = place;
      if (calls >= misdirectedWrite && content.cachedBytes.length > 2 * Disk.BLOCK_BYTES) {
        misdirectedWrite = Integer.MAX_VALUE;
        int blocks = Math.max(0, content.cachedBytes.length - length) / Disk.BLOCK_BYTES;
        to = (long) random.nextInt(blocks + 1) * Disk.BLOCK_BYTES;
      }
      if (calls >= lostWrite) {
        lostWrite = Integer.MAX_VALUE;
        return length;
      }
      boolean fails = calls >= failingCall;
      if (fails || last) {
        writeSome(bytes, (int) to);
      }
      maybeFail("write for " + syncPoint);
      if (last) {
        throw new Crash();
      }
      grow(to + length);
      boolean durable = isDurable() && !forgottenSyncPoints.contains(syncPoint);
      if (isDurable()) {
        countCall(syncPoint);
      }
      for (int at = 0; at < length; ) {
        int end = Math.min(length, at + SECTOR_BYTES - (int) ((to + at) % SECTOR_BYTES));
        write((int) to + at, Arrays.copyOfRange(bytes, at, end), durable);
        at = end;
      }
      return length;
    }

    /** Performs a write that does not complete: some of its sectors are written, in no order. */
    private void writeSome(byte[] bytes, int place) throws IOException {
      grow((long) place + bytes.length);
      for (int at = 0; at < bytes.length; ) {
        int end = Math.min(bytes.length, at + SECTOR_BYTES - (place + at) % SECTOR_BYTES);
        if (random.nextBoolean()) {
          byte[] part = Arrays.copyOfRange(bytes, at, end);
          write(place + at, part, isDurable() && random.nextBoolean());
        }
        at = end;
      }
    }

    private void grow(long length) throws IOException {
      int more = (int) Math.max(0, length - content.cachedBytes.length);
      if (more > 0 && usedBytes() + more > capacity) {
        throw new IOException("simulated: No space left on device");
      }
      if (more > 0) {
        content.cachedBytes = Arrays.copyOf(content.cachedBytes, content.cachedBytes.length + more);
      }
    }

    /** Writes within one sector; the disk gets the whole sector. */
    private void write(int at, byte[] part, boolean durable) {
      System.arraycopy(part, 0, content.cachedBytes, at, part.length);
      int number = at / SECTOR_BYTES;
      int place = number * SECTOR_BYTES;
      int end = Math.min(place + SECTOR_BYTES, content.cachedBytes.length);
      byte[] sector = Arrays.copyOfRange(content.cachedBytes, place, end);
      if (durable) {
        if (content.durableBytes.length < place + sector.length) {
          content.durableBytes = Arrays.copyOf(content.durableBytes, place + sector.length);
        }
        System.arraycopy(sector, 0, content.durableBytes, place, sector.length);
        content.unsyncedSectors.remove(number);
      } else {
        content.unsyncedSectors.computeIfAbsent(number, _ -> new ArrayList<>()).add(sector);
      }
    }

    @Override
    public void force(SyncPoint syncPoint) throws IOException {
      mustBeOpen();
      boolean last = countAndCheckLastCall();
      boolean fails = calls >= failingCall;
      if (last || fails) {
        persistSectors(true);
      }
      if (fails) {
        // The pages count as clean from now on: the next force has nothing to do.
        content.unsyncedSectors.clear();
      }
      maybeFail("sync for " + syncPoint);
      countCall(syncPoint);
      if (last) {
        throw new Crash();
      }
      if (!forgottenSyncPoints.contains(syncPoint)) {
        persistSectors(false);
        content.unsyncedSectors.clear();
      }
    }

    /** Makes unsynced sectors durable: all of them, or some. */
    private void persistSectors(boolean some) {
      if (!some || random.nextBoolean()) {
        content.durableBytes =
            Arrays.copyOf(
                content.durableBytes,
                Math.max(content.durableBytes.length, content.cachedBytes.length));
      }
      content.unsyncedSectors.forEach(
          (sector, versions) -> {
            int place = sector * SECTOR_BYTES;
            int length = Math.min(SECTOR_BYTES, content.durableBytes.length - place);
            if (length > 0 && (!some || random.nextBoolean())) {
              byte[] bytes = versions.getLast();
              System.arraycopy(
                  bytes, 0, content.durableBytes, place, Math.min(bytes.length, length));
            }
          });
    }

    private void mustBeOpen() {
      if (openedIn != incarnation) {
        throw new IllegalStateException("this file was opened before the crash");
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
