package io.cantle.core.replica;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.ObjectLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command: absent, a value, true, false, or failed.
 *
 * <p><b>Threading:</b> immutable; the bytes belong to an entry or a message and never change.
 *
 * @param code which of these it is
 * @param bytes the array that contains the value
 * @param offset the offset of the value in the array
 * @param length the length of the value in bytes
 * @param origin the decoded value, if this node has it and nobody can change it; or the entry that
 *     has no bytes, which are made when they are asked for; otherwise null
 */
public record OperationResult(
    int code, byte[] bytes, int offset, int length, @Nullable Object origin) {
  /** There was no value. */
  public static final OperationResult ABSENT = new OperationResult(0, new byte[0], 0, 0, null);

  /** The command took effect. */
  public static final OperationResult TRUE = new OperationResult(2, new byte[0], 0, 0, null);

  /** The command did not take effect. */
  public static final OperationResult FALSE = new OperationResult(3, new byte[0], 0, 0, null);

  /** A user's function failed. */
  public static final OperationResult FAILED = new OperationResult(4, new byte[0], 0, 0, null);

  /** Left out of a message: the value that the write replaces, which the reader has itself. */
  static final OperationResult OMITTED = new OperationResult(5, new byte[0], 0, 0, null);

  private static final int VALUE = 1;

  /** What an object of this class takes. */
  private static final int SIZE_BYTES = ObjectLayout.objectBytes(2, 3 * Integer.BYTES);

  /** The most unused bytes of an array that may be kept alive for the value in it. */
  private static final int MAX_SPARE_BYTES = 256;

  /** The value of a live entry, which must be in memory; {@link #ABSENT} for none. */
  public static OperationResult valueOf(@Nullable Entry entry) {
    if (entry != null) {
      entry.requireValue();
    }
    if (entry == null || entry.isTombstone()) {
      return ABSENT;
    }
    return entry.hasObjectsOnly()
        ? new OperationResult(VALUE, ABSENT.bytes, 0, 0, entry.snapshot())
        : new OperationResult(
            VALUE, entry.bytes(), entry.valueOffset(), entry.valueLength(), entry.sharedValue());
  }

  /** A value inside an array that does not change any more. */
  public static OperationResult valueIn(byte[] bytes, int offset, int length) {
    return new OperationResult(VALUE, bytes, offset, length, null);
  }

  /** The decoded value, if this node has it and nobody can change it; otherwise null. */
  public @Nullable Object shared() {
    return origin instanceof Entry entry ? entry.sharedValue() : origin;
  }

  /** The length of the value in bytes; of one that has none, what its entry takes. */
  @Override
  public int length() {
    return origin instanceof Entry entry ? entry.contentBytes() : length;
  }

  /** The same result with its value in an array. */
  OperationResult withBytes() {
    if (!(origin instanceof Entry entry)) {
      return this;
    }
    byte[] all = entry.bytes();
    int keyLength = entry.keyLength();
    return new OperationResult(VALUE, all, keyLength, all.length - keyLength, entry.sharedValue());
  }

  /** Converts a boolean to a result. */
  public static OperationResult of(boolean done) {
    return done ? TRUE : FALSE;
  }

  /**
   * The same result, with its value copied to an array of its own if it is in a much longer one.
   */
  OperationResult withOwnArray() {
    return bytes.length <= 2 * length + MAX_SPARE_BYTES
        ? this
        : new OperationResult(
            code, Arrays.copyOfRange(bytes, offset, offset + length), 0, length, origin);
  }

  /**
   * The memory that the result takes with the array of its value, also if an entry has the same
   * array; without the decoded value.
   */
  long sizeBytes() {
    if (!hasValue()) {
      return 0;
    }
    return SIZE_BYTES
        + (origin instanceof Entry entry
            ? entry.sizeBytes()
            : ObjectLayout.arrayBytes(bytes.length, 1));
  }

  /** Whether the result is {@link #OMITTED}. */
  boolean isOmitted() {
    return code == OMITTED.code;
  }

  /** Whether there is a value. */
  public boolean hasValue() {
    return code == VALUE;
  }

  /** Whether a read found an entry, with its value or without. */
  public boolean isPresent() {
    return hasValue() || isTrue();
  }

  /** Whether the result is {@link #TRUE}. */
  public boolean isTrue() {
    return code == TRUE.code;
  }

  /** Whether a function failed. */
  public boolean isFailed() {
    return code == FAILED.code;
  }

  /** Writes the code and the value, if there is one. */
  public void write(Output out) {
    out.writeByte(code);
    if (code == VALUE) {
      OperationResult whole = withBytes();
      out.writeBlob(whole.bytes, whole.offset, whole.length);
    }
  }

  /** Reads what {@link #write} wrote, without copying the value. */
  public static OperationResult read(Input in) {
    int code = in.readByte();
    return switch (code) {
      case 0 -> ABSENT;
      case VALUE -> {
        int length = in.readBlobLength();
        OperationResult result = valueIn(in.array(), in.position(), length);
        in.skip(length);
        yield result;
      }
      case 2 -> TRUE;
      case 3 -> FALSE;
      case 4 -> FAILED;
      default -> throw new MalformedException("result code " + code + " is unknown");
    };
  }
}
