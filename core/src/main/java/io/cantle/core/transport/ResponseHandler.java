package io.cantle.core.transport;

import io.cantle.core.base.Input;

/**
 * Receives the responses to a request number.
 *
 * <p><b>Threading:</b> called by any thread, which must not be blocked.
 */
public interface ResponseHandler {

  /** A response has arrived; there may be several. */
  void onResponse(Member from, Input body);

  /** The members or the topology changed: check again whether a response can still arrive. */
  void wake();
}
