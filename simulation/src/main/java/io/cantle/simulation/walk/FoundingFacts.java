package io.cantle.simulation.walk;

import io.cantle.core.segment.Seat;
import io.cantle.core.topology.CacheDefinition;
import io.cantle.core.topology.Evolution;
import io.cantle.core.topology.Ownership.Joiner;
import io.cantle.core.topology.Topology;
import io.cantle.core.transport.Member;
import java.util.List;

/**
 * What is told while a grid founds its caches: that everybody is there.
 *
 * <p><b>Threading:</b> one thread, that of its walk.
 */
final class FoundingFacts implements Evolution.Facts {
  private final List<CacheDefinition> caches;
  private Topology known = Topology.NONE;

  FoundingFacts(List<CacheDefinition> caches) {
    this.caches = caches;
  }

  void adopted(Topology topology) {
    known = topology;
  }

  /** Whether this one is not adopted yet. */
  boolean isNew(Topology topology) {
    return topology.number() > known.number();
  }

  @Override
  public List<Member> silent() {
    return List.of();
  }

  @Override
  public List<Member> joining() {
    return List.of();
  }

  @Override
  public Seat seat(Member member) {
    return Seat.USUAL;
  }

  @Override
  public boolean withoutCopies(Member member) {
    return false;
  }

  @Override
  public List<Member> leaving() {
    return List.of();
  }

  @Override
  public List<CacheDefinition> wanted() {
    return caches;
  }

  @Override
  public boolean used() {
    return true;
  }

  @Override
  public boolean suspended() {
    return false;
  }

  @Override
  public boolean lossAccepted(int cache, int segment, int epoch) {
    return false;
  }

  @Override
  public boolean dropped(int cache, int segment, Member member) {
    return false;
  }

  @Override
  public boolean received(int cache, int segment, int epoch, Joiner joiner) {
    return false;
  }

  @Override
  public boolean opened(int cache, int segment, int epoch) {
    return false;
  }

  @Override
  public long adopted(Member member) {
    return known.members().contains(member) ? known.number() : 0;
  }
}
