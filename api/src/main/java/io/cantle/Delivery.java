package io.cantle;

/** How often an entry that is present throughout counts while segments move and nodes fail. */
public enum Delivery {
  /** Once. */
  EXACTLY_ONCE,
  /**
   * Once or more: what an owner told counts though it had lost the segment when it told it, and is
   * told again by the next one.
   */
  AT_LEAST_ONCE,
  /**
   * Once or not at all: a segment whose owner changes or fails meanwhile is not asked for again. An
   * owner that takes long is waited for; a stream that ends at the owners and gets no answer within
   * its timeout fails, as it does otherwise.
   */
  AT_MOST_ONCE
}
