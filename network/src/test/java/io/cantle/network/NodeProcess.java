package io.cantle.network;

import io.cantle.core.transport.Member;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.resolver.AddressResolver;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * A node in a process of its own, to be killed or stopped. When it is killed its operating system
 * closes its sockets; when it is stopped they stay open.
 *
 * <p><b>Threading:</b> one thread, the test's.
 */
final class NodeProcess implements AutoCloseable {
  private final Process process;

  private NodeProcess(Process process) {
    this.process = process;
  }

  /** Starts a node that joins the grid of another node. */
  static NodeProcess start(String grid, String name, Node seed) throws IOException {
    String classPath =
        Stream.of(
                NodeProcess.class,
                NettyTransport.class,
                Member.class,
                ByteBuf.class,
                Channel.class,
                EventExecutor.class,
                IdleStateHandler.class,
                LengthFieldBasedFrameDecoder.class,
                AddressResolver.class,
                Epoll.class,
                FileDescriptor.class,
                NullMarked.class)
            .map(NodeProcess::origin)
            .distinct()
            .collect(Collectors.joining(System.getProperty("path.separator")));
    return new NodeProcess(
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                NodeProcess.class.getName(),
                grid,
                name,
                Integer.toString(seed.transport.port()))
            .inheritIO()
            .start());
  }

  private static String origin(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (java.net.URISyntaxException e) {
      throw new IllegalStateException("cannot find where " + type + " is from", e);
    }
  }

  /** Kills it, so that it leaves without a message. */
  void kill() {
    process.destroyForcibly();
  }

  /** Stops its process while its sockets stay open. */
  void stop() throws IOException, InterruptedException {
    Process signal =
        new ProcessBuilder("kill", "-STOP", Long.toString(process.pid())).inheritIO().start();
    if (signal.waitFor() != 0) {
      throw new IOException("cannot stop process " + process.pid());
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("process " + process.pid() + " does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Joins the grid of the first argument and runs until its input ends. */
  public static void main(String[] arguments) {
    List<Integer> seeds = List.of(Integer.parseInt(arguments[2]));
    Node node = new Node(Node.settings(arguments[0], arguments[1], seeds), (from, message) -> {});
    try (node) {
      node.start();
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
