package io.cantle.store.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the disk on a directory of a real file system. */
class FileDiskTest {
  @TempDir private Path directory = Path.of("");

  @ParameterizedTest
  @EnumSource(names = {"BUFFERED", "DURABLE"})
  void readsWhatWasWritten(FileAccess access) throws IOException {
    FileDisk disk = disk();
    try (DiskFile file = disk.create("a", access)) {
      ByteBuffer block = disk.allocateBuffer(Disk.BLOCK_BYTES);
      block.put(17, (byte) 5);
      file.writeFully(block, Disk.BLOCK_BYTES, SyncPoint.BATCH);
      file.force(SyncPoint.BATCH);
      disk.rename("a", "b");
      disk.syncNames(SyncPoint.PREPARED_NAME);

      assertThat(file.length()).isEqualTo(2 * Disk.BLOCK_BYTES);
    }
    assertThat(disk.names()).containsExactly("b");
    try (DiskFile file = disk.open("b", FileAccess.READ)) {
      ByteBuffer read = ByteBuffer.allocate(Disk.BLOCK_BYTES);
      assertThat(file.readFully(read, Disk.BLOCK_BYTES)).isEqualTo(Disk.BLOCK_BYTES);
      assertThat(read.get(17)).isEqualTo((byte) 5);
      assertThat(file.readFully(read.clear(), 2 * Disk.BLOCK_BYTES)).isZero();
    }
    disk.delete("b");
    disk.delete("b");
    assertThat(disk.names()).isEmpty();
  }

  @Test
  void readsAfterAReaderWasInterrupted() throws IOException {
    FileDisk disk = disk();
    try (DiskFile file = disk.create("a", FileAccess.BUFFERED)) {
      file.writeFully(ByteBuffer.wrap(new byte[] {3}), 0, SyncPoint.BATCH);
    }
    DiskFile file = disk.open("a", FileAccess.READ);
    ByteBuffer read = ByteBuffer.allocate(1);
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> file.read(read, 0)).isInstanceOf(ClosedByInterruptException.class);
    assertThat(Thread.interrupted()).isTrue();

    assertThat(file.read(read, 0)).isEqualTo(1);
    file.close();
    assertThatThrownBy(() -> file.read(read.clear(), 0)).isInstanceOf(IOException.class);
  }

  private FileDisk disk() throws IOException {
    FileDisk disk = new FileDisk(directory.resolve("one").resolve("two"));
    disk.createDirectory();
    return disk;
  }
}
