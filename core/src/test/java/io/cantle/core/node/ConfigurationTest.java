package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import io.cantle.Grid;
import io.cantle.GridConfig;
import io.cantle.TypeCodec;
import io.cantle.WhenCut;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how a node is configured. */
final class ConfigurationTest {
  private static final GridConfig CONFIG =
      GridConfig.named("grid")
          .nodeName("node")
          .ports(4_000, 5)
          .initialMembers(2)
          .capacity(2.5)
          .rack("left")
          .allowing("a.b");

  private static final Map<Set<String>, UnaryOperator<GridConfig>> CHANGES =
      Map.ofEntries(
          Map.entry(Set.of("nodeName"), config -> config.nodeName("other")),
          Map.entry(
              Set.of("bindAddress"),
              config -> config.bindAddress(InetAddress.ofLiteral("127.0.0.2"))),
          Map.entry(Set.of("port", "portRange"), config -> config.ports(5_000, 7)),
          Map.entry(
              Set.of("seeds"),
              config ->
                  config.seeds(
                      List.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 80)))),
          Map.entry(Set.of("initialMembers"), config -> config.initialMembers(3)),
          Map.entry(Set.of("capacity"), config -> config.capacity(0)),
          Map.entry(Set.of("rack"), config -> config.rack("right")),
          Map.entry(Set.of("whenCut"), config -> config.whenCut(WhenCut.stop())),
          Map.entry(Set.of("shutdownHook"), config -> config.shutdownHook(false)),
          Map.entry(Set.of("directory"), config -> config.store(Path.of("kept"))),
          Map.entry(Set.of("memoryBytes"), config -> config.storeMemory(0)),
          Map.entry(Set.of("offHeapBytes"), config -> config.offHeapMemory(1 << 20)),
          Map.entry(Set.of("timeout"), config -> config.timeout(Duration.ofSeconds(1))),
          Map.entry(Set.of("leaveTimeout"), config -> config.leaveTimeout(Duration.ZERO)),
          Map.entry(Set.of("allow"), config -> config.allowing("c.d")),
          Map.entry(Set.of("application"), config -> config.application(ConfigurationTest.class)),
          Map.entry(
              Set.of("functions"),
              config -> config.function("twice", (Function<Integer, Integer>) i -> 2 * i)),
          Map.entry(Set.of("codecs"), config -> config.codec(new Texts<>("a", BitSet.class))));

  /** A codec that is registered and never used. */
  private record Texts<T>(String name, Class<T> type) implements TypeCodec<T> {
    @Override
    public void write(T value, DataOutput out) throws IOException {
      throw new IOException("not to be used");
    }

    @Override
    public T read(DataInput in) throws IOException {
      throw new IOException("not to be used");
    }
  }

  private abstract static class Shape {}

  @Test
  void eachChangeLeavesOtherSettingsUnchanged() throws ReflectiveOperationException {
    Map<String, Object> before = settingsOf(CONFIG);
    Set<String> changed = new TreeSet<>(Set.of("name"));
    for (Map.Entry<Set<String>, UnaryOperator<GridConfig>> change : CHANGES.entrySet()) {
      Map<String, Object> after = settingsOf(change.getValue().apply(CONFIG));
      before.forEach(
          (setting, value) ->
              assertThat(value.equals(after.get(setting)))
                  .as("%s after %s", setting, change.getKey())
                  .isEqualTo(!change.getKey().contains(setting)));
      changed.addAll(change.getKey());
    }
    assertThat(changed).isEqualTo(before.keySet());
  }

  /** The settings of all groups by name; a setting that is null is an empty {@link Optional}. */
  private static Map<String, Object> settingsOf(Record group) throws ReflectiveOperationException {
    Map<String, Object> settings = new TreeMap<>();
    for (RecordComponent setting : group.getClass().getRecordComponents()) {
      Object value = setting.getAccessor().invoke(group);
      if (value instanceof Record inner && setting.getType().isMemberClass()) {
        settings.putAll(settingsOf(inner));
      } else {
        settings.put(setting.getName(), Optional.ofNullable(value));
      }
    }
    return settings;
  }

  @Test
  void timeWithoutEndIsShownAsForever() {
    assertThat(CacheConfig.distributed())
        .hasToString(
            "CacheConfig[mode=DISTRIBUTED, owners=2, segments=256, lifespan=forever,"
                + " maxIdle=forever, durability="
                + Durability.NONE
                + "]");
    assertThat(CacheConfig.local().lifespan(Duration.ofMinutes(5)).toString())
        .contains("lifespan=PT5M", "maxIdle=forever");
    assertThat(CacheConfig.local().container(ContainerKind.OFF_HEAP).toString())
        .endsWith(", container=OFF_HEAP]");
  }

  @Test
  void refusesNamesThatWouldBreakTheLinesOfALog() {
    for (UnaryOperator<GridConfig> change :
        List.<UnaryOperator<GridConfig>>of(
            config -> config.nodeName("a\nb"),
            config -> config.rack("a\u001bb"),
            config -> GridConfig.named("a\u0000b"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> change.apply(CONFIG))
          .withMessageContaining("must not contain control characters");
    }
    try (SingleNode single = new SingleNode()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> single.node.cache("a\nb"))
          .withMessageContaining("name of a cache must not contain control characters: \"a?b\"");
    }
  }

  /** Half a surrogate pair has no bytes: the name would be another one at other nodes. */
  @Test
  void refusesNamesThatAreNoText() {
    for (UnaryOperator<GridConfig> change :
        List.<UnaryOperator<GridConfig>>of(
            config -> config.nodeName("x\ud800"),
            config -> config.rack("x\udc00"),
            config -> GridConfig.named("x\ud800"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> change.apply(CONFIG))
          .withMessageEndingWith("must not contain half of a surrogate pair: \"x?\"");
    }
    try (SingleNode single = new SingleNode()) {
      for (CacheConfig config : List.of(CacheConfig.distributed(), CacheConfig.local())) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> single.node.cache("x\ud800", config))
            .withMessage("name of a cache must not contain half of a surrogate pair: \"x?\"");
      }
      assertThat(single.node.cacheNames()).isEmpty();
      assertThat(single.node.cache("\ud83d\ude00").name()).isEqualTo("\ud83d\ude00");
    }
  }

  @Test
  void saysOfWhatANameIsTooLong() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GridConfig.named("n".repeat(300)))
        .withMessage("name of a grid has 1 to 64 bytes, not 300");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.nodeName("n".repeat(65)))
        .withMessage("nodeName has 0 to 64 bytes, not 65");
  }

  @Test
  void namesTheSettingOfPorts() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.ports(65_535, 31))
        .withMessage("range of GridConfig.ports 31 is not within 0 to 0");
  }

  @Test
  @SuppressWarnings("NullAway") // What is refused is null.
  void refusesBlankValuesThatMeanNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.store(Path.of("")))
        .withMessageStartingWith("GridConfig.store must not be blank, and is \"\": ");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.rack(" "))
        .withMessageStartingWith("GridConfig.rack must not be blank, and is \" \": ");
    assertThatNullPointerException()
        .isThrownBy(() -> CONFIG.seeds(Arrays.asList((InetSocketAddress) null)))
        .withMessage("null in seeds [null]");
    assertThat(CONFIG.store(null).store().directory()).isNull();
    assertThat(CONFIG.allowing("").serialization().allow())
        .as("the empty package has classes, those of compact source files")
        .containsExactlyInAnyOrder("a.b", "");
  }

  @Test
  void namesNodeAndGridInTheTextOfAGrid() {
    try (SingleNode single = new SingleNode()) {
      assertThat(single.node).hasToString("node single of grid \"test\"");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // What is refused is null.
  void namesTheSettingThatIsNull() {
    assertThatNullPointerException().isThrownBy(() -> GridConfig.named(null)).withMessage("name");
    assertThatNullPointerException().isThrownBy(() -> CONFIG.seeds(null)).withMessage("seeds");
    assertThatNullPointerException().isThrownBy(() -> CONFIG.timeout(null)).withMessage("timeout");
    assertThatNullPointerException()
        .isThrownBy(() -> Grid.join((GridConfig) null))
        .withMessage("config");
  }

  @Test
  @SuppressWarnings("NullAway") // What is refused is null.
  void refusesNamesOfCachesThatNobodyCouldRead() {
    try (SingleNode single = new SingleNode()) {
      Grid grid = single.node;
      for (String blank : List.of("", " ", "\u2003")) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> grid.cache(blank))
            .withMessage("name of a cache must not be blank");
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> grid.cache("n".repeat(201), CacheConfig.local()))
          .withMessage("name of a cache has 1 to 200 characters, not 201");
      assertThatNullPointerException()
          .isThrownBy(() -> grid.cache(null))
          .withMessage("name of a cache");
      assertThatNullPointerException()
          .isThrownBy(() -> grid.cache("a", null))
          .withMessage("config of a cache");
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.5, 1_000.000_001, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesAnInvalidCapacity(double capacity) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.capacity(capacity))
        .withMessageContainingAll("capacity " + capacity, "0.0 to 1000.0");
  }

  @Test
  void refusesAnInvalidMemorySize() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.storeMemory(-1))
        .withMessageContainingAll("storeMemory -1", "0 to");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.offHeapMemory(1_000_000))
        .withMessageContainingAll("offHeapMemory 1000000", "1048576 to");
  }

  @Test
  void refusesARackWhoseNameIsTooLong() {
    assertThat(CONFIG.rack("r".repeat(64)).membership().rack()).hasSize(64);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.rack("ü".repeat(33)))
        .withMessageContainingAll("rack", "66", "64");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".a", "a b", "ü", "a/b"})
  void refusesACodecWithoutAProperName(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.codec(new Texts<>(name, BitSet.class)))
        .withMessageContainingAll('"' + name + '"', Texts.class.getTypeName());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.codec(new Texts<>("a".repeat(101), BitSet.class)));
    assertThat(
            CONFIG.codec(new Texts<>("a".repeat(100), BitSet.class)).serialization().codecs().all())
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(classes = {Runnable.class, Shape.class, Record.class, Enum.class, Override.class})
  void refusesACodecOfAnAbstractType(Class<?> type) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.codec(new Texts<>("a", type)))
        .withMessageContainingAll(
            "codec \"a\"", type.getTypeName(), "for each of its concrete classes");
  }

  @ParameterizedTest
  @ValueSource(classes = {int.class, String[].class})
  void refusesACodecOfANonClass(Class<?> type) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CONFIG.codec(new Texts<>("a", type)))
        .withMessageContainingAll("codec \"a\"", type.getTypeName());
  }

  @Test
  void refusesTwoCodecsOfOneNameOrOneClass() {
    GridConfig one = CONFIG.codec(new Texts<>("a", BitSet.class));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> one.codec(new Texts<>("a", StringBuilder.class)))
        .withMessageContainingAll("\"a\"", "BitSet", "another name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> one.codec(new Texts<>("b", BitSet.class)))
        .withMessageContainingAll("\"a\"", "\"b\"", "BitSet");
    assertThat(one.codec(new Texts<>("b", StringBuilder.class)).serialization().codecs().all())
        .hasSize(2);
  }

  @Test
  void refusesToStartWithACodecOfABuiltInType() {
    SystemEnvironment environment = new SystemEnvironment("test");
    try {
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  Node.startLocal(
                      CONFIG.codec(new Texts<>("a", String.class)),
                      ConfigurationTest.class.getClassLoader(),
                      environment.environment(),
                      () -> {}))
          .withMessageContainingAll("GridConfig.codec \"a\"", "java.lang.String");
    } finally {
      environment.close();
    }
  }

  /** A node alone, such as the one behind local caches, owns everything. */
  @Test
  void singleNodeOwnsEverythingDespiteZeroCapacity() {
    SystemEnvironment environment = new SystemEnvironment("test");
    try (NodeGrid node =
        Node.startLocal(
            GridConfig.named("alone").capacity(0),
            ConfigurationTest.class.getClassLoader(),
            environment.environment(),
            environment::close)) {
      Cache<String, Integer> cache = node.cache("own", CacheConfig.distributed());
      assertThat(cache.put("a", 1)).isNull();
      assertThat(cache.get("a")).isEqualTo(1);
    }
  }
}
