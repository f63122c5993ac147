package io.cantle.core.replica;

import io.cantle.core.base.Environment;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.transport.MessagingService;

/**
 * The parts of a node that operations on its replicas, scans and transfers need.
 *
 * <p><b>Threading:</b> immutable; its parts, by any thread.
 */
public record ReplicaContext(
    MessagingService messaging,
    TopologyDriver topologyDriver,
    Environment environment,
    ReplicaTable replicas,
    ProgressExchange progressExchange) {}
