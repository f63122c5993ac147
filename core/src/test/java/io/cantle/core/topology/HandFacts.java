package io.cantle.core.topology;

import io.cantle.core.transport.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a coordinator knows, said by a test. */
final class HandFacts implements Evolution.Facts {
  record Receipt(int cache, int segment, int epoch, Member joiner) {}

  final List<Member> present = new ArrayList<>();
  final List<Member> leaving = new ArrayList<>();
  final List<CacheDefinition> wanted = new ArrayList<>();
  final Set<Receipt> receipts = new HashSet<>();
  final Map<Member, Long> adopted = new HashMap<>();

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

  void adoptAll(Topology topology) {
    topology.members().forEach(member -> adopted.put(member, topology.number()));
  }

  @Override
  public List<Member> present() {
    return List.copyOf(present);
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
  public boolean received(int cache, int segment, int epoch, Member joiner) {
    return receipts.contains(new Receipt(cache, segment, epoch, joiner));
  }

  @Override
  public long adopted(Member member) {
    return adopted.getOrDefault(member, 0L);
  }
}
