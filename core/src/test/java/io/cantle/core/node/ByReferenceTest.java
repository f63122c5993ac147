package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that callers are given values by reference if nobody can change them, else copies: whether
 * objects are kept beside their bytes or in their place.
 */
@ParameterizedClass
@EnumSource(names = {"HEAP", "OBJECTS"})
final class ByReferenceTest {
  private static SingleNode alone;
  private static int caches;

  /** What a function of a stream compares with. */
  private static volatile Object put = "nothing";

  @Parameter private ContainerKind container = ContainerKind.HEAP;
  private Cache<String, Object> cache;

  record Point(int x, int y, Instant at) {}

  record Path(String name, int[] points) {}

  @BeforeAll
  static void start() {
    alone = new SingleNode(ByReferenceTest.class.getPackageName());
  }

  @AfterAll
  static void stop() {
    alone.close();
  }

  @BeforeEach
  void open() {
    CacheConfig config = CacheConfig.local().segments(4).container(container);
    cache = alone.node.cache("by-reference" + caches++, config);
  }

  private static Stream<Object> immutables() {
    return Stream.of(
        "text".repeat(3),
        123_456_789_012L,
        new UUID(1, 2),
        Instant.ofEpochSecond(7),
        new Point(1, 2, Instant.ofEpochSecond(8)),
        List.of(new Point(1, 2, Instant.EPOCH), "text"));
  }

  private static Stream<Object> mutables() {
    return Stream.of(
        new byte[] {1, 2},
        new int[] {1, 2},
        new ArrayList<>(List.of("a")),
        new Path("name", new int[] {1}),
        List.of(new byte[] {1}));
  }

  @Test
  void immutableValueIsTheObjectThatWasPut() {
    immutables()
        .forEach(
            value -> {
              cache.put("key", value);
              assertThat(cache.get("key")).isSameAs(value);
              assertThat(cache.getAll(List.of("key")).get("key")).isSameAs(value);
              assertThat(cache.putIfAbsent("key", "other")).isSameAs(value);
              assertThat(cache.replace("key", "next")).isSameAs(value);
              assertThat(cache.get("key")).isEqualTo("next");
              assertThat(cache.remove("key")).isEqualTo("next");
              assertThat(cache.putIfAbsent("key", value)).isNull();
              assertThat(cache.put("key", "last")).isSameAs(value);
              cache.remove("key");
            });
  }

  @Test
  void immutableValueThatWasDecodedIsKept() {
    cache.putAll(Map.of("key", "written in bulk, as bytes"));
    Object first = Objects.requireNonNull(cache.get("key"));
    assertThat(cache.get("key")).isSameAs(first);
    assertThat(cache.put("key", "next")).isSameAs(first);
  }

  @Test
  @SuppressWarnings("ReferenceEquality") // That it is the same is what is tested.
  void streamsAtTheOwnerAreGivenTheSameObject() {
    put = new Point(1, 2, Instant.EPOCH);
    cache.put("key", put);
    assertThat(cache.values().stream().filter(value -> value == put).count()).isOne();
  }

  @Test
  void immutableValueThatAFunctionHereComputedIsKept() {
    String computed = "computed";
    Function<String, Object> absent = key -> computed;
    BiFunction<String, Object, Object> present = (key, value) -> computed + value;
    assertThat(cache.computeIfAbsent("key", absent)).isSameAs(computed);
    assertThat(cache.get("key")).isSameAs(computed);
    Object next = cache.compute("key", present);
    assertThat(next).isEqualTo("computedcomputed");
    assertThat(cache.get("key")).isSameAs(next);
  }

  @Test
  void mutableValueIsSharedWithNobody() {
    mutables()
        .forEach(
            value -> {
              cache.put("key", value);
              Object first = cache.get("key");
              assertThat(first).isNotSameAs(value);
              assertThat(cache.get("key")).isNotSameAs(first).isNotSameAs(value);
              // Streams keep a decoded object of their own.
              assertThat(cache.values().stream().count()).isOne();
              assertThat(cache.values().stream().filter(Objects::nonNull).count()).isOne();
              assertThat(cache.get("key")).isNotSameAs(cache.get("key"));
              assertThat(cache.put("key", value)).isNotSameAs(value).isNotSameAs(first);
              assertThat(cache.remove("key")).isNotSameAs(value);
            });
  }

  @Test
  void changeOfACallersObjectDoesNotReachTheCache() {
    byte[] bytes = {1};
    cache.put("key", bytes);
    bytes[0] = 2;
    byte[] got = (byte[]) Objects.requireNonNull(cache.get("key"));
    assertThat(got).containsExactly(1);
    got[0] = 3;
    assertThat((byte[]) cache.get("key")).containsExactly(1);
  }
}
