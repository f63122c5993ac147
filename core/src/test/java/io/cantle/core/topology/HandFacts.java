package io.cantle.core.topology;

import io.cantle.CacheConfig;
import io.cantle.core.segment.Seat;
import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** What a leader knows, said by a test. */
final class HandFacts implements Evolution.Facts {
  record Receipt(int cache, int segment, int epoch, Member joiner) {}

  final List<Member> silent = new ArrayList<>();
  final List<Member> joining = new ArrayList<>();
  final List<Member> withoutCopies = new ArrayList<>();
  final List<Member> leaving = new ArrayList<>();
  final List<CacheDefinition> wanted = new ArrayList<>();
  final Set<Integer> accepted = new HashSet<>();
  final Set<Receipt> receipts = new HashSet<>();
  final Set<Receipt> openings = new HashSet<>();
  final Set<Member> dropped = new HashSet<>();
  final Map<Member, Long> adopted = new HashMap<>();
  final Map<Member, Seat> seats = new HashMap<>();
  boolean used;
  boolean suspended;

  /** A grid of these with one cache, "users", of six segments. */
  Topology founded(Member... members) {
    wanted.add(new CacheDefinition("users", CacheConfig.distributed().segments(6)));
    Topology first = HandTopology.founded(members);
    adoptAll(first);
    return Evolution.next(first, this);
  }

  /** What comes of a topology when everybody receives and adopts whatever there is. */
  Topology settled(Topology from) {
    Topology now = from;
    for (int i = 0; i < 20; i++) {
      receiveAll(now);
      openAll(now);
      adoptAll(now);
      Topology next = Evolution.next(now, this);
      if (next.number() == now.number()) {
        return now;
      }
      now = next;
    }
    throw new AssertionError("does not settle: " + now);
  }

  /** A member, a new one or one that is back, asks to be admitted. */
  void join(Member member) {
    silent.remove(member);
    joining.add(member);
  }

  /** Members are not heard of any more. */
  void crash(List<Member> members) {
    silent.addAll(members);
    joining.removeAll(members);
    leaving.removeAll(members);
    adopted.keySet().removeAll(members);
  }

  /** A member is not heard of any more. */
  void crash(Member member) {
    crash(List.of(member));
  }

  void receive(int cache, int segment, int epoch, Member joiner) {
    receipts.add(new Receipt(cache, segment, epoch, joiner));
  }

  void receiveAll(Topology topology) {
    for (int cache = 0; cache < topology.caches().size(); cache++) {
      List<Ownership> segments = topology.caches().get(cache).segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        for (Ownership.Joiner joiner : segments.get(segment).joiners()) {
          receive(cache, segment, segments.get(segment).epoch(), joiner.member());
        }
      }
    }
  }

  /** Primaries say that they have opened what is to be confirmed. */
  void openAll(Topology topology) {
    for (int cache = 0; cache < topology.caches().size(); cache++) {
      List<Ownership> segments = topology.caches().get(cache).segments();
      for (int segment = 0; segment < segments.size(); segment++) {
        Ownership ownership = segments.get(segment);
        if (ownership.unconfirmed() && !ownership.lost()) {
          openings.add(new Receipt(cache, segment, ownership.epoch(), ownership.primary()));
        }
      }
    }
  }

  void adoptAll(Topology topology) {
    topology.members().forEach(member -> adopted.put(member, topology.number()));
  }

  @Override
  public List<Member> silent() {
    return List.copyOf(silent);
  }

  @Override
  public List<Member> joining() {
    return List.copyOf(joining);
  }

  @Override
  public Seat seat(Member member) {
    return seats.getOrDefault(member, Seat.USUAL);
  }

  @Override
  public boolean withoutCopies(Member member) {
    return withoutCopies.contains(member);
  }

  @Override
  public List<Member> leaving() {
    return List.copyOf(leaving);
  }

  @Override
  public List<CacheDefinition> wanted() {
    return wanted;
  }

  @Override
  public boolean used() {
    return used;
  }

  @Override
  public boolean suspended() {
    return suspended;
  }

  @Override
  public boolean lossAccepted(int cache, int segment, int epoch) {
    return accepted.contains(cache);
  }

  @Override
  public boolean dropped(int cache, int segment, Member member) {
    return dropped.contains(member);
  }

  @Override
  public boolean received(int cache, int segment, int epoch, Ownership.Joiner joiner) {
    return IntStream.rangeClosed(joiner.since(), epoch)
        .anyMatch(said -> receipts.contains(new Receipt(cache, segment, said, joiner.member())));
  }

  @Override
  public boolean opened(int cache, int segment, int epoch) {
    return openings.stream()
        .anyMatch(
            opening ->
                opening.cache == cache && opening.segment == segment && opening.epoch == epoch);
  }

  @Override
  public long adopted(Member member) {
    return adopted.getOrDefault(member, 0L);
  }
}
