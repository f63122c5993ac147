package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that has another do everything, for those that change a part of it; see {@link DiskOver}.
 *
 * <p><b>Threading:</b> as the other.
 */
public class FileOver implements DiskFile {
  private final DiskFile file;

  /** Over this one. */
  public FileOver(DiskFile file) {
    this.file = file;
  }

  @Override
  public long length() throws IOException {
    return file.length();
  }

  @Override
  public boolean isDurable() {
    return file.isDurable();
  }

  @Override
  public int read(ByteBuffer into, long place) throws IOException {
    return file.read(into, place);
  }

  @Override
  public int write(ByteBuffer from, long place, SyncPoint why) throws IOException {
    return file.write(from, place, why);
  }

  @Override
  public void force(SyncPoint why) throws IOException {
    file.force(why);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
