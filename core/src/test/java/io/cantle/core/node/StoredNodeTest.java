package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.GridConfig;
import io.cantle.GridException;
import io.cantle.MergePolicy;
import io.cantle.TypeCodec;
import io.cantle.WhenCut;
import io.cantle.core.base.Output;
import io.cantle.core.persistence.ManualNodeStore;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.transport.LocalTransport;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a node with a store on a real disk: the entries of its durable caches outlive it. */
@Timeout(60)
final class StoredNodeTest {
  private static final CacheConfig SYNC =
      CacheConfig.distributed().owners(2).segments(16).durability(Durability.SYNC);
  private static final CacheConfig PERIODIC =
      SYNC.durability(Durability.periodic(Duration.ofMillis(20)));

  private final SystemEnvironment environment = new SystemEnvironment("stored");

  @TempDir Path folder;

  @AfterEach
  void close() {
    environment.close();
  }

  private NodeGrid node(Path store) {
    return Node.startLocal(
        GridConfig.named("local").store(store),
        getClass().getClassLoader(),
        environment.environment(),
        () -> {});
  }

  @Test
  void entriesSurviveARestart() {
    Map<String, Integer> expected = new HashMap<>();
    for (int life = 0; life < 3; life++) {
      try (NodeGrid node = node(folder)) {
        Cache<String, Integer> synced = node.cache("synced", SYNC);
        Cache<String, Integer> periodic = node.cache("periodic", PERIODIC);
        Cache<String, Integer> memory = node.cache("memory", CacheConfig.distributed());
        assertThat(synced).isEqualTo(expected);
        assertThat(periodic).isEqualTo(expected);
        assertThat(memory).isEmpty();
        for (int key = 0; key < 200; key++) {
          int value = life * 1_000 + key;
          synced.put("k" + key, value);
          periodic.put("k" + key, value);
          memory.put("k" + key, value);
          expected.put("k" + key, value);
        }
        for (int key = life; key < 200; key += 7) {
          synced.remove("k" + key);
          periodic.remove("k" + key);
          expected.remove("k" + key);
        }
        Map<String, Integer> more = new HashMap<>();
        for (int key = 0; key < 1_000; key++) {
          more.put("m" + key, life);
        }
        synced.putAll(more);
        periodic.putAll(more);
        expected.putAll(more);
        synced.compute("counter", (key, old) -> old == null ? 1 : old + 1);
        periodic.compute("counter", (key, old) -> old == null ? 1 : old + 1);
        expected.merge("counter", 1, Integer::sum);
        assertThat(synced).isEqualTo(expected);
      }
    }
  }

  @Test
  void destroyedCacheIsGoneFromDiskAndTheNextOneOfItsNameLasts() {
    try (NodeGrid node = node(folder)) {
      node.<String, Integer>cache("kept", SYNC).put("k", 1);
      node.<String, Integer>cache("brief", SYNC).put("old", 1);
      node.destroy("brief");
      assertThat(node.cacheNames()).containsExactly("kept");
    }
    try (NodeGrid node = node(folder)) {
      assertThat(node.cacheNames()).containsExactly("kept");
      assertThat(node.<String, Integer>cache("brief", PERIODIC)).isEmpty();
      node.<String, Integer>cache("brief", PERIODIC).put("new", 2);
    }
    try (NodeGrid node = node(folder)) {
      assertThat(node.<String, Integer>cache("brief", PERIODIC)).isEqualTo(Map.of("new", 2));
      assertThat(node.<String, Integer>cache("kept", SYNC)).isEqualTo(Map.of("k", 1));
    }
  }

  @Test
  void evictedValuesAreReadFromDisk() {
    String filler = "f".repeat(500);
    Map<String, String> expected = new HashMap<>();
    for (long memory : new long[] {200_000, 0, 1 << 30}) {
      try (NodeGrid node = small(memory)) {
        Cache<String, String> cache = node.cache("synced", SYNC);
        assertThat(cache.size()).isEqualTo(expected.size());
        expected.forEach((key, value) -> assertThat(cache.get(key)).isEqualTo(value));
        assertThat(cache.getAll(expected.keySet())).isEqualTo(expected);
        assertThat(cache).isEqualTo(expected);
        Map<String, String> some = new HashMap<>();
        for (int key = 0; key < 1_000; key++) {
          some.put("k" + key, filler + memory + "/" + key);
        }
        cache.putAll(some);
        expected.putAll(some);
        for (int key = 0; key < 1_000; key += 9) {
          String name = "k" + key;
          String old = expected.get(name);
          assertThat(cache.containsKey(name)).isTrue();
          switch (key % 7) {
            case 0 -> assertThat(cache.put(name, "short")).isEqualTo(old);
            case 1 -> assertThat(cache.replace(name, old + "?", "short")).isFalse();
            case 2 -> assertThat(cache.replace(name, old, "short")).isTrue();
            case 3 -> assertThat(cache.merge(name, "!", String::concat)).isEqualTo(old + "!");
            case 4 -> assertThat(cache.putIfAbsent(name, "short")).isEqualTo(old);
            case 5 -> assertThat(cache.compute(name, (k, v) -> v + k)).isEqualTo(old + name);
            default -> assertThat(cache.remove(name)).isEqualTo(old);
          }
          switch (key % 7) {
            case 0, 2 -> expected.put(name, "short");
            case 3 -> expected.put(name, old + "!");
            case 5 -> expected.put(name, old + name);
            case 6 -> expected.remove(name);
            default -> assertThat(cache.get(name)).isEqualTo(old);
          }
        }
        assertThat(new HashMap<>(cache)).isEqualTo(expected);
        assertThat(cache.keySet()).isEqualTo(expected.keySet());
        long length = expected.values().stream().mapToLong(String::length).sum();
        assertThat(cache.values().stream().mapToLong(String::length).sum()).isEqualTo(length);
        assertThat(cache.keySet().stream().filterKeys(Set.of("k1", "k2", "none")).count())
            .isEqualTo(2);
        assertThat(cache.values().stream().filterKeys(Set.of("k1", "none")).toList())
            .containsExactly(expected.get("k1"));
      }
    }
  }

  private NodeGrid small(long memory) {
    return Node.startLocal(
        GridConfig.named("local")
            .store(folder)
            .storeMemory(memory)
            .allowing(getClass().getPackageName()),
        getClass().getClassLoader(),
        environment.environment(),
        () -> {});
  }

  @Test
  void valuesOnDiskExpireWithoutReads() {
    try (NodeGrid node = small(0)) {
      Cache<String, String> cache = node.cache("synced", SYNC);
      Cache<String, String> idle = cache.maxIdle(Duration.ofMinutes(5));
      for (int key = 0; key < 100; key++) {
        idle.put("k" + key, "value " + key);
      }
      for (int key = 0; key < 100; key++) {
        assertThat(cache.get("k" + key)).isEqualTo("value " + key);
        assertThat(cache.putIfAbsent("k" + key, "other")).isEqualTo("value " + key);
      }
    }
  }

  @Test
  void objectsWithoutAStableFormatAreRefused() {
    try (NodeGrid node = node(folder)) {
      Cache<String, Object> kept = node.cache("kept", SYNC);
      Cache<String, Object> memory = node.cache("memory", CacheConfig.distributed());
      memory.put("k", Set.of("v"));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> kept.put("k", Set.of("v")))
          .withMessageContaining("kept on disk")
          .withMessageContaining("Set");
      assertThat(kept).isEmpty();
    }
  }

  /** A codec for a class that cannot be stored without one; it writes the decimal text. */
  private record Counters(int version) implements TypeCodec<AtomicLong> {
    @Override
    public String name() {
      return "counter";
    }

    @Override
    public Class<AtomicLong> type() {
      return AtomicLong.class;
    }

    @Override
    public void write(AtomicLong value, DataOutput out) throws IOException {
      out.writeByte(version);
      if (version == 1) {
        out.writeUTF(value.toString());
      } else {
        out.writeLong(value.get());
      }
    }

    @Override
    public AtomicLong read(DataInput in) throws IOException {
      return new AtomicLong(in.readByte() == 1 ? Long.parseLong(in.readUTF()) : in.readLong());
    }
  }

  @Test
  void laterUserCodecReadsEarlierValues() {
    for (int life = 1; life <= 2; life++) {
      try (NodeGrid node =
          Node.startLocal(
              GridConfig.named("local")
                  .store(folder)
                  .codec(new Counters(life))
                  .allowing("io.cantle.core.node"),
              getClass().getClassLoader(),
              environment.environment(),
              () -> {})) {
        Cache<String, AtomicLong> kept = node.cache("kept", SYNC);
        for (int key = 0; key < 100; key += life) {
          AtomicLong before = kept.put("k" + key, new AtomicLong(life * 1_000 + key));
          assertThat(before == null ? 0 : before.get()).isEqualTo(life == 1 ? 0 : 1_000 + key);
        }
        assertThat(kept.values().stream().mapToLong(AtomicLong::get).sum())
            .isEqualTo(life == 1 ? 104_950 : 154_950);
        assertThat(kept.merge("k0", new AtomicLong(5), (a, b) -> new AtomicLong(a.get() + b.get())))
            .hasValue(life * 1_000 + 5);
        kept.put("k0", new AtomicLong(1_000));
      }
    }
  }

  @Test
  void directoryBelongsToOneNodeAtATime() {
    try (NodeGrid node = node(folder)) {
      assertThat(node.nodeName()).isEqualTo("alone");
      assertThatThrownBy(() -> node(folder))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("in use")
          .hasMessageContaining(folder.toString());
    }
    node(folder).close();
  }

  @Test
  void refusedOpenKeepsTheExistingLock() throws Exception {
    Path source = folder.resolve("Locking.java");
    Files.writeString(
        source,
        """
        void main(String[] file) throws Exception {
          try (var channel = java.nio.channels.FileChannel.open(
              Path.of(file[0]), java.nio.file.StandardOpenOption.WRITE)) {
            System.exit(channel.tryLock() == null ? 7 : 8);
          }
        }
        """);
    Path store = folder.resolve("store");
    Path same = Files.createSymbolicLink(folder.resolve("same"), store);
    try (NodeGrid node = node(store)) {
      assertThat(node.nodeName()).isEqualTo("alone");
      assertThatThrownBy(() -> node(store)).isInstanceOf(GridException.class);
      assertThatThrownBy(() -> node(same)).isInstanceOf(GridException.class);
      assertThat(locking(source, store)).as("another process is refused").isEqualTo(7);
    }
    assertThat(locking(source, store)).as("another process gets it").isEqualTo(8);
  }

  private static int locking(Path source, Path store) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    Path lock = store.resolve("local").resolve("node.lock");
    Process process =
        new ProcessBuilder(java.toString(), source.toString(), lock.toString()).inheritIO().start();
    return process.waitFor();
  }

  @Test
  void fileSystemArtifactsAreIgnored() throws Exception {
    Files.createDirectories(folder.resolve("local").resolve("lost+found"));
    node(folder).close();
    node(folder).close();
  }

  @Test
  void foreignDirectoryIsRefused() throws Exception {
    Path local = folder.resolve("local");
    Files.createDirectories(local);
    Files.writeString(local.resolve("letter.txt"), "dear");
    assertThatThrownBy(() -> node(folder))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("letter.txt")
        .hasMessageContaining("GridConfig.store");
    Path file = folder.resolve("file");
    Files.writeString(file, "no folder");
    assertThatThrownBy(() -> node(file)).isInstanceOf(GridException.class);
  }

  @Test
  void memoryOnlyLocalCacheDoesNotUseTheStore() {
    CacheConfig memory = CacheConfig.local();
    CacheConfig kept = memory.durability(Durability.SYNC);
    try (NodeGrid node = networked()) {
      node.<String, String>cache("memory", memory).put("k", "v");
      assertThat(folder.resolve("local")).doesNotExist();
      node.<String, String>cache("kept", kept).put("k", "v");
      assertThat(folder.resolve("local")).isDirectory();
      assertThatThrownBy(() -> node.cache("kept", memory)).hasMessageContaining("kept");
      assertThatThrownBy(() -> node.cache("memory", kept)).hasMessageContaining("memory");
    }
    try (NodeGrid node = networked()) {
      assertThat(node.<String, String>cache("memory", memory)).isEmpty();
      assertThat(node.<String, String>cache("kept", kept)).containsEntry("k", "v");
    }
  }

  @Test
  void localCacheOnDiskIsKnownByItsNameAfterARestart() {
    CacheConfig kept = CacheConfig.local().durability(Durability.SYNC);
    try (NodeGrid node = networked()) {
      node.<String, String>cache("kept", kept).put("k", "v");
      assertThat(node.<String, String>cache("kept")).containsEntry("k", "v");
    }
    try (NodeGrid node = networked()) {
      assertThat(node.cacheNames()).containsExactly("kept");
      assertThat(node.<String, String>cache("kept")).containsEntry("k", "v");
    }
    try (NodeGrid node = networked()) {
      node.destroy("kept");
      assertThat(node.cacheNames()).isEmpty();
    }
    try (NodeGrid node = networked()) {
      assertThat(node.cacheNames()).isEmpty();
      assertThat(node.<String, String>cache("kept", kept)).isEmpty();
    }
  }

  /** A network of one node that could have others. */
  private record Reachable(LocalTransport network) implements Transport {
    @Override
    public void start(Receiver receiver) {
      network.start(receiver);
    }

    @Override
    public Member self() {
      return network.self();
    }

    @Override
    public void send(Member to, Output message) {
      network.send(to, message);
    }

    @Override
    public void close() {
      network.close();
    }
  }

  /** A node whose local caches belong to nodes of their own. */
  private NodeGrid networked() {
    return new Node(
            GridConfig.named("local").nodeName("n").store(folder),
            getClass().getClassLoader(),
            new Reachable(new LocalTransport(ManualNetwork.member("n"))),
            environment.environment(),
            NodeStore.NONE,
            () -> {})
        .start();
  }

  @Test
  void nameOfACacheIsNoPath() throws IOException {
    String name = "../outside/x";
    Path store = Files.createDirectory(folder.resolve("store"));
    try (NodeGrid node = node(store)) {
      node.cache(name, SYNC).put("a", 1);
    }
    try (NodeGrid node = node(store)) {
      assertThat(node.cache(name).get("a")).isEqualTo(1);
    }
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(store);
    }
  }

  @Test
  void durableCacheNeedsAStore() {
    try (NodeGrid node =
        Node.startLocal(
            GridConfig.named("local"),
            getClass().getClassLoader(),
            environment.environment(),
            () -> {})) {
      assertThatIllegalStateException()
          .isThrownBy(() -> node.cache("kept", SYNC))
          .withMessageContaining("GridConfig.store")
          .withMessageContaining("kept");
    }
  }

  @Test
  void availableGridRefusesDurableCaches() {
    GridConfig config =
        GridConfig.named("grid").store(folder).whenCut(WhenCut.available(MergePolicy.newer()));
    ManualNetwork network = new ManualNetwork();
    Node node =
        new Node(
            config,
            getClass().getClassLoader(),
            network.transport(ManualNetwork.member("a")),
            environment.environment(),
            NodeStore.NONE,
            () -> {});
    assertThatIllegalStateException()
        .isThrownBy(() -> node.grid().cache("kept", SYNC))
        .withMessageContaining("WhenCut.available")
        .withMessageContaining("\"kept\"");
  }

  @Test
  void storeFailureMakesTheNodeLeaveWithAReason() throws Exception {
    ManualNodeStore store = new ManualNodeStore();
    UUID id = new UUID(1, 2);
    Node node =
        new Node(
            GridConfig.named("local").nodeName("n"),
            getClass().getClassLoader(),
            new LocalTransport(new Member(id, new UUID(3, 4), "n")),
            environment.environment(),
            store,
            () -> {});
    store.flushAlways();
    NodeGrid grid = node.start();
    Cache<String, String> cache = grid.cache("kept", SYNC);
    cache.put("k", "v");
    store.stop();
    CompletableFuture<Throwable> open =
        CompletableFuture.supplyAsync(() -> null, environment.environment().threads())
            .handleAsync(
                (nothing, none) -> {
                  try {
                    cache.put("k", "w");
                    return new AssertionError("it was written");
                  } catch (GridException e) {
                    return e;
                  }
                },
                environment.environment().threads());
    store.fail(new IOException("the disk is gone"));
    assertThat(open.get(10, TimeUnit.SECONDS)).hasMessageContaining("the disk is gone");
    assertThatThrownBy(() -> cache.get("k"))
        .isInstanceOf(GridException.class)
        .hasMessageContaining("the disk is gone")
        .hasMessageContaining("start the node again");
    grid.close();
  }
}
