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

  /** The regions into which G1 divides the heap; 0 with another collector. */
  private static final long REGION_BYTES =
      isSet("UseG1GC", false) ? Long.parseLong(option("G1HeapRegionSize", "0")) : 0;

  /** Of what is shorter than this part of a region, little is left over at its end. */
  private static final int SHORT_DIVISOR = 16;

  private ObjectLayout() {}

  /** What an object takes that has these fields, those of its superclasses included. */
  public static int objectBytes(int references, int primitiveBytes) {
    return (int) align(HEADER_BYTES + (long) references * REFERENCE_BYTES + primitiveBytes);
  }

  /** What an array takes, with its share of what it leaves unused in its regions of the heap. */
  public static long arrayBytes(long length, int elementBytes) {
    return inRegions(align(ARRAY_HEADER_BYTES + length * elementBytes), REGION_BYTES);
  }

  /**
   * What objects of a size take in regions. No object lies in two regions, but for those of more
   * than half a region, which have regions of their own.
   *
   * @param regionBytes 0 if there are no regions
   */
  static long inRegions(long bytes, long regionBytes) {
    if (bytes <= regionBytes / SHORT_DIVISOR || regionBytes == 0) {
      return bytes;
    }
    return bytes <= regionBytes
        ? regionBytes / (regionBytes / bytes)
        : (bytes + regionBytes - 1) / regionBytes * regionBytes;
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
