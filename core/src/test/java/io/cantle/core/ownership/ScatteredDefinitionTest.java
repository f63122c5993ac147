package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import org.junit.jupiter.api.Test;

/** What a scattered cache can be combined with. */
final class ScatteredDefinitionTest {
  private static void refuses(CacheConfig config, String problem) {
    assertThatThrownBy(() -> CacheDefinition.named("one", config))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void hasTwoOwners() {
    refuses(CacheConfig.scattered().owners(3), "a scattered cache has 2 owners of each entry");
    refuses(CacheConfig.scattered().owners(1), "not 1");
  }

  @Test
  void hasNoDurability() {
    refuses(
        CacheConfig.scattered().durability(Durability.SYNC), "a scattered cache has no durability");
  }

  @Test
  void hasNoBound() {
    refuses(CacheConfig.scattered().maxEntries(1_000), "no maxEntries, maxBytes or memoryBudget");
    refuses(CacheConfig.scattered().maxBytes(1L << 30), "no maxEntries, maxBytes or memoryBudget");
  }

  @Test
  void mayBeOffTheHeap() {
    CacheConfig config = CacheConfig.scattered().container(ContainerKind.OFF_HEAP);
    assertThat(CacheDefinition.named("one", config).isScattered()).isTrue();
  }
}
