package io.cantle;

/** Where the entries of a cache live. */
public enum CacheMode {
  /** On the node that opened the cache, for its own use. Other nodes have caches of their own. */
  LOCAL,
  /** On every node. */
  REPLICATED,
  /** Each segment on {@link CacheConfig#owners()} nodes. */
  DISTRIBUTED,
  /**
   * Each entry on two nodes: the primary of its segment, and the node that wrote it, or another one
   * if the primary wrote it itself. A write takes one round trip from any node. Keys are read at
   * their primary only.
   */
  SCATTERED
}
