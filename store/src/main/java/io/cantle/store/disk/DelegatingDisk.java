package io.cantle.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A disk that forwards every call to another disk. It is the base of disks that change a part of
 * the behaviour: one that is slow, or counts, or waits. Its files are {@link DelegatingFile}s or
 * those of the other disk.
 *
 * <p><b>Threading:</b> as the other disk.
 */
public class DelegatingDisk implements Disk {
  private final Disk disk;

  /** Forwards to this disk. */
  public DelegatingDisk(Disk disk) {
    this.disk = disk;
  }

  @Override
  public void createDirectory() throws IOException {
    disk.createDirectory();
  }

  @Override
  public List<String> names() throws IOException {
    return disk.names();
  }

  @Override
  public DiskFile create(String name, FileAccess access) throws IOException {
    return wrap(disk.create(name, access));
  }

  @Override
  public DiskFile open(String name, FileAccess access) throws IOException {
    return wrap(disk.open(name, access));
  }

  /** Returns what a file of the other disk is to its users; the file itself unless overridden. */
  protected DiskFile wrap(DiskFile file) {
    return file;
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
  public void syncNames(SyncPoint syncPoint) throws IOException {
    disk.syncNames(syncPoint);
  }

  @Override
  public ByteBuffer allocateBuffer(int bytes) {
    return disk.allocateBuffer(bytes);
  }

  @Override
  public String location() {
    return disk.location();
  }
}
