package io.cantle.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests what objects take in a heap of regions. */
final class ObjectLayoutTest {
  private static final long REGION = 1 << 20;

  @Test
  void longObjectsTakeTheirShareOfARegion() {
    assertThat(ObjectLayout.inRegions(1_000, REGION)).isEqualTo(1_000);
    assertThat(ObjectLayout.inRegions(REGION / 16, REGION)).isEqualTo(REGION / 16);
    // Three fit into a region, and a fifth of it is left over.
    assertThat(ObjectLayout.inRegions(270_000, REGION)).isEqualTo(REGION / 3);
    assertThat(ObjectLayout.inRegions(REGION / 2, REGION)).isEqualTo(REGION / 2);
    assertThat(ObjectLayout.inRegions(REGION / 2 + 8, REGION)).isEqualTo(REGION);
    assertThat(ObjectLayout.inRegions(REGION, REGION)).isEqualTo(REGION);
    assertThat(ObjectLayout.inRegions(REGION + 8, REGION)).isEqualTo(2 * REGION);
  }

  @Test
  void withoutRegionsObjectsTakeTheirBytes() {
    assertThat(ObjectLayout.inRegions(270_000, 0)).isEqualTo(270_000);
  }
}
