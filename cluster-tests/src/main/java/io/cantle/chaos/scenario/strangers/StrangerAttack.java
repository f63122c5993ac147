package io.cantle.chaos.scenario.strangers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Strangers at the ports of a grid, all at once and for as long as their process lives: thousands
 * that open connections and say nothing or half of something, some that know the grid's name and
 * say nothing more, some that send noise, and some that send every hostile frame there is, over and
 * over.
 *
 * <p><b>Threading:</b> any thread; each kind of stranger is a platform thread.
 */
final class StrangerAttack {
  private static final int IDLE_AT_ONCE = 10_000;
  private static final int IDLE_PER_ROUND = 10;
  private static final long IDLE_ROUND_NANOS = 20_000_000L;
  private static final int NAMED_PER_ROUND = 1;
  private static final int NAMED_IDLE_AT_ONCE = 200;
  private static final int IDLE_ADDRESSES = 50;
  private static final int NOISE_BYTES = 64 << 10;
  private static final long PAUSE_NANOS = 5_000_000L;
  private static final int PATIENCE_MILLIS = 10_000;
  private static final long GREEDY_PAUSE_NANOS = 50_000_000L;
  private static final long DROP_PAUSE_NANOS = 100_000_000L;
  private static final int DROPS_AT_ONCE = 40;
  private static final int MAX_PORT = 60_000;
  private static final int MAX_ADDRESS_BYTE = 200;

  private static final byte[] OPENING = StrangerFrames.opening(StrangersNode.GRID);

  private final List<InetSocketAddress> targets;
  private final long seed;
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong frames = new AtomicLong();
  private final AtomicLong noiseBytes = new AtomicLong();
  private final AtomicLong patient = new AtomicLong();

  /** Strangers that have not begun yet. */
  StrangerAttack(List<InetSocketAddress> targets, long seed) {
    this.targets = targets;
    this.seed = seed;
  }

  /** Begins. */
  void start() {
    begin("idle", () -> stayIdle(IDLE_AT_ONCE, false));
    begin("named", () -> stayIdle(NAMED_IDLE_AT_ONCE, true));
    begin("noise", () -> makeNoise(new Random(seed), 1));
    begin("named-noise", () -> makeNoise(new Random(seed + 1), 2));
    begin("frames", () -> sendFrames(3));
    begin("greedy", () -> beGreedy(4));
    begin("drops", () -> sendDrops(5));
  }

  private void begin(String name, Runnable stranger) {
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

  private static byte[] addressOf(int stranger) {
    return new byte[] {127, 0, 1, (byte) (stranger % MAX_ADDRESS_BYTE + 1)};
  }

  private InetSocketAddress target(int number) {
    return targets.get(number % targets.size());
  }

  /** Keeps so many connections that say nothing, or not enough; opens others for those closed. */
  private void stayIdle(int most, boolean named) {
    List<SocketChannel> open = new ArrayList<>();
    int number = 0;
    while (true) {
      removeClosed(open);
      for (int i = 0; i < (named ? NAMED_PER_ROUND : IDLE_PER_ROUND) && open.size() < most; i++) {
        SocketChannel channel = openIdle(number++, named);
        if (channel != null) {
          open.add(channel);
        }
      }
      LockSupport.parkNanos(IDLE_ROUND_NANOS);
    }
  }

  private @Nullable SocketChannel openIdle(int number, boolean named) {
    byte[] address = addressOf(number % IDLE_ADDRESSES);
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open();
      channel.bind(new InetSocketAddress(InetAddress.getByAddress(address), 0));
      channel.socket().connect(target(number), PATIENCE_MILLIS);
      connections.incrementAndGet();
      if (named) {
        channel.write(ByteBuffer.wrap(OPENING));
        channel.write(ByteBuffer.wrap(StrangerFrames.introduction(address, number % 60_000 + 1)));
      } else {
        channel.write(ByteBuffer.wrap(OPENING, 0, number % OPENING.length));
      }
      channel.configureBlocking(false);
      return channel;
    } catch (IOException e) {
      close(channel);
      return null;
    }
  }

  private static void removeClosed(List<SocketChannel> open) {
    ByteBuffer ignored = ByteBuffer.allocate(64);
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

  private void makeNoise(Random random, int stranger) {
    byte[] noise = new byte[NOISE_BYTES];
    for (int number = 0; ; number++) {
      random.nextBytes(noise);
      if (knock(number, stranger, noise)) {
        noiseBytes.addAndGet(NOISE_BYTES);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void sendFrames(int stranger) {
    List<byte[]> hostile = StrangerFrames.all(addressOf(stranger), stranger);
    for (int number = 0; ; number++) {
      for (byte[] frame : hostile) {
        if (knock(number, stranger, frame)) {
          frames.incrementAndGet();
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Sends well-formed messages that a node would have to keep, each time as another peer. */
  private void beGreedy(int stranger) {
    byte[] address = addressOf(stranger);
    for (int number = 0; ; number++) {
      int port = number % MAX_PORT + 1;
      try (Socket socket = new Socket()) {
        socket.bind(new InetSocketAddress(InetAddress.getByAddress(address), 0));
        socket.connect(target(number), PATIENCE_MILLIS);
        connections.incrementAndGet();
        byte[] first = joined(OPENING, StrangerFrames.introduction(address, port));
        byte[] messages = StrangerFrames.greedy(address, port, target(number));
        socket.getOutputStream().write(joined(first, messages));
        LockSupport.parkNanos(GREEDY_PAUSE_NANOS);
      } catch (IOException e) {
        // The next one is another peer.
      }
    }
  }

  /** Keeps connections whose frames arrive byte by byte; opens others for those closed. */
  private void sendDrops(int stranger) {
    byte[] address = addressOf(stranger);
    List<Socket> open = new ArrayList<>();
    for (int number = 0; ; number++) {
      try {
        if (open.size() < DROPS_AT_ONCE) {
          Socket socket = new Socket();
          open.add(socket);
          socket.bind(new InetSocketAddress(InetAddress.getByAddress(address), 0));
          socket.connect(target(number), PATIENCE_MILLIS);
          connections.incrementAndGet();
          byte[] introduction = StrangerFrames.introduction(address, number % MAX_PORT + 1);
          socket.getOutputStream().write(joined(OPENING, introduction));
          socket.getOutputStream().write(new byte[] {0, 7, 0, 0});
        }
      } catch (IOException e) {
        // It is removed below.
      }
      open.removeIf(socket -> !sendDrop(socket));
      LockSupport.parkNanos(DROP_PAUSE_NANOS / DROPS_AT_ONCE);
    }
  }

  private static boolean sendDrop(Socket socket) {
    try {
      socket.getOutputStream().write(1);
      return true;
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException again) {
        // It is given up either way.
      }
      return false;
    }
  }

  /**
   * Sends something on a connection of its own: as it is, as a node of JGroups would, or as one
   * that knows the grid. Waits until the node closes the connection.
   */
  private boolean knock(int number, int stranger, byte[] content) {
    byte[] address = addressOf(stranger);
    try (Socket socket = new Socket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByAddress(address), 0));
      socket.connect(target(number / 3), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      connections.incrementAndGet();
      byte[] introduction = StrangerFrames.introduction(address, stranger);
      byte[] first =
          switch (number % 3) {
            case 0 -> new byte[0];
            case 1 -> introduction;
            default -> joined(OPENING, introduction);
          };
      socket.getOutputStream().write(joined(first, content));
      awaitEnd(socket);
      return true;
    } catch (SocketTimeoutException e) {
      patient.incrementAndGet();
      return true;
    } catch (IOException e) {
      // Closed while there was still something to send.
      return true;
    }
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] joined = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, joined, first.length, second.length);
    return joined;
  }

  private static void awaitEnd(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] ignored = new byte[1_024];
    while (in.read(ignored) >= 0) {
      // Whatever the node says, it is the end that counts.
    }
  }

  private static void close(@Nullable SocketChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // It is given up either way.
    }
  }
}
