package io.cantle.core.publish;

import java.util.concurrent.Executor;

/**
 * What runs the subscriptions of one node.
 *
 * <p><b>Threading:</b> any thread.
 *
 * @param threads starts a new virtual thread for each task; rejects tasks once the node is closed
 * @param closedText tells a subscriber that the node is closed
 */
public record SubscriptionExecutor(Executor threads, String closedText) {}
