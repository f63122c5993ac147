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
  private static final Pattern FIELD = Pattern.compile("\\| `(\\w+)` \\| ([^|]*) \\|.*");

  private WireFormatPage() {}

  /** A field as the page lists it: its name, and its type without links. */
  record PageField(String name, String type) {}

  /** The fields that the page lists of each kind, under the number and the kind. */
  static Map<String, List<PageField>> kinds() {
    Map<String, List<PageField>> kinds = new LinkedHashMap<>();
    List<PageField> fields = new ArrayList<>();
    for (String line : lines()) {
      Matcher kind = KIND.matcher(line);
      Matcher field = FIELD.matcher(line);
      if (kind.matches()) {
        fields = new ArrayList<>();
        kinds.put(kind.group(1) + " " + kind.group(2), fields);
      } else if (field.matches()) {
        String type = field.group(2).replaceAll("\\[(.*)]\\(.*\\)", "$1");
        fields.add(new PageField(field.group(1), type));
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
    String kind = message.kind().ordinal() + " " + message.kind();
    List<PageField> listed = kinds().getOrDefault(kind, List.of());
    List<RecordComponent> components = components(message, List.of(parts));
    assertThat(listed)
        .as(kind)
        .extracting(PageField::name)
        .isEqualTo(components.stream().map(RecordComponent::getName).toList());
    for (int i = 0; i < listed.size(); i++) {
      assertThat(listed.get(i).type())
          .as(kind + " " + listed.get(i).name())
          .matches(typePattern(components.get(i).getType()));
    }
  }

  /** The types in which the page may describe a value of a class. */
  private static String typePattern(Class<?> type) {
    if (type.isEnum()) {
      return "byte";
    }
    return switch (type.getSimpleName()) {
      case "int" -> "count";
      case "long" -> "long|varint";
      case "boolean" -> "flag";
      case "UUID" -> "id";
      case "String" -> "text";
      case "ByteSlice", "byte[]" -> "(flag, )?blob";
      case "List" -> "(flag, )?list|rest";
      case "SegmentCursor" -> "cursor";
      case "SegmentSet" -> "set";
      case "Ballot" -> "ballot";
      case "ClockReading" -> "clocks";
      case "Topology" -> "(flag, )?topology";
      default -> ".+";
    };
  }

  private static List<RecordComponent> components(Object message, List<Class<?>> parts) {
    List<RecordComponent> components = new ArrayList<>();
    for (RecordComponent component : message.getClass().getRecordComponents()) {
      @Nullable Object value = value(message, component);
      if (value != null && isPart(value, parts)) {
        components.addAll(components(value, parts));
      } else {
        components.add(component);
        if (value instanceof List<?> list && isPart(list.getFirst(), parts)) {
          components.addAll(components(list.getFirst(), parts));
        }
      }
    }
    return components;
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
