package io.cantle.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.store.disk.DiskFile;
import io.cantle.store.disk.FileAccess;
import io.cantle.store.disk.SimulatedDisk;
import io.cantle.store.disk.SyncPoint;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests a run whose bytes are not those of its records. */
class RunFileTest {
  private static final int KEY_LENGTH = 4;
  private static final int VALUE_LENGTH = 8;

  @Test
  void recordLongerThanAnyBufferIsDamage() throws Exception {
    RunRange range = new RunRange(1, 2, 0, 0, RunFile.HEADER_BYTES, 6L << 30, 1, 0);
    ByteBuffer damaged = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    damaged.putInt(RunFile.HEADER_BYTES + KEY_LENGTH, Integer.MAX_VALUE);
    damaged.putInt(RunFile.HEADER_BYTES + VALUE_LENGTH, 1 << 20);
    DiskFile file = new SimulatedDisk(new Random(1)).create("1.run", FileAccess.BUFFERED);
    file.writeFully(damaged, 0, SyncPoint.RUN);
    try (RunFile run = new RunFile(1, file, List.of(range), 0, 0)) {
      String fault =
          run.findFault(range, RunFile.HEADER_BYTES, run.window(range.end(), 4096, 4096));

      assertThat(fault).contains("does not fit");
    }
  }
}
