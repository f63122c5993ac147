package io.cantle.jgroups;

import java.util.List;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.stack.Protocol;

/**
 * The protocols of a channel, from the network up. The measurements behind the choices are in
 * docs/decisions/transport.md.
 *
 * <p>There is no credit-based flow control, because it would wait for credits on the same threads
 * that bring them. {@link ChannelSocket} limits the data that waits to be sent instead.
 */
final class ProtocolStack {
  /** Large enough for a pull of 256 KiB and its envelope in one fragment. */
  static final int FRAGMENT_BYTES = 320 << 10;

  private static final int BUNDLER_BYTES = 384 << 10;
  private static final int MAX_THREADS = 32;
  private static final int FAILURE_TIMEOUT_MILLIS = 3_000;
  private static final int HEARTBEAT_MILLIS = 1_000;

  /**
   * Short, because a member that is suspected by mistake continues to renew its lease and remains.
   */
  private static final int VERIFY_MILLIS = 500;

  private static final int MERGE_MIN_MILLIS = 500;
  private static final int MERGE_MAX_MILLIS = 1_500;

  /** A member that died during a merge does not answer it; a new merge begins after this time. */
  private static final int MERGE_ANSWER_MILLIS = 2_000;

  private static final int RETRANSMIT_MILLIS = 100;

  /** Many, because rounds are short while nodes that start together agree on the first. */
  private static final int MAX_JOIN_ATTEMPTS = 50;

  private static final int LEAVE_MILLIS = 1_000;
  private static final int STABLE_BYTES = 1 << 20;

  private ProtocolStack() {}

  static List<Protocol> protocols(JGroupsSettings settings, BackpressureTcp tcp) {
    transport(settings, tcp);
    GMS membership =
        new GMS()
            .printLocalAddress(false)
            .setMaxJoinAttempts(MAX_JOIN_ATTEMPTS)
            .setJoinTimeout(settings.joinTimeout().toMillis())
            .setLeaveTimeout(LEAVE_MILLIS)
            .setMergeTimeout(MERGE_ANSWER_MILLIS);
    VERIFY_SUSPECT2 verify = new VERIFY_SUSPECT2();
    verify.setTimeout(VERIFY_MILLIS);
    return List.of(
        tcp,
        new OutOfMemoryReporter(tcp::onOutOfMemory),
        new SeedDiscovery(settings, tcp),
        new MERGE3().setMinInterval(MERGE_MIN_MILLIS).setMaxInterval(MERGE_MAX_MILLIS),
        new MemberHeartbeats().setTimeout(FAILURE_TIMEOUT_MILLIS).setInterval(HEARTBEAT_MILLIS),
        verify,
        new NAKACK2(),
        new BoundedUnicast().setXmitInterval(RETRANSMIT_MILLIS),
        new OutOfMemoryReporter(tcp::onOutOfMemory),
        new STABLE().setMaxBytes(STABLE_BYTES),
        membership,
        new MemberFragments().setFragSize(FRAGMENT_BYTES));
  }

  private static void transport(JGroupsSettings settings, BackpressureTcp tcp) {
    GuardedBundler bundler = new GuardedBundler(tcp::onOutOfMemory);
    bundler.setMaxSize(BUNDLER_BYTES);
    tcp.setBindAddress(settings.bindAddress())
        .setThreadFactory(new TransportThreadProvider(settings.nodeName(), tcp::onOutOfMemory))
        .useVirtualThreads(false)
        .setBundler(bundler)
        .setMessageProcessingPolicy("direct");
    tcp.tcpNodelay(true).enableSuspectEvents(true).logDetails(false);
    tcp.logAcceptError(false);
    // Several grids may share the ports of one machine.
    tcp.logDiscardMsgs(false);
    tcp.setClientBindAddr(settings.bindAddress());
    tcp.getThreadPool()
        .setMinThreads(0)
        .setMaxThreads(MAX_THREADS)
        .setIncreaseMaxSizeDynamically(false);
    tcp.enableStats(false);
  }
}
