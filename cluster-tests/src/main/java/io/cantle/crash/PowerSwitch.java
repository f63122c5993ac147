package io.cantle.crash;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Shuts a mounted file system down as a power cut would. From that moment nothing reaches the
 * device, and what was only in memory, data and journal, is lost. The call is the same for ext4 and
 * XFS ({@code EXT4_IOC_SHUTDOWN}, {@code XFS_IOC_GOINGDOWN}). Java can reach it only through the C
 * library.
 *
 * <p><b>Threading:</b> any thread.
 */
final class PowerSwitch {
  /** {@code _IOR('X', 125, __u32)}. */
  private static final long SHUTDOWN_REQUEST = 0x8004_587DL;

  /** Without writing the journal: what a clean shutdown would save is lost. */
  private static final int NO_LOG_FLUSH = 2;

  private static final int READ_ONLY = 0;

  private final StructLayout state = Linker.Option.captureStateLayout();
  private final MethodHandle open =
      call(
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          "open");
  private final MethodHandle control =
      call(
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.ADDRESS),
          "ioctl");
  private final MethodHandle close =
      call(FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT), "close");

  // The command permits it with an option on its command line.
  @SuppressWarnings("restricted")
  private static MethodHandle call(FunctionDescriptor descriptor, String name) {
    Linker linker = Linker.nativeLinker();
    MemorySegment function = linker.defaultLookup().findOrThrow(name);
    Linker.Option state = Linker.Option.captureCallState("errno");
    // open and ioctl take any number of arguments, from the third on.
    return name.equals("close")
        ? linker.downcallHandle(function, descriptor, state)
        : linker.downcallHandle(function, descriptor, state, Linker.Option.firstVariadicArg(2));
  }

  /**
   * Cuts the power of the file system that contains a folder.
   *
   * @throws IOException if it is of another kind, or this process is not root
   */
  void cutPower(Path folder) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment error = arena.allocate((MemoryLayout) state);
      MemorySegment flag = arena.allocateFrom(ValueLayout.JAVA_INT, NO_LOG_FLUSH);
      int file = (int) open.invokeExact(error, arena.allocateFrom(folder.toString()), READ_ONLY);
      check(file, error, "open " + folder);
      int done = (int) control.invokeExact(error, file, SHUTDOWN_REQUEST, flag);
      int number = errno(error);
      int _ = (int) close.invokeExact(error, file);
      if (done != 0) {
        throw new IOException("shutdown of " + folder + " failed with error " + number);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      // A call of the C library throws nothing else.
      throw new IllegalStateException(e);
    }
  }

  private void check(int result, MemorySegment error, String action) throws IOException {
    if (result < 0) {
      throw new IOException(action + " failed with error " + errno(error));
    }
  }

  private int errno(MemorySegment error) {
    return (int) state.varHandle(MemoryLayout.PathElement.groupElement("errno")).get(error, 0L);
  }
}
