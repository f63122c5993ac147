package io.cantle.core.transport;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A network on which nothing happens by itself. Messages stay in a queue until a test delivers
 * them, and the test decides which members each node sees.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
public final class ManualNetwork {

  /** A message in flight. */
  public record SentMessage(Member from, Member to, byte[] bytes) {
    /** The kind of the message. */
    public MessageKind kind() {
      return MessageKind.of(bytes[1]);
    }
  }

  /** Messages in flight, oldest first; a test may reorder or drop them. */
  public final ArrayDeque<SentMessage> inFlight = new ArrayDeque<>();

  private final Map<Member, Transport.Receiver> receivers = new HashMap<>();

  /** Returns the member of a name. */
  public static Member member(String name) {
    return new Member(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), name);
  }

  /** Returns a message as sent on the network, of no grid yet. */
  public static byte[] bytes(MessageKind kind, int... requestAndBody) {
    Output out = new Output(8);
    out.writeByte(PeerVersions.HIGHEST);
    out.writeByte(kind.code());
    if (kind.isGridScoped()) {
      out.writeLong(0);
    }
    for (int one : requestAndBody) {
      out.writeByte(one);
    }
    return out.toByteArray();
  }

  /** Returns a transport of a member that runs an action while it starts. */
  Transport transport(Member self, Consumer<Transport.Receiver> whileStarting) {
    Transport inner = transport(self);
    return new Transport() {
      @Override
      public void start(Receiver receiver) {
        inner.start(receiver);
        whileStarting.accept(receiver);
      }

      @Override
      public Member self() {
        return self;
      }

      @Override
      public void send(Member to, Output message) {
        inner.send(to, message);
      }

      @Override
      public void close() {
        inner.close();
      }
    };
  }

  /** Returns a transport of a member. */
  public Transport transport(Member self) {
    return new Transport() {
      @Override
      public void start(Receiver receiver) {
        receivers.put(self, receiver);
      }

      @Override
      public Member self() {
        return self;
      }

      @Override
      public void send(Member to, Output message) {
        inFlight.add(new SentMessage(self, to, message.toByteArray()));
      }

      @Override
      public void close() {
        receivers.remove(self);
      }
    };
  }

  /** Shows one member which members are present. */
  public void showView(Member to, Member... present) {
    Transport.Receiver receiver = receivers.get(to);
    if (receiver != null) {
      receiver.onMembersChanged(List.of(present));
    }
  }

  /** Shows all of the present members, the first of them first, that they are present. */
  public void showViewToAll(Member... present) {
    for (Member member : present) {
      showView(member, present);
    }
  }

  /** Crashes a member: it receives and sends nothing from now on. */
  public void crash(Member member) {
    receivers.remove(member);
    inFlight.removeIf(sent -> sent.from().equals(member));
  }

  /** Delivers the oldest message; returns false if there is none. */
  public boolean deliver() {
    SentMessage sent = inFlight.poll();
    if (sent != null) {
      deliver(sent);
    }
    return sent != null;
  }

  /** Delivers a message that was taken from the queue or made up. */
  public void deliver(SentMessage sent) {
    Transport.Receiver receiver = receivers.get(sent.to());
    if (receiver != null) {
      receiver.receive(sent.from(), new Input(sent.bytes()));
    }
  }

  /** Delivers messages until none is in flight. */
  public void deliverAll() {
    for (int i = 0; deliver(); i++) {
      if (i > 1_000_000) {
        throw new IllegalStateException("messages cause messages without end: " + inFlight);
      }
    }
  }

  /** Removes the oldest message that matches from the queue. */
  public @Nullable SentMessage takeFirst(Predicate<SentMessage> fits) {
    for (SentMessage sent : inFlight) {
      if (fits.test(sent)) {
        inFlight.remove(sent);
        return sent;
      }
    }
    return null;
  }
}
