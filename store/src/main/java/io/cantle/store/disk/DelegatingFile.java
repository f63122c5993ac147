package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file that forwards every call to another file. It is the base of files that change a part of
 * the behaviour; see {@link DelegatingDisk}.
 *
 * <p><b>Threading:</b> as the other file.
 */
public class DelegatingFile implements DiskFile {
  private final DiskFile file;

  /** Forwards to this file. */
  public DelegatingFile(DiskFile file) {
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
  public int write(ByteBuffer from, long place, SyncPoint syncPoint) throws IOException {
    return file.write(from, place, syncPoint);
  }

  @Override
  public void force(SyncPoint syncPoint) throws IOException {
    file.force(syncPoint);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
