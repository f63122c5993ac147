package io.cantle;

/**
 * Ends what a listener was registered for.
 *
 * <p><b>Threading:</b> any thread.
 */
public interface ListenerRegistration extends AutoCloseable {

  /**
   * Ends the registration: the listener is not called again, except that a call that has begun goes
   * on. Closing twice does nothing.
   */
  @Override
  void close();
}
