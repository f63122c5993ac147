package io.cantle.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Function;

/**
 * The bytes of messages, as files of lines: a kind, and the body in hexadecimal digits.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
public final class MessageVectors {
  private static final Path FOLDER =
      Path.of("src", "test", "resources", "io", "cantle", "core", "wire");

  private MessageVectors() {}

  /**
   * Fails if messages do not have the bytes in a file, or if something else than these bytes is
   * read.
   */
  public static void check(
      String file, List<? extends Message> messages, Function<MessageKind, Reader> readers) {
    List<String> lines = messages.stream().map(MessageVectors::line).toList();
    if ("write".equals(System.getProperty("cantle.wire.vectors"))) {
      write(FOLDER.resolve(file), lines);
    }
    assertThat(lines).isEqualTo(lines(file));
    lines.forEach(line -> checkReadAndWritten(line, readers));
    messages.forEach(message -> checkRefusals(message, readers.apply(message.kind())));
    messages.forEach(message -> checkEnd(message, readers.apply(message.kind())));
  }

  /** Reads a body; throws a {@link MalformedException} if it is none. */
  public interface Reader {
    /** Reads a body. */
    Message read(Input in);
  }

  /**
   * The messages of a kind that nodes sent to each other in simulations, before there were records.
   */
  public static List<String> captured(MessageKind kind) {
    return lines("captured.txt").stream().filter(line -> line.startsWith(kind + " ")).toList();
  }

  /** Fails unless what is read of a line is written as that line. */
  public static void checkReadAndWritten(String line, Function<MessageKind, Reader> readers) {
    assertThat(line(read(line, readers))).isEqualTo(line);
  }

  /** Reads the message of a line. */
  public static Message read(String line, Function<MessageKind, Reader> readers) {
    String[] parts = line.split(" ", 2);
    byte[] body = HexFormat.of().parseHex(parts[1]);
    return readers.apply(MessageKind.valueOf(parts[0])).read(new Input(body));
  }

  static List<String> lines(String file) {
    try {
      return Files.readAllLines(FOLDER.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, List<String> lines) {
    try {
      Files.write(file, lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String line(Message message) {
    return message.kind() + " " + HexFormat.of().formatHex(encode(message));
  }

  static byte[] encode(Message message) {
    Output out = new Output(message.expectedBytes());
    message.write(out);
    return out.toByteArray();
  }

  /** Damaged bytes are refused, or are those of another message; nothing else may happen. */
  private static void checkRefusals(Message message, Reader reader) {
    byte[] bytes = encode(message);
    for (int length = 0; length < bytes.length; length++) {
      readOrRefuse(reader, Arrays.copyOf(bytes, length));
    }
    Random random = new Random(7);
    for (int i = 0; i < 2_000 && bytes.length > 0; i++) {
      byte[] damaged = bytes.clone();
      for (int flips = random.nextInt(3); flips >= 0; flips--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      readOrRefuse(reader, damaged);
    }
  }

  /** A byte after a message is refused, unless the message goes on to the end. */
  private static void checkEnd(Message message, Reader reader) {
    byte[] bytes = encode(message);
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    longer[bytes.length] = (byte) 0xFF;
    Message read;
    try {
      read = reader.read(new Input(longer));
    } catch (MalformedException refused) {
      return;
    }
    assertThat(encode(read)).as(message.toString()).isEqualTo(longer);
  }

  private static void readOrRefuse(Reader reader, byte[] bytes) {
    Message read;
    try {
      read = reader.read(new Input(bytes));
    } catch (MalformedException refused) {
      return;
    }
    assertThat(encode(read).length)
        .as("a number may have been written in more bytes than it takes")
        .isLessThanOrEqualTo(bytes.length + 16);
  }
}
