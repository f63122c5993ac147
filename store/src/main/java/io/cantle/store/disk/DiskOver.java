package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A disk that has another do everything, for those that change a part of it: one that is slow, or
 * counts, or waits. Its files are {@link FileOver}s or the other's own.
 *
 * <p><b>Threading:</b> as the other.
 */
public class DiskOver implements Disk {
  private final Disk disk;

  /** Over this one. */
  public DiskOver(Disk disk) {
    this.disk = disk;
  }

  @Override
  public void makeHome() throws IOException {
    disk.makeHome();
  }

  @Override
  public List<String> names() throws IOException {
    return disk.names();
  }

  @Override
  public DiskFile create(String name, Access access) throws IOException {
    return disk.create(name, access);
  }

  @Override
  public DiskFile open(String name, Access access) throws IOException {
    return disk.open(name, access);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public void syncNames(SyncPoint why) throws IOException {
    disk.syncNames(why);
  }

  @Override
  public ByteBuffer buffer(int bytes) {
    return disk.buffer(bytes);
  }

  @Override
  public String place() {
    return disk.place();
  }
}
