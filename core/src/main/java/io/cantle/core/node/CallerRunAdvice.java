package io.cantle.core.node;

import io.cantle.core.base.CallSiteLog;
import java.util.function.Supplier;

/**
 * Tells users, once for each call site, that a function which decides a value does not run at the
 * primary of its key. On a node that is its whole grid every function runs where its caller is, so
 * there is nothing to tell.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param cacheName the cache
 * @param nodeName this node
 * @param isAlone whether the grid can have no other node
 */
record CallerRunAdvice(String cacheName, String nodeName, boolean isAlone) {
  private static final CallSiteLog LOG =
      new CallSiteLog(System.getLogger(CallerRunAdvice.class.getName()));

  /** Says that a function runs here, and why. */
  void advise(Object function, Supplier<String> reason) {
    if (!isAlone) {
      LOG.advise(function, () -> describe(reason.get()));
    }
  }

  private String describe(String reason) {
    return "a function of cache \"%s\" runs on node %s and not at the primary of its key: %s; "
            .formatted(cacheName, nodeName, reason)
        + "until no other write comes between, the entry is read here, the function runs, and the"
        + " result is sent; to have it run at the primary, write the lambda as the argument, or use"
        + " a Serializable type of io.cantle.function, and let it capture plain values only";
  }
}
