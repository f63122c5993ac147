package io.cantle;

/** Where a node keeps the entries of a cache that it holds in memory. */
public enum ContainerKind {
  /** As objects of the Java heap. The fastest, and all of it is work for the garbage collector. */
  HEAP,
  /**
   * In memory off the Java heap, which the garbage collector never sees. An entry takes nothing of
   * the heap, and up to 48 bytes beside its encoded key and value. Each read makes an entry from
   * its bytes, and decoded objects are not kept.
   */
  OFF_HEAP
}
