package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridConfig;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.node.Node;
import io.cantle.core.node.NodeGrid;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SeedScenario.KeyForm;
import io.cantle.simulation.SimulatedThread.Role;
import io.cantle.simulation.probe.NodeProbe;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link ScriptedStage}: a real one, on a simulated host.
 *
 * <p><b>Threading:</b> the carrier of its seed; calls of the node are made on threads of its host.
 */
// Public for its subpackage; no other module can require test code.
@SuppressWarnings("exports")
public final class StageNode {
  private static final MessageKind[] KINDS = MessageKind.values();

  private final ScriptedStage scriptedStage;
  private final SimulatedHost host;
  private final SimulatedTransport transport;
  private final Node node;
  private final NodeInspection checkedView;
  private final Map<Long, MessageKind> requestKinds = new HashMap<>();
  private @Nullable Cache<String, String> cache;
  private @Nullable PendingCall<Boolean> started;
  private @Nullable PendingCall<Boolean> closed;

  StageNode(
      ScriptedStage scriptedStage,
      SimulatedHost host,
      SimulatedTransport transport,
      GridConfig config) {
    this.scriptedStage = scriptedStage;
    this.host = host;
    this.transport = transport;
    this.node =
        new Node(
            config,
            StageNode.class.getClassLoader(),
            new MessageReceiver(),
            host.world(),
            host.store(),
            () -> {});
    this.checkedView =
        new GridNodeInspection(node().inspector(), host.store(), new KeyNumbering(KeyForm.TEXT), 1);
  }

  SimulatedHost host() {
    return host;
  }

  SimulatedTransport transport() {
    return transport;
  }

  /** Returns its name for people. */
  public String name() {
    return host.name();
  }

  /** Returns its member id, which differs from that of another node of the same name. */
  public UUID id() {
    return transport.member().id();
  }

  /** Returns the grid as the node sees it. */
  public NodeGrid node() {
    return node.grid();
  }

  /** Returns a view into what it holds and believes. */
  public NodeProbe inspection() {
    return new NodeProbe(node().inspector());
  }

  /** Returns the view by which invariants are checked; it keeps what the node's feeds told. */
  NodeInspection checkedView() {
    return checkedView;
  }

  /** Returns the cache of the script. */
  public Cache<String, String> cache() {
    Cache<String, String> opened = cache;
    if (opened == null) {
      throw new IllegalStateException(host + " has not joined");
    }
    return opened;
  }

  /** Opens the cache of the script once more, because it was destroyed. */
  public void openCache(CacheConfig config) {
    cache = node().cache(ScriptedStage.CACHE, config);
  }

  /** Returns whether it runs. */
  public boolean isAlive() {
    return host.isAlive();
  }

  /** Returns how long it was paused so far. */
  public long pausedNanos() {
    return host.totalPausedNanos();
  }

  /** Returns whether it has joined and has neither left nor died. */
  public boolean isSteady() {
    return isAlive() && cache != null && closed == null;
  }

  /** Begins to join and to open the cache. */
  void start(CacheConfig config) {
    started =
        beginCall(
            () -> {
              node.start();
              cache = node().cache(ScriptedStage.CACHE, config);
              return true;
            });
  }

  /** Waits until it has joined. */
  public StageNode awaitJoined() {
    PendingCall<Boolean> joining = started;
    if (joining == null || !joining.value()) {
      throw new IllegalStateException(host + " was not started");
    }
    return this;
  }

  /** Returns the start of the node, which ends once it has joined or given up. */
  public PendingCall<Boolean> joining() {
    PendingCall<Boolean> joining = started;
    if (joining == null) {
      throw new IllegalStateException(host + " was not started");
    }
    return joining;
  }

  /** Begins to leave. */
  public PendingCall<Boolean> leave() {
    PendingCall<Boolean> leaving = new PendingCall<>(scriptedStage, this);
    closed = leaving;
    host.start(
        Role.CLIENT,
        () -> {
          leaving.runCall(
              () -> {
                node().close();
                return true;
              });
          host.kill();
        });
    return leaving;
  }

  /** Kills it: nothing of it ever runs again. */
  public void kill() {
    scriptedStage.kill(this);
  }

  /** Begins a call on a thread of its host. */
  public <T extends @Nullable Object> PendingCall<T> beginCall(Callable<T> call) {
    PendingCall<T> outcome = new PendingCall<>(scriptedStage, this);
    host.start(Role.CLIENT, () -> outcome.runCall(call));
    return outcome;
  }

  /** Makes a call on a thread of its host and waits for the result. */
  public <T extends @Nullable Object> T call(Callable<T> call) {
    return beginCall(call).value();
  }

  @Override
  public String toString() {
    return host.name();
  }

  private static MessageKind kindOf(byte[] message) {
    // The kind follows the version byte; see the envelope of the core's requests.
    return KINDS[message[1]];
  }

  /**
   * Returns the number of a request, or of the request that an answer belongs to; zero where
   * nothing waits.
   */
  private static long requestNumberOf(byte[] message) {
    return readRequestNumber(new Input(message), message);
  }

  private static long readRequestNumber(Input in, byte[] message) {
    in.skip(
        switch (kindOf(message)) {
              case RESPONSE, HELLO, JOIN, TOPOLOGY, PREPARE, CUT_OFF, REFUSED, HISTORY -> 2;
              default -> 2 + Long.BYTES;
            }
            + (message[0] < 0 ? Long.BYTES : 0));
    return in.readVarint();
  }

  private StageMessage messageFrom(StageNode from, byte[] message) {
    Input in = new Input(message);
    long request = readRequestNumber(in, message);
    MessageKind kind = kindOf(message);
    return new StageMessage(
        from,
        this,
        kind,
        kind == MessageKind.RESPONSE ? requestKinds.get(request) : null,
        new ByteSlice(message, in.position(), in.remaining()));
  }

  /** Shows the stage what arrives before the node sees it. */
  private final class MessageReceiver implements Transport {
    @Override
    public void start(Receiver receiver) {
      transport.start(
          new Receiver() {
            @Override
            public void receive(Member from, Input message) {
              byte[] bytes = new byte[message.remaining()];
              System.arraycopy(message.array(), message.position(), bytes, 0, bytes.length);
              scriptedStage
                  .traffic()
                  .onArrival(
                      messageFrom(scriptedStage.nodeOf(from), bytes),
                      () -> receiver.receive(from, new Input(bytes)));
            }

            @Override
            public void onMembersChanged(List<Member> members) {
              receiver.onMembersChanged(members);
            }
          });
    }

    @Override
    public Member self() {
      return transport.self();
    }

    @Override
    public void send(Member to, Output message) {
      byte[] bytes = message.toByteArray();
      MessageKind kind = kindOf(bytes);
      if (kind != MessageKind.RESPONSE && requestNumberOf(bytes) != 0) {
        requestKinds.put(requestNumberOf(bytes), kind);
      }
      scriptedStage.traffic().recordSent(kind);
      StageNode target = scriptedStage.nodeOf(to);
      if (isAlive() && !scriptedStage.reaches(StageNode.this, target)) {
        scriptedStage.traffic().onLost(target.messageFrom(StageNode.this, bytes));
      }
      transport.send(to, message);
    }

    @Override
    public void close() {
      transport.close();
    }
  }
}
