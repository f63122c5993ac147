package io.cantle.core.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/**
 * How this Java virtual machine lays objects out in the heap, so that memory can be counted without
 * looking at objects. The sizes are those of HotSpot; another machine is taken for one with its
 * usual settings.
 *
 * <p><b>Threading:</b> constants.
 */
public final class ObjectLayout {
  /** What a reference takes: 8 in a heap of 32 GiB or more, else 4. */
  public static final int REFERENCE_BYTES = isSet("UseCompressedOops", true) ? 4 : Long.BYTES;

  private static final int HEADER_BYTES =
      isSet("UseCompactObjectHeaders", false)
          ? Long.BYTES
          : isSet("UseCompressedClassPointers", true) ? Long.BYTES + Integer.BYTES : 2 * Long.BYTES;

  private static final int ARRAY_HEADER_BYTES = HEADER_BYTES + Integer.BYTES;

  private static final int ALIGNMENT_BYTES =
      Integer.parseInt(option("ObjectAlignmentInBytes", String.valueOf(Long.BYTES)));

  private ObjectLayout() {}

  /** What an object takes that has these fields, those of its superclasses included. */
  public static int objectBytes(int references, int primitiveBytes) {
    return (int) align(HEADER_BYTES + (long) references * REFERENCE_BYTES + primitiveBytes);
  }

  /** What an array takes. */
  public static long arrayBytes(long length, int elementBytes) {
    return align(ARRAY_HEADER_BYTES + length * elementBytes);
  }

  private static long align(long bytes) {
    return (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }

  private static boolean isSet(String name, boolean usual) {
    return Boolean.parseBoolean(option(name, String.valueOf(usual)));
  }

  private static String option(String name, String usual) {
    HotSpotDiagnosticMXBean bean =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (bean == null) {
      return usual;
    }
    try {
      return bean.getVMOption(name).getValue();
    } catch (IllegalArgumentException e) {
      // This machine has no such option.
      return usual;
    }
  }
}
