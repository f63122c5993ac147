package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.TypeCodec;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests objects of a class with a user's codec, on two nodes that keep them on disk. */
@Timeout(120)
final class UserCodecTest {
  private static final CacheConfig DURABLE =
      CacheConfig.distributed().owners(2).segments(16).durability(Durability.SYNC);

  /** A codec for a class that no setting allows, used in keys as well. */
  private record Addresses(String name) implements TypeCodec<InetSocketAddress> {
    @Override
    public Class<InetSocketAddress> type() {
      return InetSocketAddress.class;
    }

    @Override
    public void write(InetSocketAddress address, DataOutput out) throws IOException {
      out.writeByte(1);
      out.writeUTF(address.getHostString());
      out.writeShort(address.getPort());
    }

    @Override
    public InetSocketAddress read(DataInput in) throws IOException {
      if (in.readByte() != 1) {
        throw new IOException("an address of another version");
      }
      return InetSocketAddress.createUnresolved(in.readUTF(), in.readUnsignedShort());
    }
  }

  record Service(String name, InetSocketAddress at) {}

  @TempDir Path folder;

  private static InetSocketAddress at(int port) {
    return InetSocketAddress.createUnresolved("localhost", port);
  }

  /** Starts both nodes at once: where a grid existed before, each waits for the other. */
  private List<Grid> start(TestGrid cluster, UnaryOperator<GridConfig> otherwise) throws Exception {
    List<Future<Grid>> starting = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int place = 0; place < 2; place++) {
        GridConfig config =
            otherwise.apply(
                cluster
                    .configAt(place)
                    .initialMembers(2)
                    // Nothing is handed over: it stays on disk.
                    .leaveTimeout(Duration.ZERO)
                    .store(folder.resolve("node-" + place)));
        starting.add(threads.submit(() -> Grid.join(config)));
      }
    }
    List<Grid> nodes = new ArrayList<>();
    for (Future<Grid> one : starting) {
      nodes.add(one.get());
    }
    return nodes;
  }

  @Test
  void userCodecWorksForKeysAndValuesAndSurvivesARestart() throws Exception {
    Map<InetSocketAddress, Object> expected = new HashMap<>();
    TestGrid cluster = new TestGrid(2);
    for (int life = 0; life < 2; life++) {
      List<Grid> nodes = start(cluster, config -> config.codec(new Addresses("address")));
      Cache<InetSocketAddress, Object> first = nodes.get(0).cache("kept", DURABLE);
      Cache<InetSocketAddress, Object> second = nodes.get(1).cache("kept", DURABLE);
      assertThat(first).isEqualTo(expected);
      for (int port = 0; port < 50; port++) {
        int number = 100 * life + port;
        Object value =
            switch (port % 3) {
              case 0 -> at(number);
              case 1 -> new Service("s" + port, at(number));
              default -> List.of(at(number), at(number + 1));
            };
        first.put(at(number), value);
        expected.put(at(number), value);
        assertThat(second.get(at(number))).isEqualTo(value);
      }
      InetSocketAddress wanted = at(100 * life);
      assertThat(second.values().stream().filter(value -> value.equals(wanted)).count())
          .as("the owners have the codec as well")
          .isEqualTo(1);
      assertThat(
              second.entrySet().stream()
                  .filter(entry -> entry.getValue() instanceof InetSocketAddress)
                  .map(Map.Entry::getKey)
                  .toList())
          .containsExactlyInAnyOrderElementsOf(
              expected.entrySet().stream()
                  .filter(entry -> entry.getValue() instanceof InetSocketAddress)
                  .map(Map.Entry::getKey)
                  .toList());
      second.compute(at(life), (key, value) -> new Service("computed", key));
      expected.put(at(life), new Service("computed", at(life)));
      assertThat(second.replace(at(life), new Service("computed", at(life)), at(77))).isTrue();
      expected.put(at(life), at(77));
      assertThat(first).isEqualTo(expected);
      nodes.forEach(Grid::close);
    }
  }

  @Test
  void nodeWithoutTheCodecNamesItAndTheRemedy() throws Exception {
    TestGrid cluster = new TestGrid(2);
    List<Grid> nodes = start(cluster, config -> config.codec(new Addresses("address")));
    nodes.getFirst().<String, Object>cache("kept", DURABLE).put("k", at(1));
    nodes.forEach(Grid::close);

    nodes = start(cluster, config -> config.codec(new Addresses("renamed")));
    Cache<String, Object> renamed = nodes.getFirst().cache("kept", DURABLE);
    assertThatThrownBy(() -> renamed.get("k"))
        .hasMessageContainingAll(
            "codec \"address\" is not registered on node node-0", "GridConfig.codec");
    nodes.forEach(Grid::close);

    nodes = start(cluster, config -> config);
    Cache<String, Object> without = nodes.getFirst().cache("kept", DURABLE);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> without.put("l", at(1)))
        .withMessageContainingAll("kept on disk", "InetSocketAddress", "GridConfig.codec");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> withAnyKey(without).put(at(1), "v"))
        .withMessageContainingAll("a key cannot hold", "InetSocketAddress", "GridConfig.codec");
    nodes.forEach(Grid::close);

    nodes = start(cluster, config -> config.codec(new Addresses("address")));
    assertThat(nodes.getFirst().<String, Object>cache("kept", DURABLE).get("k")).isEqualTo(at(1));
    nodes.forEach(Grid::close);
  }

  @Test
  void requestToAnOwnerWithoutTheCodecFailsWithAReason() {
    try (TestGrid cluster = new TestGrid(2)) {
      Grid with = cluster.join(config -> config.codec(new Addresses("address")));
      cluster.join();
      cluster.awaitMembers(2);
      Cache<String, Object> cache = with.cache("memory", CacheConfig.distributed().segments(16));
      cluster.awaitSettled();
      for (int port = 0; port < 50; port++) {
        cache.put("k" + port, at(port));
      }
      InetSocketAddress wanted = at(7);
      long begin = System.nanoTime();
      assertThatThrownBy(
              () -> cache.values().stream().filter(value -> value.equals(wanted)).count())
          .hasMessageContainingAll("\"address\" is not registered on node node-1");
      String theirs =
          IntStream.range(0, 50)
              .mapToObj(port -> "k" + port)
              .filter(key -> cache.owners(key).getFirst().equals("node-1"))
              .findFirst()
              .orElseThrow();
      assertThatThrownBy(() -> cache.compute(theirs, (key, value) -> value))
          .hasMessageContainingAll("\"address\" is not registered on node node-1");
      // The expected value is that of no key: comparing equal bytes would need no codec.
      assertThatThrownBy(() -> cache.replace(theirs, at(50), at(2)))
          .hasMessageContainingAll("\"address\" is not registered on node node-1");
      assertThat(System.nanoTime() - begin)
          .isLessThan(cluster.configAt(0).limits().timeout().toNanos() / 2);
      assertThat(cache.values()).hasSize(50).contains(wanted);
    }
  }

  @SuppressWarnings("unchecked")
  private static Cache<Object, Object> withAnyKey(Cache<?, ?> cache) {
    return (Cache<Object, Object>) cache;
  }
}
