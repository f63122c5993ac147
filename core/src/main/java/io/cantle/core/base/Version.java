package io.cantle.core.base;

/**
 * The version of a write: the epoch of its segment, and its place in the order of that epoch.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param epoch the epoch in which the write was made
 * @param index the sequence number of the write within the epoch
 */
public record Version(int epoch, long index) {
  /** Earlier than every write. */
  public static final Version NONE = new Version(0, 0);

  /** Compares two versions by epoch, then by index. Neither needs to be an object. */
  public static int compare(int epoch, long index, int otherEpoch, long otherIndex) {
    return epoch != otherEpoch
        ? Integer.compare(epoch, otherEpoch)
        : Long.compare(index, otherIndex);
  }

  /** Writes both numbers. */
  public void write(Output out) {
    out.writeVarint(epoch);
    out.writeVarint(index);
  }

  /** Reads what {@link #write} wrote. */
  public static Version read(Input in) {
    return new Version(in.readCount(), in.readVarint());
  }

  @Override
  public String toString() {
    return epoch + "/" + index;
  }
}
