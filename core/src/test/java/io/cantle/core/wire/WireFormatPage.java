package io.cantle.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.Message;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The page about messages, {@code docs/formats/wire.md}.
 *
 * <p><b>Threading:</b> pure functions.
 */
public final class WireFormatPage {
  private static final Path PAGE = Path.of("..", "docs", "formats", "wire.md");
  private static final Pattern KIND = Pattern.compile("### (\\d+) `(\\w+)`");
  private static final Pattern FIELD = Pattern.compile("\\| `(\\w+)` \\|.*");

  private WireFormatPage() {}

  /** The fields that the page lists of each kind, under the number and the kind. */
  static Map<String, List<String>> kinds() {
    Map<String, List<String>> kinds = new LinkedHashMap<>();
    List<String> fields = new ArrayList<>();
    for (String line : lines()) {
      Matcher kind = KIND.matcher(line);
      Matcher field = FIELD.matcher(line);
      if (kind.matches()) {
        fields = new ArrayList<>();
        kinds.put(kind.group(1) + " " + kind.group(2), fields);
      } else if (field.matches()) {
        fields.add(field.group(1));
      }
    }
    return kinds;
  }

  private static List<String> lines() {
    try {
      return Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Fails if the page does not list the fields of a message, which must have everything.
   *
   * @param parts the records whose fields are listed in place of them; those of {@code wire} are
   */
  @SuppressWarnings("EnumOrdinal") // The order is the wire format.
  public static void checkFields(Message message, Class<?>... parts) {
    assertThat(kinds().get(message.kind().ordinal() + " " + message.kind()))
        .as(message.kind().toString())
        .isEqualTo(fields(message, List.of(parts)));
  }

  private static List<String> fields(Object message, List<Class<?>> parts) {
    List<String> fields = new ArrayList<>();
    for (RecordComponent component : message.getClass().getRecordComponents()) {
      @Nullable Object value = value(message, component);
      if (value != null && isPart(value, parts)) {
        fields.addAll(fields(value, parts));
      } else {
        fields.add(component.getName());
        if (value instanceof List<?> list && isPart(list.getFirst(), parts)) {
          fields.addAll(fields(list.getFirst(), parts));
        }
      }
    }
    return fields;
  }

  private static @Nullable Object value(Object message, RecordComponent component) {
    try {
      component.getAccessor().setAccessible(true);
      return component.getAccessor().invoke(message);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPart(Object value, List<Class<?>> parts) {
    return value instanceof SegmentEpoch
        || (value instanceof Record
            && value.getClass().getPackage().equals(WireMessage.class.getPackage()))
        || parts.contains(value.getClass());
  }
}
