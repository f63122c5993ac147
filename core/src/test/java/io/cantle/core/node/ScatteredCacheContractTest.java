package io.cantle.core.node;

import io.cantle.CacheConfig;

/** Tests that a scattered cache keeps the same contract. */
final class ScatteredCacheContractTest extends CacheContractTest {
  @Override
  CacheConfig config() {
    return CacheConfig.scattered().segments(super.config().segments());
  }
}
