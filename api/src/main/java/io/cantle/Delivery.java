package io.cantle;

/**
 * How often an entry that is present throughout a scan counts while segments move and nodes fail.
 */
public enum Delivery {
  /** Once. */
  EXACTLY_ONCE,
  /**
   * Once or more. What an owner delivers counts even if it had lost the segment by then; the next
   * owner delivers it again.
   */
  AT_LEAST_ONCE,
  /**
   * Once or not at all. A segment whose owner changes or fails meanwhile is not requested again. A
   * slow owner does not count as failed. A stream whose terminal operation runs on the owners fails
   * if it gets no answer within its timeout, as with any other delivery.
   */
  AT_MOST_ONCE
}
