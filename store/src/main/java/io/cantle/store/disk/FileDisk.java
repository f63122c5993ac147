package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A directory of the file system. Files opened as {@link Access#DURABLE} are written with {@code
 * O_DIRECT} and {@code O_DSYNC}: then an error belongs to the write that failed, and a write costs
 * one trip to the device. Where the file system refuses that, they are written through its cache
 * and forced.
 *
 * <p>An interrupt of a thread that reads closes the channel it reads from, for everybody. A file
 * opened to read therefore opens its channel again; one opened to write is for a thread that nobody
 * interrupts.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class FileDisk implements Disk {
  private static final Optional<OpenOption> DIRECT = direct();

  private final Path home;

  /** A disk in this directory, which {@link #makeHome} makes if it is missing. */
  public FileDisk(Path home) {
    this.home = home.toAbsolutePath().normalize();
  }

  @Override
  public void makeHome() throws IOException {
    Path missing = home;
    while (missing != null && !Files.exists(missing)) {
      missing = missing.getParent();
    }
    Files.createDirectories(home);
    // Every directory that was made has its name in the one above it.
    for (Path made = home; made != null && !made.equals(missing); made = made.getParent()) {
      Path parent = made.getParent();
      if (parent != null) {
        sync(parent);
      }
    }
  }

  @Override
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(home)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    return open(
        name,
        access,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        StandardOpenOption.READ);
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return access == Access.READ
        ? open(name, access, StandardOpenOption.READ)
        : open(name, access, StandardOpenOption.WRITE, StandardOpenOption.READ);
  }

  private DiskFile open(String name, Access access, OpenOption... options) throws IOException {
    Path path = home.resolve(name);
    Set<OpenOption> wanted = new HashSet<>(List.of(options));
    FileChannel channel = FileChannel.open(path, wanted);
    if (access != Access.DURABLE || DIRECT.isEmpty()) {
      return new Open(path, channel, access == Access.READ ? access : Access.BUFFERED);
    }
    wanted.removeAll(List.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING));
    wanted.add(DIRECT.get());
    wanted.add(StandardOpenOption.DSYNC);
    try {
      if (BLOCK % Files.getFileStore(path).getBlockSize() == 0) {
        FileChannel direct = FileChannel.open(path, wanted);
        channel.close();
        return new Open(path, direct, Access.DURABLE);
      }
    } catch (UnsupportedOperationException | IOException _) {
      // This file system has no such writes, and the channel that is open does without.
    }
    return new Open(path, channel, Access.BUFFERED);
  }

  /** By its name, because the compiler warns of it and the warning cannot be turned off. */
  private static Optional<OpenOption> direct() {
    try {
      return Stream.of(Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants())
          .filter(option -> option.toString().equals("DIRECT"))
          .map(OpenOption.class::cast)
          .findFirst();
    } catch (ClassNotFoundException _) {
      return Optional.empty();
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Files.move(
        home.resolve(from),
        home.resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    boolean _ = Files.deleteIfExists(home.resolve(name));
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    sync(home);
  }

  private static void sync(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes + BLOCK)
        .alignedSlice(BLOCK)
        .limit(bytes)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String place() {
    return home.toString();
  }

  /** A file of this disk. */
  private static final class Open implements DiskFile {
    private final Path path;
    private final Access access;
    private volatile FileChannel channel;
    private volatile boolean closed;

    Open(Path path, FileChannel channel, Access access) {
      this.path = path;
      this.channel = channel;
      this.access = access;
    }

    @Override
    public long length() throws IOException {
      return channel.size();
    }

    @Override
    public boolean isDurable() {
      return access == Access.DURABLE;
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
      while (true) {
        FileChannel from = channel;
        try {
          return from.read(into, place);
        } catch (ClosedChannelException interrupted) {
          if (access != Access.READ || closed || Thread.currentThread().isInterrupted()) {
            throw interrupted;
          }
          reopen();
        }
      }
    }

    private synchronized void reopen() throws IOException {
      if (!channel.isOpen() && !closed) {
        channel = FileChannel.open(path, StandardOpenOption.READ);
      }
    }

    @Override
    public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
      return channel.write(from, place);
    }

    @Override
    public void force(SyncPoint why) throws IOException {
      channel.force(why == SyncPoint.PREPARED);
    }

    @Override
    public synchronized void close() throws IOException {
      closed = true;
      channel.close();
    }
  }
}
