package io.cantle.chaos.scenario.strangers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Strangers at the ports of a grid, all at once and for as long as their process lives: thousands
 * that open connections and say nothing or half of something, some that know the grid's name and
 * stay, some that send noise, and some that send every hostile frame there is, over and over.
 *
 * <p>What a stranger that knows the name could do as a node that lies is not tried: to join, or to
 * claim the id of a member.
 *
 * <p><b>Threading:</b> any thread; each kind of stranger is a platform thread.
 */
final class StrangerAttack {
  private static final int IDLE_AT_ONCE = 10_000;
  private static final int IDLE_PER_ROUND = 10;
  private static final long ROUND_NANOS = 20_000_000L;
  private static final int IDLE_ADDRESSES = 50;
  private static final int QUIET_AT_ONCE = 1_500;
  private static final int HEARTBEAT_ROUNDS = 10;
  private static final long QUIET_ROUND_NANOS = 100_000_000L;
  private static final int NOISE_BYTES = 64 << 10;
  private static final long PAUSE_NANOS = 5_000_000L;
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int FRAME_SENDERS = 4;
  private static final int GREEDY_AT_ONCE = 30;
  private static final long GREEDY_PAUSE_NANOS = 100_000_000L;
  private static final long DROP_PAUSE_NANOS = 2_500_000L;
  private static final int DROPS_AT_ONCE = 40;
  private static final int UNFINISHED_AT_ONCE = 120;
  private static final long UNFINISHED_PAUSE_NANOS = 50_000_000L;
  private static final int UNFINISHED_BYTES = 8 << 20;
  private static final int MAX_PORT = 60_000;

  private static final byte[] ZEROS = new byte[64 << 10];
  private static final byte[] OPENING = opening(0);

  private final List<InetSocketAddress> targets;
  private final long seed;
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong frames = new AtomicLong();
  private final AtomicLong noiseBytes = new AtomicLong();
  private final AtomicLong patient = new AtomicLong();
  private volatile long kept;

  /** Strangers that have not begun yet. */
  StrangerAttack(List<InetSocketAddress> targets, long seed) {
    this.targets = targets;
    this.seed = seed;
  }

  /** Begins. */
  void start() {
    begin("idle", () -> stayIdle(0));
    begin("quiet", () -> stayQuiet(1));
    begin("noise", () -> makeNoise(new Random(seed), 2));
    for (int i = 0; i < FRAME_SENDERS; i++) {
      int sender = i;
      begin("frames-" + i, () -> sendFrames(new Random(seed + sender), 3 + sender));
    }
    begin("greedy", () -> beGreedy(new Random(seed), 10));
    begin("drops", () -> sendDrops(11));
    begin("unfinished", () -> sendUnfinished(12));
  }

  private static void begin(String name, Runnable stranger) {
    Thread.ofPlatform().daemon().name("cantle-stranger-" + name).start(stranger);
  }

  /** How many connections were opened. */
  long connections() {
    return connections.get();
  }

  /** How many hostile frames were sent. */
  long frames() {
    return frames.get();
  }

  /** How much noise was sent. */
  long noiseBytes() {
    return noiseBytes.get();
  }

  /** How many frames and bursts of noise did not end their connection within seconds. */
  long unrefused() {
    return patient.get();
  }

  /** How many connections nodes keep whose peers have opened them and send heartbeats only. */
  long kept() {
    return kept;
  }

  private InetSocketAddress target(int number) {
    return targets.get(number % targets.size());
  }

  /** An opening of a peer that was never there; it may say that it listens where a node does. */
  private static byte[] opening(int number) {
    InetSocketAddress listening =
        new InetSocketAddress(StrangerFrames.addressOf(number), number % MAX_PORT + 1);
    return StrangerFrames.opening(
        UUID.randomUUID(),
        number % 5 == 4 ? StrangerFrames.URGENT_LANE : StrangerFrames.DATA_LANE,
        listening);
  }

  private byte[] openingOf(int number) {
    return number % 4 == 3
        ? StrangerFrames.opening(UUID.randomUUID(), StrangerFrames.DATA_LANE, target(number / 4))
        : opening(number);
  }

  // ------------------------------------------------------------------ those that wait

  /** Keeps so many connections that say nothing, or not enough; opens others for those closed. */
  private void stayIdle(int stranger) {
    List<SocketChannel> open = new ArrayList<>();
    for (int number = 0; ; number += IDLE_PER_ROUND) {
      removeClosed(open);
      for (int i = number; i < number + IDLE_PER_ROUND && open.size() < IDLE_AT_ONCE; i++) {
        byte[] part = Arrays.copyOf(OPENING, i % OPENING.length);
        add(open, openChannel(i, stranger + i % IDLE_ADDRESSES, part));
      }
      LockSupport.parkNanos(ROUND_NANOS);
    }
  }

  /** Keeps connections that are open and carry heartbeats; opens others for those closed. */
  private void stayQuiet(int stranger) {
    List<SocketChannel> open = new ArrayList<>();
    for (int number = 0; ; number++) {
      removeClosed(open);
      kept = open.size();
      if (open.size() < QUIET_AT_ONCE) {
        add(open, openChannel(number, stranger, openingOf(number)));
      }
      if (number % HEARTBEAT_ROUNDS == 0) {
        open.forEach(StrangerAttack::sendHeartbeat);
      }
      LockSupport.parkNanos(QUIET_ROUND_NANOS);
    }
  }

  private static void sendHeartbeat(SocketChannel channel) {
    try {
      channel.write(ByteBuffer.wrap(StrangerFrames.heartbeat()));
    } catch (IOException e) {
      // The next round removes it.
    }
  }

  private static void add(List<SocketChannel> open, @Nullable SocketChannel channel) {
    if (channel != null) {
      open.add(channel);
    }
  }

  private @Nullable SocketChannel openChannel(int number, int stranger, byte[] first) {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.bind(new InetSocketAddress(StrangerFrames.addressOf(stranger), 0));
      channel.socket().connect(target(number), PATIENCE_MILLIS);
      connections.incrementAndGet();
      channel.write(ByteBuffer.wrap(first));
      channel.configureBlocking(false);
      return channel;
    } catch (IOException e) {
      close(channel);
      return null;
    }
  }

  private static void removeClosed(List<SocketChannel> open) {
    ByteBuffer ignored = ByteBuffer.allocate(4_096);
    for (Iterator<SocketChannel> each = open.iterator(); each.hasNext(); ) {
      SocketChannel channel = each.next();
      try {
        if (channel.read(ignored.clear()) < 0) {
          close(channel);
          each.remove();
        }
      } catch (IOException e) {
        close(channel);
        each.remove();
      }
    }
  }

  // ------------------------------------------------------------------ those that are refused

  private void makeNoise(Random random, int stranger) {
    byte[] noise = new byte[NOISE_BYTES];
    for (int number = 0; ; number++) {
      random.nextBytes(noise);
      if (number % 2 == 0) {
        knock(number, stranger, noise);
      } else {
        knock(number, stranger, joined(openingOf(number), noise));
      }
      noiseBytes.addAndGet(NOISE_BYTES);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void sendFrames(Random random, int stranger) {
    for (int number = 0; ; ) {
      List<byte[]> conversations = new ArrayList<>(StrangerFrames.openings(target(number)));
      for (byte[] frame : StrangerFrames.frames(random)) {
        conversations.add(joined(openingOf(number++), frame));
      }
      for (byte[] conversation : conversations) {
        knock(number++, stranger, conversation);
        frames.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Sends something on a connection of its own, and waits until the node closes that. */
  private void knock(int number, int stranger, byte[] content) {
    try (Socket socket = open(number, stranger)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.getOutputStream().write(content);
      awaitEnd(socket);
    } catch (SocketTimeoutException e) {
      patient.incrementAndGet();
    } catch (IOException e) {
      // Closed while there was still something to send.
    }
  }

  private Socket open(int number, int stranger) throws IOException {
    Socket socket = new Socket();
    try {
      socket.bind(new InetSocketAddress(StrangerFrames.addressOf(stranger), 0));
      socket.connect(target(number), PATIENCE_MILLIS);
      connections.incrementAndGet();
      return socket;
    } catch (IOException e) {
      close(socket);
      throw e;
    }
  }

  private static void awaitEnd(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] ignored = new byte[1_024];
    long end = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
    while (in.read(ignored) >= 0) {
      // Whatever the node says, it is the end that counts.
      if (System.nanoTime() - end > 0) {
        throw new SocketTimeoutException("the node does not end the connection");
      }
    }
  }

  // ------------------------------------------------------------------ those that want memory

  /** Asks without a pause, and reads no answer, each time as another peer. */
  private void beGreedy(Random random, int stranger) {
    List<Socket> open = new ArrayList<>();
    for (int number = 0; ; number++) {
      try {
        Socket socket = open(number, stranger);
        open.add(socket);
        socket.getOutputStream().write(openingOf(number));
        socket.getOutputStream().write(StrangerFrames.greedy(random));
      } catch (IOException e) {
        // The next one is another peer.
      }
      if (open.size() > GREEDY_AT_ONCE) {
        close(open.removeFirst());
      }
      LockSupport.parkNanos(GREEDY_PAUSE_NANOS);
    }
  }

  /** Keeps connections whose frames arrive byte by byte; opens others for those closed. */
  private void sendDrops(int stranger) {
    List<Drip> open = new ArrayList<>();
    for (int number = 0; ; number++) {
      try {
        if (open.size() < DROPS_AT_ONCE) {
          byte[] content =
              number % 2 == 0
                  ? openingOf(number)
                  : joined(openingOf(number), StrangerFrames.addresses(number));
          open.add(new Drip(open(number, stranger), content));
        }
      } catch (IOException e) {
        // The next round tries again.
      }
      open.removeIf(drip -> !drip.sendOne());
      LockSupport.parkNanos(DROP_PAUSE_NANOS);
    }
  }

  /** A connection whose bytes come one by one. */
  private static final class Drip {
    private final Socket socket;
    private final byte[] content;
    private int sent;

    Drip(Socket socket, byte[] content) {
      this.socket = socket;
      this.content = content;
    }

    /** Sends a byte; returns false when there is none left, or nobody reads it. */
    boolean sendOne() {
      try {
        socket.getOutputStream().write(content[sent++]);
        if (sent < content.length) {
          return true;
        }
      } catch (IOException e) {
        // It is closed below.
      }
      close(socket);
      return false;
    }
  }

  /** Keeps connections with the greater part of a frame that never ends. */
  private void sendUnfinished(int stranger) {
    List<Socket> open = new ArrayList<>();
    for (int number = 0; ; number++) {
      try {
        Socket socket = open(number, stranger);
        open.add(socket);
        socket.getOutputStream().write(openingOf(number));
        socket.getOutputStream().write(StrangerFrames.beginning());
        for (int sent = 0; sent < UNFINISHED_BYTES; sent += ZEROS.length) {
          socket.getOutputStream().write(ZEROS);
        }
      } catch (IOException e) {
        // The next one is another peer.
      }
      if (open.size() > UNFINISHED_AT_ONCE) {
        close(open.removeFirst());
      }
      open.removeIf(socket -> !isKept(socket));
      LockSupport.parkNanos(UNFINISHED_PAUSE_NANOS);
    }
  }

  /** Sends one byte more, so that the connection is not silent. */
  private static boolean isKept(Socket socket) {
    try {
      socket.getOutputStream().write(0);
      return true;
    } catch (IOException e) {
      close(socket);
      return false;
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }

  private static void close(@Nullable AutoCloseable connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (Exception e) {
      // It is given up either way.
    }
  }
}
