package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import org.junit.jupiter.api.Test;

/** What a cache that keeps objects without their bytes can be combined with. */
final class ObjectsDefinitionTest {
  private static void refuses(CacheConfig config, String problem) {
    assertThatThrownBy(() -> CacheDefinition.named("one", config.container(ContainerKind.OBJECTS)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void isLocal() {
    refuses(CacheConfig.distributed(), "mode DISTRIBUTED was asked for");
    refuses(CacheConfig.replicated(), "mode REPLICATED was asked for");
    refuses(CacheConfig.scattered(), "mode SCATTERED was asked for");
  }

  @Test
  void hasNoDurability() {
    refuses(CacheConfig.local().durability(Durability.SYNC), "has no durability");
  }

  @Test
  void mayHaveBoundsAndLifetimes() {
    CacheConfig config =
        CacheConfig.local()
            .container(ContainerKind.OBJECTS)
            .maxBytes(64 << 20)
            .lifespan(CacheConfig.LONGEST);
    assertThat(CacheDefinition.named("one", config).config()).isEqualTo(config);
  }
}
