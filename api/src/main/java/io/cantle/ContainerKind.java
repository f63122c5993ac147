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
  OFF_HEAP,
  /**
   * On the Java heap, and what nobody can change as the objects that were put, without their bytes:
   * keys and values that are strings, numbers, {@code java.time}, records of these and the like.
   * For local caches without durability. An entry takes less, and a put does not encode a string.
   * What needs bytes, such as an iteration that is not on this node alone, encodes an entry each
   * time. Keys and values that can be changed are kept as in {@link #HEAP}.
   */
  OBJECTS
}
