package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.util.ConcurrentModificationException;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Encodes what a user's function threw, for the caller. Names and messages are sent, since the
 * classes of exceptions are on no allow-list. The JDK types that functions commonly throw are
 * recreated; others are replaced by a stand-in that looks like the original.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class ThrowableCodec {
  private static final int MAX_CAUSES = 8;
  private static final int MAX_FRAMES = 48;
  private static final int MAX_TEXT_CHARACTERS = 2_000;

  private ThrowableCodec() {}

  /** Writes a throwable and a limited number of its causes. */
  public static void write(Throwable thrown, Output out) {
    int causes = 0;
    for (Throwable current = thrown;
        current != null && causes < MAX_CAUSES;
        current = current.getCause()) {
      causes++;
    }
    out.writeVarint(causes);
    Throwable current = thrown;
    for (int i = 0; i < causes && current != null; i++) {
      out.writeString(current.getClass().getName());
      String message = messageOf(current);
      out.writeBoolean(message != null);
      if (message != null) {
        out.writeString(shorten(message));
      }
      StackTraceElement[] frames = current.getStackTrace();
      int count = Math.min(frames.length, MAX_FRAMES);
      out.writeVarint(count);
      for (int frame = 0; frame < count; frame++) {
        write(frames[frame], out);
      }
      current = current.getCause();
    }
  }

  /** Encodes a throwable as {@link #write} does. */
  public static byte[] toBytes(Throwable thrown) {
    Output out = new Output(1_024);
    write(thrown, out);
    return out.toByteArray();
  }

  /** The message of a throwable; {@code getMessage} of a user's class may itself throw. */
  private static @Nullable String messageOf(Throwable thrown) {
    try {
      return thrown.getMessage();
    } catch (RuntimeException e) {
      return "its message cannot be read, because getMessage threw " + e.getClass().getName();
    }
  }

  private static String shorten(String text) {
    return text.length() <= MAX_TEXT_CHARACTERS
        ? text
        : text.substring(0, MAX_TEXT_CHARACTERS) + " ...";
  }

  private static void write(StackTraceElement frame, Output out) {
    String file = frame.getFileName();
    out.writeString(shorten(frame.getClassName()));
    out.writeString(shorten(frame.getMethodName()));
    out.writeString(file == null ? "" : shorten(file));
    // Negative if there is no line.
    out.writeInt(frame.getLineNumber());
  }

  /** Reads what {@link #write} wrote. */
  public static Throwable read(Input in) {
    int count = in.readCount(MAX_CAUSES);
    Throwable first = null;
    Throwable last = null;
    for (int i = 0; i < count; i++) {
      String type = in.readString();
      String message = in.readBoolean() ? in.readString() : null;
      Throwable current = recreate(type, message);
      StackTraceElement[] frames = new StackTraceElement[in.readCount(MAX_FRAMES)];
      for (int frame = 0; frame < frames.length; frame++) {
        frames[frame] = readFrame(in);
      }
      current.setStackTrace(frames);
      if (first == null || last == null) {
        first = current;
      } else {
        last.initCause(current);
      }
      last = current;
    }
    return first == null ? new StandInException("nothing", null) : first;
  }

  private static StackTraceElement readFrame(Input in) {
    String type = in.readString();
    String method = in.readString();
    String file = in.readString();
    return new StackTraceElement(type, method, file.isEmpty() ? null : file, in.readInt());
  }

  private static Throwable recreate(String type, @Nullable String message) {
    return switch (type) {
      case "java.lang.IllegalArgumentException" -> new IllegalArgumentException(message);
      case "java.lang.IllegalStateException" -> new IllegalStateException(message);
      case "java.lang.NullPointerException" -> new NullPointerException(message);
      case "java.lang.ClassCastException" -> new ClassCastException(message);
      case "java.lang.ArithmeticException" -> new ArithmeticException(message);
      case "java.lang.NumberFormatException" -> new NumberFormatException(message);
      case "java.lang.IndexOutOfBoundsException" -> new IndexOutOfBoundsException(message);
      case "java.lang.UnsupportedOperationException" -> new UnsupportedOperationException(message);
      case "java.lang.RuntimeException" -> new RuntimeException(message);
      case "java.util.NoSuchElementException" -> new NoSuchElementException(message);
      case "java.util.ConcurrentModificationException" ->
          new ConcurrentModificationException(message);
      default -> new StandInException(type, message);
    };
  }

  /** Looks like an exception whose class is not available here. */
  private static final class StandInException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String type;

    StandInException(String type, @Nullable String message) {
      super(message);
      this.type = type;
    }

    @Override
    // The stand-in has to look like the original everywhere.
    @SuppressWarnings("OverrideThrowableToString")
    public String toString() {
      return getMessage() == null ? type : type + ": " + getMessage();
    }
  }
}
