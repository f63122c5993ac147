package io.cantle.core.rebalance;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.container.Deadline;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Expiring;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Log;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Role;
import io.cantle.core.topology.Ownership;
import io.cantle.core.topology.Topology;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How a primary opens a new epoch of a segment: it asks everybody concerned to enter it and to say
 * what they hold of the last one ({@code ENTER}, {@code ENTERED}); takes over the longest log;
 * hands out what others lack of it ({@code OPEN}, {@code OPENED}); then serves. Many segments share
 * a message.
 *
 * <p>Where owners were excluded it does not serve before a topology confirms that it has opened:
 * until then the excluded hold every acknowledged write, and count should this node die.
 *
 * <p><b>Threading:</b> any thread; guarded by its lock, which is taken before a replica's. Nothing
 * waits.
 */
public final class Openings {
  private static final long ASK_AGAIN = TimeUnit.MILLISECONDS.toNanos(500);

  /** What is read from disk for one message: all of it is in memory together. */
  private static final long TOLD_TOGETHER_BYTES = 1 << 20;

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final World world;
  private final Expiring expiring;
  private final Readings readings;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<Replica, Opening> openings = new LinkedHashMap<>();
  private final List<Opening> toReport = new ArrayList<>();
  private boolean again;

  private static final class Opening {
    final Replica replica;
    final int epoch;
    final Set<Member> waitingFor;
    final List<Member> writers;
    final Map<Member, Log> logs = new TreeMap<>();
    boolean takenOver;
    boolean full;
    List<Log.Missing> missing = List.of();

    Opening(Replica replica, int epoch, Set<Member> waitingFor, List<Member> writers) {
      this.replica = replica;
      this.epoch = epoch;
      this.waitingFor = waitingFor;
      this.writers = writers;
    }
  }

  /** Openings of these replicas. */
  public Openings(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      CommitNotices notices,
      Expiring expiring) {
    this.requests = requests;
    this.topologies = topologies;
    this.replicas = replicas;
    this.world = world;
    this.notices = notices;
    this.expiring = expiring;
    this.readings = new Readings(world.clock());
  }

  /** Begins to open the epochs this node is the primary of. */
  public void begin(Topology topology, List<Replicas.Changed> changed) {
    TreeMap<Member, List<Opening>> asked = new TreeMap<>();
    lock.lock();
    try {
      for (Replicas.Changed change : changed) {
        openings.remove(change.replica());
        if (change.replica().state().role() == Role.PRIMARY) {
          Opening opening = opening(change);
          openings.put(opening.replica, opening);
          for (Member member : opening.waitingFor) {
            asked.computeIfAbsent(member, m -> new ArrayList<>()).add(opening);
          }
          proceed(opening);
        }
      }
      topologyChanged(topology);
      askAgainSoon();
    } finally {
      lock.unlock();
    }
    reportFull();
    asked.forEach((member, list) -> ask(topology.number(), member, list));
  }

  private Opening opening(Replicas.Changed change) {
    Ownership ownership = change.ownership();
    TreeSet<Member> waitingFor = new TreeSet<>(ownership.writers());
    waitingFor.addAll(ownership.retiring());
    waitingFor.remove(requests.self());
    return new Opening(change.replica(), ownership.epoch(), waitingFor, ownership.writers());
  }

  private void ask(long topologyNumber, Member member, List<Opening> list) {
    Output out = requests.message(Kind.ENTER);
    out.writeLong(topologyNumber);
    out.writeVarint(list.size());
    for (Opening opening : list) {
      Log mine = opening.replica.log(Integer.MAX_VALUE, 0);
      writeName(out, opening.replica, opening.epoch);
      out.writeVarint(mine.epoch());
      out.writeVarint(mine.applied());
    }
    requests.postApart(member, out);
  }

  /** A new primary asks; it is answered when this node has entered the epochs as well. */
  public void asked(Member from, Input in) {
    long topologyNumber = in.readLong();
    topologies.whenAdopted(topologyNumber, () -> tell(from, in));
  }

  /**
   * What was written before the primary died, and is told of here, is to be there when all nodes
   * have lost their power: so it is told of when it is held.
   */
  private void tell(Member from, Input in) {
    int count = in.readCount(in.remaining());
    List<Asked> all = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Replica replica = readReplica(in);
      int epoch = in.readCount(Integer.MAX_VALUE);
      all.add(new Asked(replica, epoch, in.readCount(Integer.MAX_VALUE), in.readVarint()));
    }
    Replicas.whenHeld(all.stream().map(Asked::replica).toList(), () -> tell(from, all));
  }

  /** Of which copy somebody asks what it holds, who has come so far. */
  private record Asked(Replica replica, int epoch, int knownEpoch, long knownApplied) {}

  private void tell(Member from, List<Asked> all) {
    List<Told> some = new ArrayList<>();
    long bytes = 0;
    for (Asked asked : all) {
      if (readings.begins(from, asked.replica, asked.epoch)) {
        Told told = new Told(asked);
        some.add(told);
        bytes += Readings.bytesOnDisk(told.log.items());
      }
      if (bytes >= TOLD_TOGETHER_BYTES) {
        tellTogether(from, some);
        some = new ArrayList<>();
        bytes = 0;
      }
    }
    // If all is being read already, this says that somebody is here.
    tellTogether(from, some);
  }

  private void tellTogether(Member from, List<Told> told) {
    if (told.isEmpty()) {
      post(from, told);
      return;
    }
    AtomicInteger open = new AtomicInteger(told.size());
    for (Told its : told) {
      // What is left of earlier writes may be on disk only.
      its.asked
          .replica
          .values()
          .wholeItems(
              its.log.items(),
              items -> {
                its.items = items;
                if (open.decrementAndGet() == 0) {
                  told.forEach(one -> readings.ended(from, one.asked.replica, one.asked.epoch));
                  post(from, told);
                }
              });
    }
  }

  /** A log with what is told of it. */
  private static final class Told {
    private final Asked asked;
    private final Log log;

    /** The items of the log with their values; null if some of them are there no more. */
    private volatile @Nullable List<Item> items;

    Told(Asked asked) {
      this.asked = asked;
      this.log = asked.replica.log(asked.knownEpoch, asked.knownApplied);
    }
  }

  private void post(Member from, List<Told> all) {
    Output out = requests.message(Kind.ENTERED);
    for (Told told : all) {
      Replica replica = told.asked.replica;
      Log log = told.log;
      int epoch = told.asked.epoch;
      List<Item> items = told.items;
      if (items == null || replica.state().epoch() != epoch || replica.lacks(epoch)) {
        // The log is of a later epoch by now, perhaps; who asked is to open nothing any more. Nor
        // is it before the voters know that there is nothing here.
        continue;
      }
      writeName(out, replica, epoch);
      out.writeVarint(log.since());
      out.writeVarint(log.epoch());
      out.writeVarint(log.applied());
      out.writeVarint(log.segmentMillis() + 1);
      writeItems(out, items);
    }
    requests.post(from, out);
  }

  /** A writer or a retired one has entered and tells what it holds. */
  public void told(Member from, Input in) {
    topologies.answered(from);
    long hashSeed = topologies.current().hashSeed();
    lock.lock();
    try {
      while (in.remaining() > 0) {
        Replica replica = readReplica(in);
        int epoch = in.readCount(Integer.MAX_VALUE);
        int since = in.readCount(Integer.MAX_VALUE);
        int logEpoch = in.readCount(Integer.MAX_VALUE);
        long applied = in.readVarint();
        long segmentMillis = in.readVarint() - 1;
        List<Item> items = readItems(in, logEpoch, hashSeed);
        Opening opening = openings.get(replica);
        // A second answer to a question asked twice must not pass for an OPENED.
        if (opening != null
            && opening.epoch == epoch
            && !opening.takenOver
            && opening.waitingFor.remove(from)) {
          if (opening.writers.contains(from)) {
            opening.logs.put(from, new Log(since, logEpoch, applied, items, segmentMillis));
          }
          proceed(opening);
        }
      }
    } finally {
      lock.unlock();
    }
    reportFull();
  }

  private void proceed(Opening opening) {
    if (!opening.waitingFor.isEmpty()) {
      return;
    }
    if (!opening.takenOver) {
      opening.takenOver = true;
      opening.missing = opening.replica.takeOver(opening.epoch, opening.logs);
      for (Log.Missing missing : opening.missing) {
        opening.waitingFor.add(missing.member());
        handOut(opening, missing);
      }
      holdHere(opening);
      if (!opening.waitingFor.isEmpty()) {
        return;
      }
    }
    opening.full = true;
    if (unconfirmed(opening)) {
      toReport.add(opening);
      return;
    }
    openings.remove(opening.replica);
    if (opening.replica.serve(opening.epoch)) {
      notices.due();
      if (opening.replica.entries().earliestDeadline() != Deadline.NEVER) {
        expiring.watch();
      }
    }
  }

  /** What this node took over counts once it holds it, as it does where others hold it. */
  private void holdHere(Opening opening) {
    if (!opening.replica.waitsForDisk()) {
      return;
    }
    Member self = requests.self();
    opening.waitingFor.add(self);
    opening.replica.whenHeld(() -> held(opening.replica, opening.epoch, self));
  }

  private boolean unconfirmed(Opening opening) {
    Ownership ownership =
        topologies.current().ownership(opening.replica.cache(), opening.replica.segment());
    return ownership.epoch() == opening.epoch && ownership.unconfirmed();
  }

  /** Tells the voters what waits for their word; without the lock, because they may be here. */
  private void reportFull() {
    List<Opening> all;
    lock.lock();
    try {
      all = List.copyOf(toReport);
      toReport.clear();
    } finally {
      lock.unlock();
    }
    all.forEach(
        opening ->
            topologies.reportOpened(
                opening.replica.cache(), opening.replica.segment(), opening.epoch));
  }

  /** False if the same is being read for the same member already. */
  private boolean handOut(Opening opening, Log.Missing missing) {
    Replica replica = opening.replica;
    if (!readings.begins(missing.member(), replica, opening.epoch)) {
      return false;
    }
    replica
        .values()
        .wholeItems(
            missing.items(),
            items -> {
              readings.ended(missing.member(), replica, opening.epoch);
              if (items == null) {
                return;
              }
              Output out = requests.message(Kind.OPEN);
              writeName(out, replica, opening.epoch);
              out.writeVarint(missing.epoch());
              writeItems(out, items);
              requests.postApart(missing.member(), out);
            });
    return true;
  }

  /** Asks again whoever has not answered: a question may have been dropped on the way. */
  private void askAgainSoon() {
    if (!again && !openings.isEmpty()) {
      again = true;
      world.clock().schedule(ASK_AGAIN, this::askAgain);
    }
  }

  private void askAgain() {
    TreeMap<Member, List<Opening>> asked = new TreeMap<>();
    TreeSet<Member> late = new TreeSet<>();
    lock.lock();
    try {
      again = false;
      for (Opening opening : openings.values()) {
        if (opening.full) {
          toReport.add(opening);
        } else if (opening.takenOver) {
          opening.missing.stream()
              .filter(missing -> opening.waitingFor.contains(missing.member()))
              .filter(missing -> handOut(opening, missing))
              .forEach(missing -> late.add(missing.member()));
        } else {
          late.addAll(opening.waitingFor);
          for (Member member : opening.waitingFor) {
            asked.computeIfAbsent(member, m -> new ArrayList<>()).add(opening);
          }
        }
      }
      askAgainSoon();
    } finally {
      lock.unlock();
    }
    // Never with the lock held: this is called back from topologies.
    late.remove(requests.self());
    late.forEach(topologies::asksAgain);
    reportFull();
    asked.forEach((member, list) -> ask(topologies.current().number(), member, list));
  }

  /** The new primary hands over what this node lacks. */
  public void filled(Member from, Input in) {
    Replica replica = readReplica(in);
    int epoch = in.readCount(Integer.MAX_VALUE);
    int itemsEpoch = in.readCount(Integer.MAX_VALUE);
    List<Item> items = readItems(in, itemsEpoch, topologies.current().hashSeed());
    if (replica.fill(epoch, itemsEpoch, items)) {
      replica.whenHeld(
          () -> {
            Output out = requests.message(Kind.OPENED);
            writeName(out, replica, epoch);
            requests.post(from, out);
          });
    }
  }

  /** Somebody holds now what it lacked. */
  public void opened(Member from, Input in) {
    topologies.answered(from);
    Replica replica = readReplica(in);
    held(replica, in.readCount(Integer.MAX_VALUE), from);
  }

  private void held(Replica replica, int epoch, Member from) {
    lock.lock();
    try {
      Opening opening = openings.get(replica);
      if (opening != null && opening.epoch == epoch && opening.waitingFor.remove(from)) {
        proceed(opening);
      }
    } finally {
      lock.unlock();
    }
    reportFull();
  }

  /**
   * Who is no member any more, and has no lease, is not waited for; what is confirmed by now is
   * served.
   */
  private void topologyChanged(Topology topology) {
    for (Opening opening : List.copyOf(openings.values())) {
      if (opening.waitingFor.removeIf(member -> !topology.members().contains(member))
          || (opening.full && !unconfirmed(opening))) {
        proceed(opening);
      }
    }
  }

  /** Another grid is joined: there is nothing to open any more. */
  public void forget() {
    lock.lock();
    try {
      openings.clear();
      toReport.clear();
    } finally {
      lock.unlock();
    }
  }

  private static void writeName(Output out, Replica replica, int epoch) {
    out.writeVarint(replica.cache());
    out.writeVarint(replica.segment());
    out.writeVarint(epoch);
  }

  private Replica readReplica(Input in) {
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    @Nullable Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      throw new MalformedException(
          "segment " + segment + " of cache number " + cache + " is unknown here");
    }
    return replica;
  }

  private static void writeItems(Output out, List<Item> items) {
    out.writeVarint(items.size());
    items.forEach(item -> item.write(out, false));
  }

  private static List<Item> readItems(Input in, int epoch, long hashSeed) {
    int count = in.readCount(in.remaining());
    List<Item> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(Item.read(in, epoch, hashSeed, Item.Notice.NONE).item());
    }
    return items;
  }
}
