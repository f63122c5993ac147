package io.cantle.cli.log;

import io.cantle.cli.console.ProgressPrinter;
import io.cantle.store.disk.DelegatingDisk;
import io.cantle.store.disk.DelegatingFile;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * A disk that reads the files of a folder, refuses every change, and reports how much was read.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class ReadOnlyDisk extends DelegatingDisk {
  private final Path folder;
  private final ProgressPrinter progress;
  private long readBytes;

  ReadOnlyDisk(Path folder, ProgressPrinter progress) {
    super(new FileDisk(folder));
    this.folder = folder;
    this.progress = progress;
  }

  Path folder() {
    return folder;
  }

  /** The total bytes of the files whose names end with this suffix. */
  long totalBytes(String suffix) throws IOException {
    long length = 0;
    for (String name : names()) {
      if (name.endsWith(suffix)) {
        try (DiskFile file = super.open(name, FileAccess.READ)) {
          length += file.length();
        }
      }
    }
    return length;
  }

  @Override
  public DiskFile open(String name, FileAccess access) throws IOException {
    if (access != FileAccess.READ) {
      throw readOnlyException(name);
    }
    return new DelegatingFile(super.open(name, access)) {
      @Override
      public int read(ByteBuffer into, long place) throws IOException {
        int read = super.read(into, place);
        readBytes += Math.max(0, read);
        progress.updateProgress(readBytes);
        return read;
      }
    };
  }

  @Override
  public void createDirectory() throws IOException {
    throw readOnlyException("the folder");
  }

  @Override
  public DiskFile create(String name, FileAccess access) throws IOException {
    throw readOnlyException(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    throw readOnlyException(from);
  }

  @Override
  public void delete(String name) throws IOException {
    throw readOnlyException(name);
  }

  @Override
  public void syncNames(SyncPoint syncPoint) throws IOException {
    throw readOnlyException("the folder");
  }

  private IOException readOnlyException(String operation) {
    return new IOException(operation + " of " + folder + " is opened for reading only");
  }
}
