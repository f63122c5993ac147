package io.cantle.core.stream;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Entry;
import io.cantle.core.publish.CacheScanner.Part;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One element of a stream as bytes. What is stored as bytes already is copied and not encoded
 * again: a pipeline that only filters sends what lies in the container.
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
      case StreamEntry.View view -> {
        out.writeByte(STORED_ENTRY);
        writeKey(view.entry(), out);
        writeValue(view.entry(), out);
      }
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

  /** Writes how many there are, and all of them. */
  void writeAll(List<?> elements, Output out) {
    out.writeVarint(elements.size());
    elements.forEach(element -> write(element, out));
  }

  /** Writes an element that is the key or the value of an entry, untouched. */
  void writeStored(Part part, Entry entry, Output out) {
    switch (part) {
      case KEY -> {
        out.writeByte(STORED_KEY);
        writeKey(entry, out);
      }
      case VALUE -> {
        out.writeByte(STORED_VALUE);
        writeValue(entry, out);
      }
      case ENTRY -> {
        out.writeByte(STORED_ENTRY);
        writeKey(entry, out);
        writeValue(entry, out);
      }
    }
  }

  /** Reads what {@link #write} or {@link #writeStored} wrote. */
  @Nullable Object read(Input in) {
    int form = in.readByte();
    return switch (form) {
      case NULL -> null;
      case VALUE -> {
        int length = in.readInt();
        int start = in.position();
        in.skip(length);
        yield codec.decodeValue(in.array(), start, length);
      }
      case STORED_ENTRY -> readStored(Part.ENTRY, in);
      case STORED_KEY -> readStored(Part.KEY, in);
      case STORED_VALUE -> readStored(Part.VALUE, in);
      default -> throw new MalformedException("no element of a stream has the form " + form);
    };
  }

  /** Reads the blobs that a scan without a task delivers. */
  Object readStored(Part part, Input in) {
    return switch (part) {
      case KEY -> readKey(in);
      case VALUE -> readValue(in);
      case ENTRY -> {
        Object key = readKey(in);
        yield new StreamEntry<>(key, readValue(in));
      }
    };
  }

  /**
   * Tells how much memory elements take, about: one in so many is encoded to learn how long they
   * are.
   *
   * <p><b>Threading:</b> one thread.
   */
  final class SizeEstimator {
    private static final int SAMPLE_INTERVAL = 16;

    /** To be refused takes long; those of which so many were are not looked at any more. */
    static final int MAX_REFUSALS = 8;

    /** What an object takes besides its content, roughly. */
    static final int OBJECT_BYTES = 48;

    private final Output sample = new Output(256);
    private long seen;
    private long samples;
    private long sampledBytes;
    private int refusals;
    private long estimatedBytes = OBJECT_BYTES;

    /** Takes another element into account and says what one of them takes. */
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

    /** What this one takes; what one of them does if it cannot be told. */
    long measureBytes(@Nullable Object element) {
      long bytes = encodedLength(element);
      return bytes < 0 ? estimatedBytes : OBJECT_BYTES + bytes;
    }

    /** How long it is when it is encoded, or less than nothing. */
    private long encodedLength(@Nullable Object element) {
      if (refusals == MAX_REFUSALS) {
        return -1;
      }
      sample.truncate(0);
      try {
        write(element, sample);
        return sample.position();
      } catch (RuntimeException e) {
        // It may never have to be written; if it has, it is refused then.
        refusals++;
        return -1;
      }
    }
  }

  private Object readKey(Input in) {
    int length = in.readBlobLength();
    int start = in.position();
    in.skip(length);
    return codec.decodeKey(in.array(), start, length);
  }

  private Object readValue(Input in) {
    int length = in.readBlobLength();
    int start = in.position();
    in.skip(length);
    return codec.decodeValue(in.array(), start, length);
  }

  private static void writeKey(Entry entry, Output out) {
    out.writeBlob(entry.bytes(), 0, entry.keyLength());
  }

  private static void writeValue(Entry entry, Output out) {
    out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
  }
}
