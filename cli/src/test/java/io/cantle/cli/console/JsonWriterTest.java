package io.cantle.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
  @Test
  void writesAllResultTypes() {
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    object.put("count", 12L);
    object.put("ratio", 1.25);
    object.put("none", null);
    object.put("inner", new LinkedHashMap<>(Map.of("yes", true)));
    object.put("empty", Map.of());
    object.put("text", "say \"ü\" \\ \n\u0001");
    assertThat(JsonWriter.toJson(object))
        .isEqualTo(
            """
            {
              "count": 12,
              "ratio": 1.25,
              "none": null,
              "inner": {
                "yes": true
              },
              "empty": {},
              "text": "say \\"ü\\" \\\\ \\n\\u0001"
            }
            """);
  }

  @Test
  void refusesUnknownTypes() {
    assertThatThrownBy(() -> JsonWriter.toJson(Map.of("a", 'x')))
        .hasMessage("no JSON for a java.lang.Character");
    assertThatThrownBy(() -> JsonWriter.toJson(Map.of("a", Double.NaN)))
        .hasMessage("no JSON for a java.lang.Double");
  }
}
