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
 * A directory of the file system. Files opened as {@link FileAccess#DURABLE} are written with
 * {@code O_DIRECT} and {@code O_DSYNC}: then an error belongs to the write that failed, and a write
 * costs one round trip to the device. Where the file system refuses that, they are written through
 * its cache and forced.
 *
 * <p>Interrupting a thread that reads closes the channel it reads from, for all threads. A file
 * opened to read therefore reopens its channel. A file opened to write is for a thread that is
 * never interrupted.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class FileDisk implements Disk {
  private static final Optional<OpenOption> DIRECT_OPTION = findDirectOption();

  private final Path directory;

  /** A disk in this directory, which {@link #createDirectory} creates if it is missing. */
  public FileDisk(Path directory) {
    this.directory = directory.toAbsolutePath().normalize();
  }

  @Override
  public void createDirectory() throws IOException {
    Path missing = directory;
    while (missing != null && !Files.exists(missing)) {
      missing = missing.getParent();
    }
    Files.createDirectories(directory);
    // The name of each new directory is in its parent, which must be synced too.
    for (Path made = directory; made != null && !made.equals(missing); made = made.getParent()) {
      Path parent = made.getParent();
      if (parent != null) {
        syncDirectory(parent);
      }
    }
  }

  @Override
  public List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  @Override
  public DiskFile create(String name, FileAccess access) throws IOException {
    return open(
        name,
        access,
        StandardOpenOption.CREATE,
        StandardOpenOption.TRUNCATE_EXISTING,
        StandardOpenOption.WRITE,
        StandardOpenOption.READ);
  }

  @Override
  public DiskFile open(String name, FileAccess access) throws IOException {
    return access == FileAccess.READ
        ? open(name, access, StandardOpenOption.READ)
        : open(name, access, StandardOpenOption.WRITE, StandardOpenOption.READ);
  }

  private DiskFile open(String name, FileAccess access, OpenOption... options) throws IOException {
    Path path = directory.resolve(name);
    Set<OpenOption> wanted = new HashSet<>(List.of(options));
    FileChannel channel = FileChannel.open(path, wanted);
    if (access != FileAccess.DURABLE || DIRECT_OPTION.isEmpty()) {
      return new OpenFile(path, channel, access == FileAccess.READ ? access : FileAccess.BUFFERED);
    }
    wanted.removeAll(List.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING));
    wanted.add(DIRECT_OPTION.get());
    wanted.add(StandardOpenOption.DSYNC);
    try {
      if (BLOCK_BYTES % Files.getFileStore(path).getBlockSize() == 0) {
        FileChannel direct = FileChannel.open(path, wanted);
        channel.close();
        return new OpenFile(path, direct, FileAccess.DURABLE);
      }
    } catch (UnsupportedOperationException | IOException _) {
      // This file system has no such writes; the channel that is open works without them.
    }
    return new OpenFile(path, channel, FileAccess.BUFFERED);
  }

  /**
   * Looks the option up by name, because the compiler warns of a direct use and that warning cannot
   * be turned off.
   */
  private static Optional<OpenOption> findDirectOption() {
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
        directory.resolve(from),
        directory.resolve(to),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(String name) throws IOException {
    boolean _ = Files.deleteIfExists(directory.resolve(name));
  }

  @Override
  public void syncNames(SyncPoint syncPoint) throws IOException {
    syncDirectory(directory);
  }

  private static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public ByteBuffer allocateBuffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes + BLOCK_BYTES)
        .alignedSlice(BLOCK_BYTES)
        .limit(bytes)
        .slice()
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public String location() {
    return directory.toString();
  }

  /** A file of this disk. */
  private static final class OpenFile implements DiskFile {
    private final Path path;
    private final FileAccess access;
    private volatile FileChannel channel;
    private volatile boolean closed;

    OpenFile(Path path, FileChannel channel, FileAccess access) {
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
      return access == FileAccess.DURABLE;
    }

    @Override
    public int read(ByteBuffer into, long place) throws IOException {
      while (true) {
        FileChannel from = channel;
        try {
          return from.read(into, place);
        } catch (ClosedChannelException interrupted) {
          if (access != FileAccess.READ || closed || Thread.currentThread().isInterrupted()) {
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
    public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
      return channel.write(from, place);
    }

    @Override
    public void force(SyncPoint syncPoint) throws IOException {
      channel.force(syncPoint == SyncPoint.PREPARED);
    }

    @Override
    public synchronized void close() throws IOException {
      closed = true;
      channel.close();
    }
  }
}
