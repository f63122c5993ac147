package io.cantle.simulation;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.GridConfig;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.node.Inspection;
import io.cantle.core.node.Node;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import io.cantle.simulation.SimulatedThread.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A node of a {@link Stage}: a real one, on a simulated host.
 *
 * <p><b>Threading:</b> the carrier of its seed; calls of the node are made on threads of its host.
 */
// Public to its subpackage; nobody can require what is only there for tests.
@SuppressWarnings("exports")
public final class Actor {
  private static final Kind[] KINDS = Kind.values();

  private final Stage stage;
  private final Host host;
  private final SimulatedTransport transport;
  private final Node node;
  private final Map<Long, Kind> questions = new HashMap<>();
  private @Nullable Cache<String, String> cache;
  private @Nullable Outcome<Boolean> started;
  private @Nullable Outcome<Boolean> closed;

  Actor(Stage stage, Host host, SimulatedTransport transport, GridConfig config) {
    this.stage = stage;
    this.host = host;
    this.transport = transport;
    this.node = new Node(config, Actor.class.getClassLoader(), new Ear(), host.world());
  }

  Host host() {
    return host;
  }

  SimulatedTransport transport() {
    return transport;
  }

  /** What people call it. */
  public String name() {
    return host.name();
  }

  /** What makes it another member than one of the same name. */
  public UUID id() {
    return transport.member().id();
  }

  /** The node itself. */
  public Node node() {
    return node;
  }

  /** What it holds and believes. */
  public Inspection inspection() {
    return node.inspection();
  }

  /** The cache of the script. */
  public Cache<String, String> cache() {
    Cache<String, String> opened = cache;
    if (opened == null) {
      throw new IllegalStateException(host + " has not joined");
    }
    return opened;
  }

  /** Whether it runs. */
  public boolean alive() {
    return host.alive();
  }

  /** How long it stood still so far. */
  public long pausedNanos() {
    return host.totalPausedNanos();
  }

  /** Whether it has joined and neither left nor died. */
  public boolean steady() {
    return alive() && cache != null && closed == null;
  }

  /** Begins to join and to open the cache. */
  void start(CacheConfig config) {
    started =
        begin(
            () -> {
              node.start();
              cache = node.cache(Stage.CACHE, config);
              return true;
            });
  }

  /** Waits until it has joined. */
  public Actor joined() {
    Outcome<Boolean> joining = started;
    if (joining == null || !joining.value()) {
      throw new IllegalStateException(host + " was not started");
    }
    return this;
  }

  /** Begins to leave. */
  public Outcome<Boolean> leave() {
    Outcome<Boolean> leaving = new Outcome<>(stage, this);
    closed = leaving;
    host.start(
        Role.CLIENT,
        () -> {
          leaving.of(
              () -> {
                node.close();
                return true;
              });
          host.kill();
        });
    return leaving;
  }

  /** Kills it: nothing of it ever runs again. */
  public void kill() {
    stage.kill(this);
  }

  /** Has something done by a thread of its host. */
  public <T extends @Nullable Object> Outcome<T> begin(Callable<T> call) {
    Outcome<T> outcome = new Outcome<>(stage, this);
    host.start(Role.CLIENT, () -> outcome.of(call));
    return outcome;
  }

  /** Has something done by a thread of its host and waits for its result. */
  public <T extends @Nullable Object> T call(Callable<T> call) {
    return begin(call).value();
  }

  @Override
  public String toString() {
    return host.name();
  }

  private static Kind kind(byte[] message) {
    // Behind the version byte: see the envelope of the core's requests.
    return KINDS[message[1]];
  }

  /** The number of a question, or of the question an answer is to; zero where nobody waits. */
  private static long number(byte[] message) {
    Input in = new Input(message);
    in.skip(
        switch (kind(message)) {
              case ANSWER, HELLO, JOIN, TOPOLOGY, PREPARE, CUT, REFUSED, HISTORY -> 2;
              default -> 2 + Long.BYTES;
            }
            + (message[0] < 0 ? Long.BYTES : 0));
    return in.readVarint();
  }

  /** Shows the stage what arrives before the node sees it. */
  private final class Ear implements Transport {
    @Override
    public void start(Receiver receiver) {
      transport.start(
          new Receiver() {
            @Override
            public void receive(Member from, Input message) {
              byte[] bytes = new byte[message.remaining()];
              System.arraycopy(message.array(), message.position(), bytes, 0, bytes.length);
              Kind kind = kind(bytes);
              Kind asked = kind == Kind.ANSWER ? questions.get(number(bytes)) : null;
              stage
                  .traffic()
                  .arrived(
                      new Letter(stage.actor(from), Actor.this, kind, asked),
                      () -> receiver.receive(from, new Input(bytes)));
            }

            @Override
            public void members(List<Member> members) {
              receiver.members(members);
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
      Kind kind = kind(bytes);
      if (kind != Kind.ANSWER && number(bytes) != 0) {
        questions.put(number(bytes), kind);
      }
      stage.traffic().sent(kind);
      transport.send(to, message);
    }

    @Override
    public void close() {
      transport.close();
    }
  }
}
