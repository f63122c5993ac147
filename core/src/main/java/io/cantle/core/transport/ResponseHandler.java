package io.cantle.core.transport;

import io.cantle.core.base.Input;

/**
 * Somebody who waits for answers under a request number.
 *
 * <p><b>Threading:</b> called by any thread, which must not be kept.
 */
public interface ResponseHandler {

  /** An answer has come; there may be several. */
  void onResponse(Member from, Input body);

  /** The members or the topology changed: look again whether an answer can still come. */
  void wake();
}
