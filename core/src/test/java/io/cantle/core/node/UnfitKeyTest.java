package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.Cache;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a cache says of keys of a type that no cache can hold. */
final class UnfitKeyTest {
  private static final Object UNFIT = new AtomicInteger(1);

  private final SingleNode alone = new SingleNode();
  private final Cache<Object, Integer> cache = alone.node.cache("keys");

  @BeforeEach
  void putOne() {
    cache.put("a", 1);
  }

  @AfterEach
  void close() {
    alone.close();
  }

  @Test
  void isNotPut() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put(UNFIT, 1))
        .withMessageContaining("AtomicInteger");
  }

  @Test
  void isRefusedAsMapSaysIfItIsAskedFor() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> cache.get(UNFIT),
            () -> cache.containsKey(UNFIT),
            () -> cache.remove(UNFIT),
            () -> cache.remove(UNFIT, 1),
            () -> cache.keySet().contains(UNFIT),
            () -> cache.entrySet().contains(Map.entry(UNFIT, 1)))) {
      assertThatExceptionOfType(ClassCastException.class)
          .isThrownBy(call)
          .withMessageContaining("AtomicInteger");
    }
  }

  @Test
  void makesMapsAndSetsUnequal() {
    assertThat(cache.equals(Map.of(UNFIT, 1))).isFalse();
    assertThat(cache.keySet().equals(Set.of(UNFIT))).isFalse();
    assertThat(cache.entrySet().equals(Set.of(Map.entry(UNFIT, 1)))).isFalse();
  }
}
