package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this node's topology, and makes the next one while this node is the coordinator: the member
 * all views name first.
 *
 * <p>A new coordinator takes a higher <em>term</em>, asks every member for the latest topology it
 * knows, and goes on from the latest of all; whoever answered obeys no earlier term. While it leads
 * it collects reports and, a moment after the first that matters, makes the next topology, adopts
 * it and sends it whole to everybody. What is lost on the way is sent again: a member that has not
 * said that it adopted the latest topology is told once more.
 *
 * <p>Agreement rests on membership being truthful: a member that is called gone is gone.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock. Nothing waits, and the adopter is called
 * with the lock held, so that topologies are adopted one after the other.
 */
public final class TopologyKeeper {
  private static final long GATHER_AGAIN = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long STEP_DELAY = TimeUnit.MILLISECONDS.toNanos(3);
  private static final long REMIND_AFTER = TimeUnit.MILLISECONDS.toNanos(500);
  private static final System.Logger LOG = System.getLogger(TopologyKeeper.class.getName());

  private enum Phase {
    FOLLOWING,
    GATHERING,
    LEADING
  }

  /** How many requests may wait for a topology to come. */
  private static final int MAX_DEFERRED = 20_000;

  private record Deferred(long number, Runnable task) {}

  private final Requests requests;
  private final World world;
  private final int initialMembers;
  private final Consumer<Topology> adopter;
  private final Runnable foreign;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile Topology current = Topology.NONE;
  private volatile long entered;
  private volatile boolean left;
  private volatile boolean written;
  private long promisedTerm;
  private List<Member> view = List.of();
  private boolean closed;
  private final List<Deferred> deferred = new ArrayList<>();

  // Of the coordinator.
  private Phase phase = Phase.FOLLOWING;
  private long term;
  private boolean stepDue;
  private boolean remindDue;
  private final Map<Member, Topology> gathered = new TreeMap<>();
  private final TreeSet<Member> strangers = new TreeSet<>();
  private final Map<Member, Long> adopted = new TreeMap<>();
  private final TreeSet<Member> leavers = new TreeSet<>();
  private final List<CacheDefinition> wanted = new ArrayList<>();
  private final Map<Report.Received, TreeSet<Member>> received = new java.util.HashMap<>();

  /**
   * A keeper without a topology yet.
   *
   * @param initialMembers how many must see each other before a grid is founded
   * @param adopter is given each topology in turn; must not wait
   * @param foreign is run when this node meets another grid with which it cannot become one
   */
  public TopologyKeeper(
      Requests requests,
      World world,
      int initialMembers,
      Consumer<Topology> adopter,
      Runnable foreign) {
    this.requests = requests;
    this.world = world;
    this.initialMembers = initialMembers;
    this.adopter = adopter;
    this.foreign = foreign;
  }

  /** The topology adopted last, {@link Topology#NONE} at first. */
  public Topology current() {
    return current;
  }

  /** Whether the coordinator has said that nothing depends on this leaving node any more. */
  public boolean left() {
    return left;
  }

  /** This node has taken part in a write: it cannot give up its grid for another any more. */
  public void written() {
    if (!written) {
      written = true;
    }
  }

  /** Stops making and reminding. */
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  /** Tells the coordinator that this node, a joiner, holds all of a segment. */
  public void reportReceived(int cache, int segment, int epoch) {
    report(new Report.Received(cache, segment, epoch));
  }

  /** Tells the coordinator that this node wants to leave. */
  public void reportLeaving() {
    report(new Report.Leaving());
  }

  /** Tells the coordinator that this node wants a cache. */
  public void reportWanted(CacheDefinition definition) {
    report(new Report.Wanted(definition));
  }

  private void report(Report report) {
    Optional<Member> coordinator = coordinator();
    if (coordinator.isPresent()) {
      Output out = requests.message(Kind.REPORT);
      report.write(out);
      requests.post(coordinator.get(), out);
    }
  }

  private Optional<Member> coordinator() {
    lock.lock();
    try {
      return view.stream().findFirst();
    } finally {
      lock.unlock();
    }
  }

  /** The view has changed. */
  public void members(List<Member> present) {
    lock.lock();
    try {
      view = List.copyOf(present);
      if (!view.getFirst().equals(requests.self())) {
        phase = Phase.FOLLOWING;
        tellAdopted();
        return;
      }
      gathered.keySet().retainAll(view);
      adopted.keySet().retainAll(view);
      leavers.retainAll(view);
      strangers.retainAll(view);
      if (phase == Phase.FOLLOWING) {
        phase = Phase.GATHERING;
        term = Math.max(promisedTerm, current.term()) + 1;
        promisedTerm = term;
        gathered.clear();
        adopted.clear();
        received.clear();
        leavers.clear();
        wanted.clear();
        strangers.clear();
      }
      gathered.put(requests.self(), current);
      gather();
      proceed();
    } finally {
      lock.unlock();
    }
  }

  /** Asks those of the view who have not said what they know, until they have. */
  private void gather() {
    boolean missing = false;
    for (Member member : view) {
      if (!gathered.containsKey(member) && !strangers.contains(member)) {
        missing = true;
        Output out = requests.message(Kind.GATHER);
        out.writeLong(term);
        requests.post(member, out);
      }
    }
    if (missing) {
      long asked = term;
      world
          .clock()
          .schedule(
              GATHER_AGAIN,
              () -> {
                lock.lock();
                try {
                  if (!closed && phase != Phase.FOLLOWING && term == asked) {
                    gather();
                  }
                } finally {
                  lock.unlock();
                }
              });
    }
  }

  private void proceed() {
    if (phase == Phase.GATHERING) {
      if (!view.stream().allMatch(m -> gathered.containsKey(m) || strangers.contains(m))) {
        return;
      }
      Topology latest = latestKnown();
      if (!latest.founded() && view.size() < initialMembers) {
        return;
      }
      phase = Phase.LEADING;
      leavers.addAll(latest.leaving());
      leavers.retainAll(view);
      LOG.log(
          System.Logger.Level.DEBUG,
          "{0} coordinates term {1} from topology {2}",
          requests.self(),
          term,
          latest.number());
      step(true);
    } else if (phase == Phase.LEADING) {
      stepSoon();
    }
  }

  private Topology found() {
    long high = world.random().nextLong();
    long low = world.random().nextLong();
    long seed = world.random().nextLong();
    return new Topology(1, new UUID(high, low), seed, List.of(), List.of(), List.of());
  }

  /** A coordinator wants to know and to be obeyed. */
  public void gatherAsked(Member from, Input in) {
    long asked = in.readLong();
    lock.lock();
    try {
      if (asked < promisedTerm || (asked == promisedTerm && phase != Phase.FOLLOWING)) {
        // A coordinator met in a merge of views: it must go beyond this term to be obeyed.
        Output out = requests.message(Kind.GATHERED);
        out.writeLong(promisedTerm);
        out.writeBoolean(written);
        out.writeBoolean(false);
        requests.post(from, out);
        return;
      }
      promisedTerm = asked;
      Output out = requests.message(Kind.GATHERED);
      out.writeLong(asked);
      out.writeBoolean(written);
      out.writeBoolean(true);
      current.write(out);
      requests.post(from, out);
    } finally {
      lock.unlock();
    }
  }

  /** A member has said what it knows. */
  public void gathered(Member from, Input in) {
    long answered = in.readLong();
    boolean hasWritten = in.readBoolean();
    lock.lock();
    try {
      if (phase == Phase.FOLLOWING || !view.contains(from)) {
        return;
      }
      if (!in.readBoolean()) {
        if (answered >= term) {
          term = answered + 1;
          promisedTerm = term;
          // Nothing is made until everybody has said again what it knows.
          phase = Phase.GATHERING;
          gathered.clear();
          gathered.put(requests.self(), current);
          gather();
        }
        return;
      }
      if (answered != term) {
        return;
      }
      Topology topology = Topology.read(in);
      if (topology.founded()
          && reference().founded()
          && !topology.gridId().equals(reference().gridId())
          && hasWritten) {
        strangers.add(from);
        LOG.log(
            System.Logger.Level.WARNING,
            "{0} belongs to another grid of this name and has written there; it is not let in",
            from);
        requests.post(from, requests.message(Kind.FOREIGN));
      } else {
        gathered.put(from, mine(topology) ? topology : Topology.NONE);
      }
      proceed();
    } finally {
      lock.unlock();
    }
  }

  /** The grid this coordinator goes on with: its own, else the first it heard of. */
  private Topology reference() {
    if (current.founded()) {
      return current;
    }
    return gathered.values().stream().filter(Topology::founded).findFirst().orElse(Topology.NONE);
  }

  private boolean mine(Topology topology) {
    return !reference().founded() || topology.gridId().equals(reference().gridId());
  }

  /** This node is told that it belongs to another grid. */
  public void foreignTold() {
    foreign.run();
  }

  /** A topology has come. */
  public void topologyCame(Input in) {
    Topology topology = Topology.read(in);
    lock.lock();
    try {
      if (topology.term() < promisedTerm) {
        return;
      }
      if (current.founded() && !current.gridId().equals(topology.gridId())) {
        if (written) {
          foreign.run();
          return;
        }
      } else if (topology.number() <= current.number()) {
        tellAdopted();
        return;
      }
      promisedTerm = topology.term();
      adopt(topology);
      tellAdopted();
    } finally {
      lock.unlock();
    }
  }

  private void adopt(Topology topology) {
    current = topology;
    adopter.accept(topology);
    // Only now: until then replicas may still be in epochs before this topology's.
    entered = topology.number();
    List<Deferred> all = List.copyOf(deferred);
    deferred.clear();
    for (Deferred one : all) {
      if (one.number > topology.number()) {
        deferred.add(one);
      } else {
        run(one.task);
      }
    }
    requests.wakeAll();
  }

  /** One request that cannot be served must not cost the others theirs. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request that waited for a topology failed", e);
    }
  }

  /** Runs a task, which must not wait, once a topology of at least this number is adopted. */
  public void whenAdopted(long number, Runnable task) {
    if (entered >= number) {
      task.run();
      return;
    }
    lock.lock();
    try {
      if (entered >= number) {
        task.run();
      } else if (deferred.size() < MAX_DEFERRED) {
        deferred.add(new Deferred(number, task));
      } else {
        LOG.log(
            System.Logger.Level.WARNING,
            "dropped a request that needs topology {0}: {1} others wait already",
            number,
            MAX_DEFERRED);
      }
    } finally {
      lock.unlock();
    }
  }

  private void tellAdopted() {
    if (current.founded()) {
      report(new Report.Adopted(current.number()));
    }
  }

  /** A member reports. */
  public void reported(Member from, Input in) {
    Report report = Report.read(in);
    lock.lock();
    try {
      if (phase != Phase.LEADING || !gathered.containsKey(from)) {
        return;
      }
      switch (report) {
        case Report.Adopted(long number) -> {
          adopted.merge(from, number, Math::max);
          releaseLeavers();
        }
        case Report.Received receipt -> {
          if (received.computeIfAbsent(receipt, r -> new TreeSet<>()).add(from)) {
            stepSoon();
          }
        }
        case Report.Leaving() -> {
          if (leavers.add(from)) {
            stepSoon();
          }
          releaseLeavers();
        }
        case Report.Wanted(CacheDefinition definition) -> {
          if (current.cache(definition.name()) < 0
              && wanted.stream().noneMatch(one -> one.name().equals(definition.name()))) {
            wanted.add(definition);
            stepSoon();
          }
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets those go whom nobody needs, once everybody knows that. */
  private void releaseLeavers() {
    boolean alone = leavers.containsAll(current.members());
    for (Member leaver : leavers) {
      boolean known = current.leaving().contains(leaver) && !current.needs(leaver);
      boolean settled =
          known
              && current.members().stream()
                  .allMatch(member -> adopted.getOrDefault(member, 0L) >= current.number());
      if (alone || settled) {
        requests.post(leaver, requests.message(Kind.LEFT));
      }
    }
  }

  /** The coordinator lets this node go. */
  public void leaveGranted() {
    left = true;
    requests.wakeAll();
  }

  private void stepSoon() {
    if (!stepDue) {
      stepDue = true;
      world
          .clock()
          .schedule(
              STEP_DELAY,
              () -> {
                lock.lock();
                try {
                  stepDue = false;
                  if (!closed && phase == Phase.LEADING) {
                    step(false);
                  }
                } finally {
                  lock.unlock();
                }
              });
    }
  }

  /** Makes the next topology, and tells everybody if there is one or {@code always}. */
  private void step(boolean always) {
    Topology known = latestKnown();
    Topology from = known.founded() ? known : found();
    Topology to = Evolution.next(from, new Known(), term);
    if (to.number() == from.number() && always) {
      to =
          new Topology(
              from.nextNumber(term),
              from.gridId(),
              from.hashSeed(),
              from.members(),
              from.leaving(),
              from.caches());
    }
    if (to.number() == current.number()) {
      return;
    }
    forgetStaleReceipts(to);
    wanted.removeIf(definition -> current.cache(definition.name()) >= 0);
    adopt(to);
    adopted.put(requests.self(), to.number());
    for (Member member : view) {
      if (gathered.containsKey(member) && !member.equals(requests.self())) {
        tell(member);
      }
    }
    releaseLeavers();
    remindSoon();
  }

  private Topology latestKnown() {
    Topology latest = current;
    for (Topology topology : gathered.values()) {
      if (topology.number() > latest.number()) {
        latest = topology;
      }
    }
    return latest;
  }

  private void forgetStaleReceipts(Topology to) {
    received
        .keySet()
        .removeIf(
            receipt ->
                receipt.cache() >= to.caches().size()
                    || receipt.segment() >= to.caches().get(receipt.cache()).segments().size()
                    || to.ownership(receipt.cache(), receipt.segment()).epoch() > receipt.epoch());
  }

  private void tell(Member member) {
    Output out = requests.message(Kind.TOPOLOGY);
    current.write(out);
    requests.postApart(member, out);
  }

  private void remindSoon() {
    if (!remindDue) {
      remindDue = true;
      world
          .clock()
          .schedule(
              REMIND_AFTER,
              () -> {
                lock.lock();
                try {
                  remindDue = false;
                  if (!closed && phase == Phase.LEADING) {
                    remind();
                  }
                } finally {
                  lock.unlock();
                }
              });
    }
  }

  private void remind() {
    boolean behind = false;
    for (Member member : view) {
      if (gathered.containsKey(member) && adopted.getOrDefault(member, 0L) < current.number()) {
        behind = true;
        tell(member);
      }
    }
    if (behind) {
      remindSoon();
    }
  }

  /** What the coordinator knows, as the step asks for it; used under the lock. */
  private final class Known implements Evolution.Facts {
    @Override
    public List<Member> present() {
      return view.stream().filter(gathered::containsKey).toList();
    }

    @Override
    public List<Member> leaving() {
      return List.copyOf(leavers);
    }

    @Override
    public List<CacheDefinition> wanted() {
      return wanted;
    }

    @Override
    public boolean received(int cache, int segment, int epoch, Member joiner) {
      @Nullable TreeSet<Member> joiners = received.get(new Report.Received(cache, segment, epoch));
      return joiners != null && joiners.contains(joiner);
    }

    @Override
    public long adopted(Member member) {
      return adopted.getOrDefault(member, 0L);
    }
  }
}
