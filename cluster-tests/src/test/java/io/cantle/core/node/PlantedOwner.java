package io.cantle.core.node;

import io.cantle.core.segment.Planted;
import java.time.Instant;
import java.util.random.RandomGenerator;

/** Does what is banned elsewhere, in the package that is allowed to do it. */
public final class PlantedOwner {

  private PlantedOwner() {}

  static Thread thread() {
    return Thread.ofVirtual().unstarted(() -> {});
  }

  static long time() {
    return System.nanoTime() + Instant.now().toEpochMilli();
  }

  static RandomGenerator random() {
    return RandomGenerator.getDefault();
  }

  static Class<?> below() {
    return Planted.class;
  }
}
