package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.codec.FunctionFailure;
import io.cantle.core.container.Entry;
import io.cantle.core.wire.PullRequest.EntryPart;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Encodes one element of a stream. What is already stored as bytes is copied and not encoded again,
 * so a pipeline that only filters sends the stored bytes.
 *
 * <p><b>Threading:</b> any thread.
 */
final class ElementCodec {
  private static final int NULL = 0;
  private static final int VALUE = 1;
  private static final int STORED_ENTRY = 2;
  private static final int STORED_KEY = 3;
  private static final int STORED_VALUE = 4;

  private final Codec codec;

  ElementCodec(Codec codec) {
    this.codec = codec;
  }

  /** Writes any element, null included. */
  void write(@Nullable Object element, Output out) {
    switch (element) {
      case null -> out.writeByte(NULL);
      case StreamEntry.LazyEntry view -> writeStored(EntryPart.ENTRY, view.entry(), out);
      default -> {
        int start = out.position();
        out.writeByte(VALUE);
        int length = out.position();
        out.writeInt(0);
        try {
          codec.encodeValue(element, out);
        } catch (RuntimeException refused) {
          out.truncate(start);
          throw refused;
        }
        out.patchInt(length, out.position() - length - Integer.BYTES);
      }
    }
  }

  /**
   * Writes what functions of the user have made, for the node that asked for it.
   *
   * @throws IllegalArgumentException if it cannot be sent; the message says so of the function,
   *     which has not thrown
   */
  void writeResult(@Nullable Object result, Output out) {
    try {
      write(result, out);
    } catch (IllegalArgumentException e) {
      throw FunctionFailure.unsendableResult(result, e);
    }
  }

  /** Writes the number of results, and all of them. */
  void writeResults(Collection<?> results, Output out) {
    out.writeList(results, result -> writeResult(result, out));
  }

  /** Writes an element that is an entry, or its key or value, by copying its bytes. */
  void writeStored(EntryPart part, Entry entry, Output out) {
    out.writeByte(
        switch (part) {
          case ENTRY -> STORED_ENTRY;
          case KEY -> STORED_KEY;
          case VALUE -> STORED_VALUE;
        });
    part.write(entry, out);
  }

  /** Reads what {@link #writeResults} wrote, which is at most {@code max} elements. */
  <C extends Collection<@Nullable Object>> C readAll(Input in, int max, C elements) {
    for (int left = in.readCount(max); left > 0; left--) {
      elements.add(read(in));
    }
    return elements;
  }

  /** Reads what {@link #write} or {@link #writeStored} wrote. */
  // Elements may be null if the user's functions make them so, as in the JDK.
  @SuppressWarnings("NullAway")
  Object read(Input in) {
    int form = in.readByte();
    return switch (form) {
      case NULL -> null;
      case VALUE -> codec.decodeValue(in.slice(in.readInt()));
      case STORED_ENTRY -> readStored(EntryPart.ENTRY, in);
      case STORED_KEY -> readStored(EntryPart.KEY, in);
      case STORED_VALUE -> readStored(EntryPart.VALUE, in);
      default -> throw new MalformedException("no element of a stream has the form " + form);
    };
  }

  /** The element that a scan without a task delivers, of a key and a value. */
  // What is not wanted is null, and what is wanted is not.
  @SuppressWarnings("NullAway")
  static Object elementOf(EntryPart part, @Nullable Object key, @Nullable Object value) {
    return switch (part) {
      case KEY -> key;
      case VALUE -> value;
      case ENTRY -> new StreamEntry<>(key, value);
    };
  }

  /** Reads the bytes that a scan without a task delivers. */
  Object readStored(EntryPart part, Input in) {
    return switch (part) {
      case KEY -> codec.decodeKey(in.slice(in.readBlobLength()));
      case VALUE -> codec.decodeValue(in.slice(in.readBlobLength()));
      case ENTRY ->
          new StreamEntry<>(readStored(EntryPart.KEY, in), readStored(EntryPart.VALUE, in));
    };
  }

  /**
   * Estimates how much memory elements take: it encodes one element in {@value #SAMPLE_INTERVAL} to
   * learn their length.
   *
   * <p><b>Threading:</b> one thread.
   */
  final class SizeEstimator {
    private static final int SAMPLE_INTERVAL = 16;

    /** A refusal by the codec takes long. After this many refusals no more elements are sampled. */
    static final int MAX_REFUSALS = 8;

    /** The approximate memory of an object besides its content. */
    static final int OBJECT_BYTES = 48;

    private final Output sample = new Output(256);
    private long seen;
    private long samples;
    private long sampledBytes;
    private int refusals;
    private long estimatedBytes = OBJECT_BYTES;

    /** Counts another element and returns the estimated memory of one. */
    long estimateBytes(@Nullable Object element) {
      if (seen++ % SAMPLE_INTERVAL == 0) {
        long bytes = encodedLength(element);
        if (bytes >= 0) {
          sampledBytes += bytes;
          samples++;
          estimatedBytes = OBJECT_BYTES + sampledBytes / samples;
        }
      }
      return estimatedBytes;
    }

    /** The memory of this element, or the estimate if it cannot be encoded. */
    long measureBytes(@Nullable Object element) {
      long bytes = encodedLength(element);
      return bytes < 0 ? estimatedBytes : OBJECT_BYTES + bytes;
    }

    /** The encoded length, or a negative number if it cannot be encoded. */
    private long encodedLength(@Nullable Object element) {
      if (refusals == MAX_REFUSALS) {
        return -1;
      }
      sample.truncate(0);
      try {
        write(element, sample);
        return sample.position();
      } catch (RuntimeException e) {
        // It may never have to be written. If it has to be, it is refused then.
        refusals++;
        return -1;
      }
    }
  }
}
