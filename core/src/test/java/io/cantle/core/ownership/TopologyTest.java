package io.cantle.core.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.CacheConfig;
import io.cantle.CacheDestroyedException;
import io.cantle.ContainerKind;
import io.cantle.Durability;
import io.cantle.MemoryBudget;
import io.cantle.WhenFull;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.ownership.Topology.CacheOwnership;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A topology as bytes, and what it says of itself. */
final class TopologyTest {
  private static final String FORMAT_6 =
      "06000000000000001fa5d059f3ed0c9e175147cc100e9c291f000000000000024d9d4b5e8db7a327"
          + "680200010000061ece784ca238dc9324fd1333baa4eaf21ece784ca238dc9324fd1333baa4eaf202"
          + "6e324b388ee9a08476b6d62ecbe7e4f6a2e14b388ee9a08476b6d62ecbe7e4f6a2e1026e343ac234"
          + "ce1ca7da78b97ca88a921f83343ac234ce1ca7da78b97ca88a921f8334026e3179e3e1074ec69f33"
          + "2fa8413e657f908e79e3e1074ec69f332fa8413e657f908e026e35c719ef84ef67872fca29c39ef1"
          + "c872c7c719ef84ef67872fca29c39ef1c872c7026e33e8263ff6b5b179e33879fa7563d57026e826"
          + "3ff6b5b179e33879fa7563d57026026e360500000000000000010000000000000001000000000000"
          + "00130000000000000017000000000000001e80897a00c0843d067261636b2033c0843d067261636b"
          + "2032a0c21e067261636b203180897a067261636b20320400010203000000000000001e0001097369"
          + "6d756c61746564020304000000000701020001030400010104070001050701020001030001040104"
          + "070001050701020002030002030103070001050a01030200030302000300010100";

  private final Member a = ManualNetwork.member("a");
  private final Member b = ManualNetwork.member("b");
  private final Member gone = ManualNetwork.member("gone");
  private final Member left = ManualNetwork.member("left");
  private final Member voter = ManualNetwork.member("voter");
  private final Topology topology =
      new Topology(
          (5L << 40) + 17,
          new GridDefinition(
              new UUID(-3, 4),
              Long.MAX_VALUE,
              Long.MIN_VALUE,
              PartitionHandling.OLDEST_DECIDES,
              GridLineage.NONE,
              false,
              true,
              false),
          new Membership(
              List.of(a, b),
              List.of(1L, 1L << 41),
              List.of(MemberCapacity.of(0, "näher"), MemberCapacity.of(999.25, "")),
              List.of(a, voter),
              3L << 33,
              List.of(b),
              List.of(gone.id(), new UUID(5, -6))),
          new CacheCatalog(
              List.of(
                  new CacheOwnership(
                      2,
                      1L << 35,
                      new CacheDefinition("first", CacheConfig.distributed().segments(2).owners(3)),
                      List.of(
                          new SegmentOwnership(
                              7,
                              2,
                              List.of(a),
                              List.of(a, b),
                              List.of(new SegmentOwnership.Joiner(b, 6)),
                              List.of(gone, left),
                              List.of()),
                          SegmentOwnership.ofLost(
                              9,
                              4,
                              List.of(new SegmentOwnership.Joiner(a, 8)),
                              List.of(left),
                              List.of(gone, b)))),
                  new CacheOwnership(
                      7,
                      9,
                      new CacheDefinition("zweite", CacheConfig.replicated().segments(1)),
                      List.of(TopologyFixture.owned(1, b, a)))),
              new TreeMap<>(Map.of(5, new CacheCatalog.DestroyedCache("weg", 1L << 34))),
              11,
              1L << 36));

  @Test
  void roundTripsWithFormerMembers() {
    Topology read = Topology.read(new Input(bytes(topology)));
    assertThat(read).isEqualTo(topology);
    assertThat(read.members().get(1).name()).isEqualTo("b");
    assertThat(read.ownership(2, 0).retiring().get(1).name()).isEqualTo("left");
    assertThat(read.ownership(2, 1).lastOwners().getFirst().name()).isEqualTo("gone");
    assertThat(read.membership().voters().get(1).name()).isEqualTo("voter");
    assertThat(Topology.read(new Input(bytes(Topology.NONE)))).isEqualTo(Topology.NONE);
  }

  @Test
  void otherFormatIsRefused() {
    byte[] bytes = bytes(topology);
    bytes[0] = 11;
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Topology.read(new Input(bytes)))
        .withMessageContaining("format 11");
  }

  /** The format of nodes before there were recoveries, in which no node was given up. */
  @Test
  void theFormatBeforeIsRead() {
    Topology before = Topology.read(new Input(HexFormat.of().parseHex(FORMAT_6)));
    Topology longBefore =
        Topology.read(new Input(HexFormat.of().parseHex("05" + FORMAT_6.substring(2))));
    assertThat(longBefore).isEqualTo(before);
    GridLineage lineage = new GridLineage(List.of(new GridLineage.ForkStep(new UUID(7, 8), 9, 2)));
    Output now = new Output(8);
    lineage.write(now);
    byte[] withoutGivenUp = Arrays.copyOf(now.toByteArray(), now.position() - 1);
    assertThat(GridLineage.read(new Input(withoutGivenUp), false)).isEqualTo(lineage);
  }

  /** The format of nodes before caches could be destroyed: the place of a cache is its index. */
  @Test
  void cachesOfTheFormatWithoutIndexesHaveTheirPlaces() {
    Topology before = Topology.read(new Input(HexFormat.of().parseHex(FORMAT_6)));
    assertThat(before.caches().nextIndex()).isEqualTo(before.caches().size()).isPositive();
    assertThat(before.caches().getFirst().index()).isZero();
    assertThat(before.caches().getFirst().createdNumber()).isZero();
    assertThat(before.caches().destroyed()).isEmpty();
    assertThat(Topology.read(new Input(bytes(before)))).isEqualTo(before);
  }

  /** The format of nodes that did not remember which members were released. */
  @Test
  void formatWithoutReleasedMembersIsRead() {
    Topology founded = TopologyFixture.founded(a, b);
    byte[] now = bytes(founded);
    // Without a cache, the list of released members comes before four single bytes.
    int place = now.length - 5;
    assertThat(now[place]).isZero();
    byte[] before = Arrays.copyOf(now, now.length - 1);
    System.arraycopy(now, place + 1, before, place, 4);
    before[0] = 7;
    assertThat(Topology.read(new Input(before))).isEqualTo(founded);
  }

  @Test
  void cacheIsFoundByItsIndexAndTheDestroyedOnesAreNot() {
    CacheCatalog caches = topology.caches();
    for (int index = 0; index < 13; index++) {
      boolean isPresent = index == 2 || index == 7;
      assertThat(caches.find(index) != null).as("cache %s", index).isEqualTo(isPresent);
      assertThat(caches.isDestroyed(index)).isEqualTo(index < 11 && !isPresent);
      assertThat(caches.isGoneEverywhere(index)).isEqualTo(index < 11 && !isPresent && index != 5);
    }
    assertThat(topology.cacheIndex("zweite")).isEqualTo(7);
    assertThat(topology.cacheIndex("weg")).isNegative();
    assertThatExceptionOfType(CacheDestroyedException.class)
        .isThrownBy(() -> topology.ownership(5, 0));
  }

  @Test
  void indexesOutOfOrderAreRefused() {
    CacheCatalog caches = topology.caches();
    Topology wrong =
        new Topology(
            1,
            topology.gridDefinition(),
            topology.membership(),
            new CacheCatalog(caches.present().reversed(), new TreeMap<>(), 11, 0));
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> Topology.read(new Input(bytes(wrong))))
        .withMessageContaining("cache 2 comes after 7");
  }

  @Test
  void namesNeededMembers() {
    assertThat(topology.needs(a)).isTrue();
    assertThat(topology.needs(b)).isTrue();
    assertThat(topology.needs(gone)).as("it held a lost segment last").isTrue();
    assertThat(topology.needs(left)).as("it only has to be told").isFalse();
  }

  @Test
  void onlyNumberedTopologyIsFounded() {
    assertThat(topology.isFounded()).isTrue();
    assertThat(Topology.NONE.isFounded()).isFalse();
  }

  @Test
  void everyFlagOfAGridDefinitionRoundTrips() {
    for (int bits = 0; bits < 16; bits++) {
      GridDefinition gridDefinition =
          new GridDefinition(
              new UUID(5, 6),
              4,
              7,
              (bits & 1) > 0 ? PartitionHandling.REMOVE : PartitionHandling.STOP,
              new GridLineage(
                  List.of(
                      new GridLineage.ForkStep(new UUID(7, 8), 9, 2),
                      new GridLineage.ForkStep(
                          new UUID(1, 2), 11, 3, List.of(new UUID(3, 3), new UUID(4, 4))))),
              (bits & 2) > 0,
              (bits & 4) > 0,
              (bits & 8) > 0);
      Output out = new Output(8);
      gridDefinition.write(out);
      assertThat(GridDefinition.read(out.toInput(), true)).isEqualTo(gridDefinition);
    }
  }

  @Test
  void disagreementNamesBothConfigurationsAndARemedy() {
    CacheDefinition known = topology.caches().getFirst().definition();
    assertThat(Topology.disagreement(known, known.config())).isNull();
    assertThat(Topology.disagreement(known, CacheConfig.distributed().owners(2).segments(64)))
        .contains(
            "\"first\"", "DISTRIBUTED", "owners=3", "owners=2", "segments=64", "another name");
  }

  @Test
  void cacheNameLengthIsChecked() {
    CacheConfig config = CacheConfig.distributed();
    assertThat(new CacheDefinition("x".repeat(200), config).name()).hasSize(200);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CacheDefinition("x".repeat(201), config))
        .withMessageContainingAll("200", "201");
    assertThatIllegalArgumentException().isThrownBy(() -> new CacheDefinition("", config));
  }

  @Test
  void invalidDefinitionIsMalformed() {
    Output out = new Output(16);
    out.writeString("x");
    out.writeByte(0);
    out.writeVarint(0);
    out.writeVarint(16);
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeByte(0);
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeVarint(0);
    out.writeByte(0);
    out.writeString("");
    out.writeVarint(0);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> CacheDefinition.read(out.toInput()))
        .withMessageContaining("owners 0");
  }

  @Test
  void boundsAreReadAsTheyWereWritten() {
    CacheDefinition bounded =
        CacheDefinition.named(
            "x",
            CacheConfig.distributed()
                .maxEntries(1_000)
                .maxBytes(1L << 40)
                .memoryBudget(MemoryBudget.ofBytes("shared", 1L << 41))
                .whenFull(WhenFull.REFUSE));
    Output out = new Output(16);
    bounded.write(out);
    assertThat(CacheDefinition.read(out.toInput())).isEqualTo(bounded);
    assertThat(bounded.config().toString())
        .contains("maxEntries=1000", "maxBytes=1099511627776", "whenFull=REFUSE");
  }

  @Test
  void boundsThatMakeNoSenseAreRefusedWithTheSettingToChange() {
    CacheConfig config = CacheConfig.distributed();
    assertRefused(config.maxEntries(255), "maxEntries 255", "256 segments", "lower segments");
    assertRefused(config.maxBytes(1_000), "maxBytes 1000", "262144", "256 segments");
    assertRefused(config.whenFull(WhenFull.REFUSE), "REFUSE", "maxEntries", "maxBytes");
    assertRefused(
        config.durability(Durability.SYNC).maxEntries(1_000), "durability", "storeMemory");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.maxEntries(0))
        .withMessageContaining("maxEntries 0");
    assertThat(CacheDefinition.named("x", config.maxEntries(255).segments(255)).config())
        .isEqualTo(config.segments(255).maxEntries(255));
  }

  private static void assertRefused(CacheConfig config, String... texts) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CacheDefinition.named("x", config))
        .withMessageContainingAll(texts);
  }

  @Test
  void sharesOfSegmentsKeepEveryNodeWithinTheBound() {
    CacheConfig config = CacheConfig.distributed().segments(3).maxEntries(60).maxBytes(6_000);
    CacheOwnership cache =
        new CacheOwnership(
            0,
            1,
            new CacheDefinition("x", config),
            List.of(
                TopologyFixture.owned(1, a, b),
                TopologyFixture.owned(1, a, b),
                TopologyFixture.owned(1, b, a)));
    assertThat(shares(cache)).containsOnly(new SegmentShare(20, 2_000)).hasSize(3);
    CacheOwnership uneven =
        new CacheOwnership(
            0,
            1,
            new CacheDefinition("x", config),
            List.of(
                TopologyFixture.owned(1, a),
                TopologyFixture.owned(1, a, b),
                TopologyFixture.owned(1, b)));
    assertThat(shares(uneven)).as("of 2 segments each").containsOnly(new SegmentShare(30, 3_000));
    CacheOwnership apart =
        new CacheOwnership(
            0,
            1,
            new CacheDefinition("x", config),
            List.of(
                TopologyFixture.owned(1, a),
                TopologyFixture.owned(1, b),
                TopologyFixture.owned(1, b)));
    assertThat(shares(apart).stream().map(SegmentShare::maxEntries)).containsExactly(60L, 30L, 30L);
  }

  @Test
  void cachesOfOneBudgetDivideItByAllTheirSegments() {
    CacheConfig config =
        CacheConfig.distributed().segments(2).memoryBudget(MemoryBudget.ofBytes("x", 6_000));
    List<SegmentOwnership> both =
        List.of(TopologyFixture.owned(1, a, b), TopologyFixture.owned(1, a, b));
    List<SegmentOwnership> apart =
        List.of(TopologyFixture.owned(1, a), TopologyFixture.owned(1, b));
    CacheOwnership first = new CacheOwnership(0, 1, new CacheDefinition("f", config), both);
    CacheOwnership second = new CacheOwnership(1, 1, new CacheDefinition("s", config), apart);
    CacheOwnership other =
        new CacheOwnership(
            2, 1, new CacheDefinition("o", CacheConfig.distributed().segments(2)), both);
    ShareTable shares = new ShareTable(CacheCatalog.of(List.of(first, second, other)));
    SegmentShare third = new SegmentShare(CacheConfig.UNBOUNDED, 2_000);
    assertThat(shares.sharesOf(first)).containsExactly(third, third);
    assertThat(shares.sharesOf(second)).containsExactly(third, third);
    assertThat(shares.sharesOf(other)).containsOnly(SegmentShare.UNBOUNDED);
  }

  private static List<SegmentShare> shares(CacheOwnership cache) {
    return new ShareTable(CacheCatalog.of(List.of(cache))).sharesOf(cache);
  }

  @Test
  void definitionSaysWhereEntriesAreKept() {
    for (CacheConfig config : List.of(CacheConfig.local(), CacheConfig.replicated())) {
      for (ContainerKind kind : ContainerKind.values()) {
        CacheDefinition definition = new CacheDefinition("x", config.container(kind));
        Output out = new Output(16);
        definition.write(out);
        assertThat(CacheDefinition.read(out.toInput())).isEqualTo(definition);
      }
    }
  }

  @Test
  void writersAreOwnersThenJoiners() {
    SegmentOwnership segment = topology.ownership(2, 0);
    assertThat(segment.writers()).containsExactly(a, b);
    assertThat(segment.primary()).isEqualTo(a);
    assertThat(segment.isSteady()).isFalse();
    assertThat(topology.ownership(2, 1).isLost()).isTrue();
    assertThat(topology.ownership(7, 0).isSteady()).isTrue();
  }

  private static byte[] bytes(Topology topology) {
    Output out = new Output(16);
    topology.write(out);
    return out.toByteArray();
  }

  @Test
  void everyTruncationIsMalformed() {
    byte[] bytes = bytes(topology);
    for (int length = 0; length < bytes.length; length++) {
      int shorter = length;
      assertThatExceptionOfType(MalformedException.class)
          .as("of %s bytes", length)
          .isThrownBy(() -> Topology.read(new Input(java.util.Arrays.copyOf(bytes, shorter))));
    }
  }

  @Test
  void changedByteIsReadOrMalformed() {
    Random random = new Random(4);
    byte[] bytes = bytes(topology);
    int malformed = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = bytes.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        assertThat(Topology.read(new Input(changed))).isNotNull();
      } catch (MalformedException e) {
        malformed++;
      }
    }
    assertThat(malformed).isPositive();
  }
}
