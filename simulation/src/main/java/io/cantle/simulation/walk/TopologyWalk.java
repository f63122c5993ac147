package io.cantle.simulation.walk;

import io.cantle.CacheConfig;
import io.cantle.Durability;
import io.cantle.core.ownership.CacheCatalog;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.GridDefinition;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.ownership.MemberCapacity;
import io.cantle.core.ownership.Membership;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.ownership.Topology;
import io.cantle.core.transport.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * One walk: a grid of a few nodes to which {@value #STEPS} random events happen, guided to states
 * with few copies left. A quiet period follows, after which all must be well again.
 *
 * <p><b>Threading:</b> one thread.
 */
final class TopologyWalk {
  private static final int STEPS = 50;
  private static final int MAX_NODES = 8;

  private final SplittableRandom random;
  private final List<String> story;
  private final boolean isNarrated;
  private final List<WalkNode> nodes = new ArrayList<>();
  private final WalkScene scene;
  private final WalkFaults faults;
  private final GridSides sides;
  private final WalkWorld world;
  private final CacheLayout layout;
  private final boolean durable;
  private int made;

  /**
   * @param seed of everything that is drawn
   * @param isNarrated whether the story is kept
   */
  TopologyWalk(long seed, boolean isNarrated) {
    random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L);
    this.isNarrated = isNarrated;
    this.story = new ArrayList<>();
    boolean available = random.nextInt(3) == 0;
    durable = !available && random.nextInt(3) == 0;
    layout = new CacheLayout(caches());
    PartitionHandling mode =
        available
            ? PartitionHandling.NEWER
            : random.nextInt(4) == 0 ? PartitionHandling.OLDEST_DECIDES : PartitionHandling.STOP;
    scene = new WalkScene(random, layout, nodes, this::narrate);
    CopyModel copies = new CopyModel(layout, nodes);
    faults = new WalkFaults(scene, copies);
    sides = new GridSides(scene, copies);
    world = new WalkWorld(scene, copies, sides);
    begin(mode, 1 + random.nextInt(5));
  }

  /** Returns how often each event happened. */
  Map<WalkEvent, Long> counts() {
    return scene.counts();
  }

  /** Returns what happened, one line per event. */
  List<String> story() {
    return story;
  }

  private void narrate(Supplier<String> line) {
    if (isNarrated) {
      story.add(line.get());
    }
  }

  private List<CacheDefinition> caches() {
    CacheConfig spread =
        CacheConfig.distributed().owners(1 + random.nextInt(3)).segments(2 + random.nextInt(3));
    CacheConfig second =
        durable
            ? spread.durability(
                random.nextInt(3) > 0
                    ? Durability.SYNC
                    : Durability.periodic(Duration.ofSeconds(1)))
            : CacheConfig.replicated().segments(1);
    return List.of(new CacheDefinition("spread", spread), new CacheDefinition("second", second));
  }

  private void begin(PartitionHandling mode, int count) {
    for (int i = 0; i < count; i++) {
      newNode();
    }
    List<Member> members = nodes.stream().map(node -> node.member).toList();
    Membership membership =
        new Membership(
            members,
            Collections.nCopies(count, 1L),
            nodes.stream().map(node -> node.memberCapacity).toList(),
            mode == PartitionHandling.OLDEST_DECIDES && count == 2
                ? members.subList(0, 1)
                : members,
            1,
            List.of(),
            List.of());
    GridDefinition gridDefinition =
        new GridDefinition(new UUID(1, 1), 0, 7, mode, GridLineage.NONE, true, false, false);
    world.found(new Topology(1, gridDefinition, membership, CacheCatalog.NONE));
    narrate(() -> "a grid of " + members + ", " + mode + ", " + layout.caches());
  }

  private WalkNode newNode() {
    made++;
    UUID id = new UUID(2, made);
    boolean hasStore = durable && random.nextInt(4) > 0;
    Member member = new Member(id, hasStore ? new UUID(3, made) : id, "n" + made);
    return add(new WalkNode(member, seat(), layout.segments()));
  }

  private WalkNode add(WalkNode node) {
    nodes.add(node);
    narrate(() -> node + " starts, " + node.memberCapacity);
    return node;
  }

  private MemberCapacity seat() {
    double capacity = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(2);
    return MemberCapacity.of(capacity, List.of("", "", "left", "right").get(random.nextInt(4)));
  }

  /**
   * Draws the capacity of a restarted node. It may restart with other settings; one in ten cannot
   * own anything.
   */
  private MemberCapacity nextCapacity(WalkNode dead) {
    return switch (random.nextInt(10)) {
      case 0 -> MemberCapacity.of(0, dead.memberCapacity.rack());
      case 1, 2, 3 -> seat();
      default -> dead.memberCapacity;
    };
  }

  // ------------------------------------------------------------------ walking

  /**
   * Walks, and waits until all is well.
   *
   * @throws WalkViolation if something is wrong
   */
  void walk() {
    world.settle(false);
    for (int step = 0; step < STEPS; step++) {
      for (int events = 1 + random.nextInt(3); events > 0; events--) {
        happen();
      }
      world.proceed();
    }
    narrate(() -> "all is quiet");
    faults.heal();
    if (durable) {
      for (WalkNode node : List.copyOf(nodes)) {
        if (!node.alive && !node.followed && node.member.hasStore()) {
          restart(node, false);
        }
      }
    }
    world.settle(true);
  }

  private void happen() {
    List<WalkNode> alive = nodes.stream().filter(node -> node.alive).toList();
    if (alive.isEmpty()) {
      return; // All have left.
    }
    WalkNode any = alive.get(random.nextInt(alive.size()));
    switch (random.nextInt(17)) {
      case 0, 1 -> {
        WalkNode victim = faults.chooseVictim(alive);
        if (alive.size() > 1 && faults.mayCrash(victim)) {
          faults.crash(victim);
          if (random.nextInt(3) == 0) {
            comeBack(victim, alive);
          }
        }
      }
      case 2 -> {
        if (alive.size() < MAX_NODES) {
          newNode();
        }
      }
      case 3, 4 -> {
        List<WalkNode> dead = nodes.stream().filter(node -> !node.alive && !node.followed).toList();
        if (!dead.isEmpty()) {
          comeBack(dead.get(random.nextInt(dead.size())), alive);
        }
      }
      case 5 -> {
        if (random.nextInt(3) == 0 && any.orphans.isEmpty() && alive.size() > 1) {
          any.leaving = true;
          narrate(() -> any + " wants to leave");
        }
      }
      case 6 -> faults.cut(faults.chooseVictim(alive));
      case 7 -> {
        if (random.nextBoolean()) {
          faults.heal();
        }
      }
      case 8 -> sides.split();
      case 9 -> faults.suspend();
      case 10 -> faults.changeLeaders();
      case 11 -> faults.acceptLosses();
      default -> world.receive();
    }
  }

  /** Restarts a dead node with or without its store, or starts another node in its place. */
  private void comeBack(WalkNode dead, List<WalkNode> alive) {
    if (dead.member.hasStore()) {
      restart(dead, random.nextInt(6) == 0);
    } else if (alive.size() < MAX_NODES) {
      dead.followed = true;
      newNode();
    }
  }

  private void restart(WalkNode dead, boolean withoutStore) {
    made++;
    Member life = new Member(new UUID(2, made), dead.member.nodeId(), dead + "'");
    WalkNode next = new WalkNode(life, nextCapacity(dead), layout.segments());
    dead.followed = true;
    add(next);
    WalkGrid grid = dead.grid;
    if (withoutStore || grid == null) {
      narrate(() -> next + " has nothing of its former life");
      return;
    }
    for (int segment = 0; segment < layout.segments(); segment++) {
      if (layout.cache(segment).isDurable()) {
        next.copies[segment] = dead.copies[segment].onDisk();
      }
    }
    world.restore(next, grid, dead.adopted);
  }
}
