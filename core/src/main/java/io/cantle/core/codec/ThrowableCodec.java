package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
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

  /** Encodes a throwable and a limited number of its causes. */
  public static byte[] toBytes(Throwable thrown) {
    List<Throwable> chain = new ArrayList<>();
    for (Throwable current = thrown;
        current != null && chain.size() < MAX_CAUSES;
        current = current.getCause()) {
      chain.add(current);
    }
    Output out = new Output(1_024);
    out.writeList(chain, link -> writeLink(link, out));
    return out.toByteArray();
  }

  private static void writeLink(Throwable thrown, Output out) {
    out.writeString(thrown.getClass().getName());
    out.writeOptional(messageOf(thrown), message -> out.writeString(shorten(message)));
    List<StackTraceElement> frames = Stream.of(thrown.getStackTrace()).limit(MAX_FRAMES).toList();
    out.writeList(frames, frame -> write(frame, out));
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

  /** Reads what {@link #toBytes} wrote, and nothing after it. */
  public static Throwable read(Input in) {
    List<Throwable> chain = in.readList(MAX_CAUSES, ThrowableCodec::readLink);
    for (int i = 1; i < chain.size(); i++) {
      chain.get(i - 1).initCause(chain.get(i));
    }
    in.requireEndOf("what was thrown");
    return chain.isEmpty() ? new StandInException("nothing", null) : chain.getFirst();
  }

  private static Throwable readLink(Input in) {
    Throwable thrown = recreate(in.readString(), in.readOptional(Input::readString));
    thrown.setStackTrace(
        in.readList(MAX_FRAMES, ThrowableCodec::readFrame).toArray(StackTraceElement[]::new));
    return thrown;
  }

  private static StackTraceElement readFrame(Input in) {
    String type = in.readString();
    String method = in.readString();
    String file = in.readString();
    return new StackTraceElement(type, method, file.isEmpty() ? null : file, in.readInt());
  }

  private static Throwable recreate(String type, @Nullable String message) {
    if (type.equals(MalformedException.class.getName())) {
      return new MalformedException(String.valueOf(message));
    }
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
