package io.cantle.crash;

import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.Disk;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.SyncPoint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The process that writes and is stopped.
 *
 * <p><b>Threading:</b> the main thread, and those of its {@link CrashWorkload}.
 */
final class CrashWriter {
  /** No bug is planted. */
  static final String HONEST = "honest";

  private CrashWriter() {}

  /** Returns the arguments of its command line. */
  static List<String> arguments(
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
    WriterOutput output = new WriterOutput(new FileOutputStream(FileDescriptor.out));
    Disk disk = createDisk(Path.of(words[0]), words[2].equals("direct"), words[4]);
    CrashWorkload workload =
        words[1].equals("log") ? new LogCrashWorkload() : new StoreCrashWorkload();
    output.writeLine(WriterOutput.OPENING);
    try {
      workload.runWriter(disk, Long.parseLong(words[3]), output);
    } catch (IOException e) {
      output.writeLine(WriterOutput.FAILED + " " + e);
    }
    // Ends without closing what it has opened: closing is not what is tested.
    Runtime.getRuntime().halt(0);
  }

  /** Creates the disk of a folder as a writer sees it. */
  static Disk createDisk(Path folder, boolean isDirect, String forgotten) {
    Disk disk = new FileDisk(folder);
    if (!isDirect) {
      disk = new BufferedDisk(disk);
    }
    return forgotten.equals(HONEST) ? disk : new ForgetfulDisk(disk, SyncPoint.valueOf(forgotten));
  }

  /** A disk that does not support direct I/O, like some file systems. */
  private static final class BufferedDisk extends DelegatingDisk {
    BufferedDisk(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile create(String name, FileAccess access) throws IOException {
      return super.create(name, access == FileAccess.DURABLE ? FileAccess.BUFFERED : access);
    }

    @Override
    public DiskFile open(String name, FileAccess access) throws IOException {
      return super.open(name, access == FileAccess.DURABLE ? FileAccess.BUFFERED : access);
    }
  }

  /** The planted bug: a disk on which one kind of sync is not done. */
  private static final class ForgetfulDisk extends DelegatingDisk {
    private final SyncPoint forgotten;

    ForgetfulDisk(Disk disk, SyncPoint forgotten) {
      super(new BufferedDisk(disk));
      this.forgotten = forgotten;
    }

    @Override
    public void syncNames(SyncPoint syncPoint) throws IOException {
      if (syncPoint != forgotten) {
        super.syncNames(syncPoint);
      }
    }

    @Override
    protected DiskFile wrap(DiskFile file) {
      return new DelegatingFile(file) {
        @Override
        public void force(SyncPoint syncPoint) throws IOException {
          if (syncPoint != forgotten) {
            super.force(syncPoint);
          }
        }
      };
    }
  }
}
