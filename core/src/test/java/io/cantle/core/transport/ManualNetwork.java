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
 * A network on which nothing happens by itself: messages lie in a queue until a test delivers them,
 * views are what a test says.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
public final class ManualNetwork {

  /** A message under way. */
  public record SentMessage(Member from, Member to, byte[] bytes) {
    /** What kind of message it is. */
    public MessageKind kind() {
      return MessageKind.of(bytes[1]);
    }
  }

  /** Messages under way, the oldest first; a test may reorder or drop them. */
  public final ArrayDeque<SentMessage> inFlight = new ArrayDeque<>();

  private final Map<Member, Transport.Receiver> receivers = new HashMap<>();

  /** The member of this name. */
  public static Member member(String name) {
    return new Member(UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)), name);
  }

  /** A message as it is on the network, of no grid yet. */
  public static byte[] bytes(MessageKind kind, int... requestAndBody) {
    Output out = new Output(8);
    out.writeByte(MessagingService.VERSION);
    out.writeByte(kind.code());
    if (kind.isGridScoped()) {
      out.writeLong(0);
    }
    for (int one : requestAndBody) {
      out.writeByte(one);
    }
    return out.toByteArray();
  }

  /** A transport for a member that does something while it starts. */
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

  /** A transport for a member. */
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

  /** Tells one member who is there. */
  public void showView(Member to, Member... present) {
    Transport.Receiver receiver = receivers.get(to);
    if (receiver != null) {
      receiver.onMembersChanged(List.of(present));
    }
  }

  /** Tells everybody present, the first of them first, that they are there. */
  public void showViewToAll(Member... present) {
    for (Member member : present) {
      showView(member, present);
    }
  }

  /** A member is no more: it gets and sends nothing. */
  public void crash(Member member) {
    receivers.remove(member);
    inFlight.removeIf(sent -> sent.from().equals(member));
  }

  /** Delivers the oldest message; false if there is none. */
  public boolean deliver() {
    SentMessage sent = inFlight.poll();
    if (sent != null) {
      deliver(sent);
    }
    return sent != null;
  }

  /** Delivers a message that was taken from the queue, or made up. */
  public void deliver(SentMessage sent) {
    Transport.Receiver receiver = receivers.get(sent.to());
    if (receiver != null) {
      receiver.receive(sent.from(), new Input(sent.bytes()));
    }
  }

  /** Delivers until nothing is under way. */
  public void deliverAll() {
    for (int i = 0; deliver(); i++) {
      if (i > 1_000_000) {
        throw new IllegalStateException("messages cause messages without end: " + inFlight);
      }
    }
  }

  /** Takes the oldest message that fits out of the queue. */
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
