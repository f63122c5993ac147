package io.cantle.core.node;

import io.cantle.CacheConfig;
import io.cantle.ContainerKind;

/** Tests that a cache off the heap keeps the same contract. */
final class OffHeapCacheContractTest extends CacheContractTest {
  @Override
  CacheConfig config() {
    return super.config().container(ContainerKind.OFF_HEAP);
  }
}
