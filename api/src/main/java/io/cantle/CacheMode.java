package io.cantle;

/** Where the entries of a cache live. */
public enum CacheMode {
  /** On the node that opened the cache, for its own use. Other nodes have caches of their own. */
  LOCAL,
  /** On every node. */
  REPLICATED,
  /** Each segment on {@link CacheConfig#owners()} nodes. */
  DISTRIBUTED
}
