package io.cantle.crash;

import io.cantle.store.disk.Access;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The process that writes and is stopped.
 *
 * <p><b>Threading:</b> the main thread, and those of its {@link Work}.
 */
final class Writer {
  /** Nothing is planted. */
  static final String HONEST = "honest";

  private Writer() {}

  /** The words of its command line. */
  static List<String> words(
      Path folder, boolean isLog, boolean isDirect, long first, String forgotten) {
    return List.of(
        folder.toString(),
        isLog ? "log" : "store",
        isDirect ? "direct" : "buffered",
        Long.toString(first),
        forgotten);
  }

  /** Writes until it is stopped; ends with 0 when writing failed. */
  public static void main(String... words) throws IOException, InterruptedException {
    Say say = new Say(new FileOutputStream(FileDescriptor.out));
    Disk disk = disk(Path.of(words[0]), words[2].equals("direct"), words[4]);
    Work work = words[1].equals("log") ? new LogWork() : new StoreWork();
    say.line(Say.OPENING);
    try {
      work.write(disk, Long.parseLong(words[3]), say);
    } catch (IOException e) {
      say.line(Say.FAILED + " " + e);
    }
    // Without closing what it has opened: that is not what is tested.
    Runtime.getRuntime().halt(0);
  }

  /** The disk of a folder as a writer sees it. */
  static Disk disk(Path folder, boolean isDirect, String forgotten) {
    Disk disk = new FileDisk(folder);
    if (!isDirect) {
      disk = new Buffered(disk);
    }
    return forgotten.equals(HONEST) ? disk : new Forgetful(disk, SyncPoint.valueOf(forgotten));
  }

  /** A disk that takes no writes past the cache, as some file systems do not. */
  private static final class Buffered extends DiskOver {
    Buffered(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile create(String name, Access access) throws IOException {
      return super.create(name, access == Access.DURABLE ? Access.BUFFERED : access);
    }

    @Override
    public DiskFile open(String name, Access access) throws IOException {
      return super.open(name, access == Access.DURABLE ? Access.BUFFERED : access);
    }
  }

  /** The planted bug: a disk on which one kind of sync is not done. */
  private static final class Forgetful extends DiskOver {
    private final SyncPoint forgotten;

    Forgetful(Disk disk, SyncPoint forgotten) {
      super(new Buffered(disk));
      this.forgotten = forgotten;
    }

    @Override
    public DiskFile create(String name, Access access) throws IOException {
      return over(super.create(name, access));
    }

    @Override
    public DiskFile open(String name, Access access) throws IOException {
      return over(super.open(name, access));
    }

    @Override
    public void syncNames(SyncPoint why) throws IOException {
      if (why != forgotten) {
        super.syncNames(why);
      }
    }

    private DiskFile over(DiskFile file) {
      return new FileOver(file) {
        @Override
        public void force(SyncPoint why) throws IOException {
          if (why != forgotten) {
            super.force(why);
          }
        }
      };
    }
  }
}
