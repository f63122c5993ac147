package io.cantle.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouteCountTest {

  @Test
  void picksBusiestRoutesAndBreaksTiesByName() {
    Map<String, Long> counts = new HashMap<>();
    for (int i = 0; i < 30; i++) {
      counts.put("JFK-" + (char) ('A' + i % 26) + i, i / 2L);
    }
    assertThat(RouteCount.busiest(counts))
        .hasSize(RouteCount.TOP_COUNT)
        .startsWith(new RouteCount("JFK-C28", 14), new RouteCount("JFK-D29", 14))
        .isSorted();
  }

  @Test
  void isEncodedAsOneWord() {
    List<RouteCount> routes = List.of(new RouteCount("JFK-LAX", 7), new RouteCount("A:B-C", 3));
    assertThat(RouteCount.parse(RouteCount.toText(routes))).isEqualTo(routes);
    assertThatIllegalArgumentException().isThrownBy(() -> RouteCount.parse("JFK"));
  }
}
