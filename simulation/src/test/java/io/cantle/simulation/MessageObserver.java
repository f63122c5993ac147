package io.cantle.simulation;

/**
 * An observer of the messages between the nodes of a {@link ScriptedStage}.
 *
 * <p><b>Threading:</b> the carrier of its seed.
 */
// Public for its subpackage; no other module can require test code.
@SuppressWarnings("exports")
@FunctionalInterface
public interface MessageObserver {
  /** What has become of a message. */
  enum MessageEvent {
    /** It has arrived and is about to be handled. */
    ARRIVED,
    /** It has arrived and is held by a rule. */
    HELD,
    /** A rule that held it lets it go now. */
    RELEASED,
    /** A rule drops it. */
    DROPPED,
    /** It is lost, because its link is cut or its receiver does not run. */
    LOST
  }

  /** Is called at each event; must not wait. */
  void onMessage(StageMessage message, MessageEvent event);
}
