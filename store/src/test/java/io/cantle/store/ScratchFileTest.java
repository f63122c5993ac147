package io.cantle.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests temporary files that disappear without being deleted. */
class ScratchFileTest {
  @TempDir private Path directory = Path.of("");

  @Test
  void returnsWrittenBytes() throws IOException {
    try (ScratchFile scratch = ScratchFile.createIn(directory)) {
      scratch.append(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      scratch.append(ByteBuffer.wrap(new byte[] {4, 5}));
      ByteBuffer middle = ByteBuffer.allocate(3);

      scratch.read(1, middle);

      assertThat(scratch.length()).isEqualTo(5);
      assertThat(middle.array()).containsExactly(2, 3, 4);
    }
  }

  @Test
  void hasNoName() throws IOException {
    try (ScratchFile scratch = ScratchFile.createIn(directory)) {
      scratch.append(ByteBuffer.allocate(9));
      assertThat(directory).isEmptyDirectory();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void readBeyondTheEndFails() throws IOException {
    try (ScratchFile scratch = ScratchFile.createTemporary()) {
      scratch.append(ByteBuffer.allocate(2));
      assertThatThrownBy(() -> scratch.read(1, ByteBuffer.allocate(2)))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("2 bytes");
    }
  }

  @Test
  void disappearsWhenClosed() throws IOException {
    ScratchFile scratch = ScratchFile.createIn(directory);
    scratch.append(ByteBuffer.allocate(2));
    scratch.close();
    scratch.close();

    assertThatThrownBy(() -> scratch.read(0, ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void namesDirectoryThatCannotBeUsed() {
    assertThatThrownBy(() -> ScratchFile.createIn(directory.resolve("nowhere")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining("nowhere");
  }
}
