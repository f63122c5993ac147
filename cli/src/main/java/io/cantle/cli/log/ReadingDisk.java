package io.cantle.cli.log;

import io.cantle.cli.console.Story;
import io.cantle.store.disk.Access;
import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.DiskOver;
import io.cantle.store.disk.FileDisk;
import io.cantle.store.disk.FileOver;
import io.cantle.store.disk.SyncPoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The files of a folder, of which nothing can be changed, and which tell how far reading them has
 * come.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class ReadingDisk extends DiskOver {
  private final Path folder;
  private final Story story;
  private long bytes;

  ReadingDisk(Path folder, Story story) {
    super(new FileDisk(folder));
    this.folder = folder;
    this.story = story;
  }

  Path folder() {
    return folder;
  }

  /** How many bytes files have whose name ends like this. */
  long length(String suffix) throws IOException {
    long length = 0;
    for (String name : names()) {
      if (name.endsWith(suffix)) {
        try (DiskFile file = super.open(name, Access.READ)) {
          length += file.length();
        }
      }
    }
    return length;
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    if (access != Access.READ) {
      throw refusal(name);
    }
    return new FileOver(super.open(name, access)) {
      @Override
      public int read(ByteBuffer into, long place) throws IOException {
        int read = super.read(into, place);
        bytes += Math.max(0, read);
        story.reached(bytes);
        return read;
      }
    };
  }

  @Override
  public void makeHome() throws IOException {
    throw refusal("the folder");
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    throw refusal(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    throw refusal(from);
  }

  @Override
  public void delete(String name) throws IOException {
    throw refusal(name);
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    throw refusal("the folder");
  }

  private IOException refusal(String what) {
    return new IOException(what + " of " + folder + " is only read");
  }
}
