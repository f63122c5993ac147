package io.cantle.core.operation;

import io.cantle.core.base.Environment;
import io.cantle.core.base.HybridLogicalClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.ManualClock;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.AckExchange;
import io.cantle.core.replica.CommitNotifier;
import io.cantle.core.replica.ReplicaTable;
import io.cantle.core.topology.TopologyDriver;
import io.cantle.core.topology.TopologyFixture;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.MessageOnlyHandler;
import io.cantle.core.transport.MessagingService;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;

/**
 * The parts of one node, "self", that its operations need. Only the topology driver handles
 * messages that arrive; a read that arrives is never answered.
 *
 * <p><b>Threading:</b> as the test says.
 */
final class OperationFixture {
  final ManualClock clock = new ManualClock();
  final Member self = ManualNetwork.member("self");
  final ManualNetwork network = new ManualNetwork();
  final Codec codec =
      new Codec(ClassAllowList.of(List.of()), OperationFixture.class.getClassLoader());
  final Environment environment;
  final MessagingService messaging;
  final TopologyDriver driver;
  final ReplicaTable replicas;
  final CommitNotifier commitNotifier;
  final AckExchange ackExchange;
  private final EntryExpirer entryExpirer;

  OperationFixture(Executor threads, int initialMembers, NodeStore store) {
    environment = new Environment(clock, threads, new Random(1));
    messaging =
        new MessagingService(
            network.transport(self),
            environment,
            (MessageOnlyHandler) (kind, from, request, body) -> onMessage(kind, from, body));
    driver = TopologyFixture.driver(messaging, environment, initialMembers);
    replicas =
        new ReplicaTable(
            new DecodedObjectCache(codec, 1 << 20), new HybridLogicalClock(clock), clock, store);
    commitNotifier = new CommitNotifier(messaging, driver, environment, replicas);
    ackExchange = new AckExchange(messaging, environment, replicas, commitNotifier);
    entryExpirer = new EntryExpirer(messaging, driver, environment, replicas, commitNotifier);
  }

  private void onMessage(MessageKind kind, Member from, Input body) {
    if (kind != MessageKind.READ) {
      driver.onMessage(kind, from, body);
    }
  }

  WriteHandler writeHandler(ConflictResolver conflictResolver) {
    return new WriteHandler(
        messaging,
        driver,
        environment,
        replicas,
        commitNotifier,
        ackExchange,
        entryExpirer,
        codec,
        conflictResolver);
  }

  ReadHandler readHandler() {
    return new ReadHandler(messaging, driver, replicas, ackExchange, entryExpirer);
  }
}
