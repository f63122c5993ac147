package io.cantle.core.topology;

import io.cantle.core.base.Input;
import io.cantle.core.base.Moment;
import io.cantle.core.base.Output;
import io.cantle.core.base.World;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How leases are renewed: each member asks every voter, and tells with it how far it is; a voter
 * that hears it grants, and tells whom it does not hear. Who answers whom is also what shows which
 * of the voters is to lead.
 *
 * <p><b>Threading:</b> guarded by the lock of the keeper.
 */
final class Renewals {
  private static final System.Logger LOG = System.getLogger(Renewals.class.getName());

  private final Requests requests;
  private final World world;
  private final Lease lease;
  private final Grants grants;
  private final Register register;
  private final Leader leader;
  private final Lives lives;
  private final Ledger ledger;

  Renewals(
      Requests requests,
      World world,
      Lease lease,
      Grants grants,
      Register register,
      Leader leader,
      Lives lives,
      Ledger ledger) {
    this.requests = requests;
    this.world = world;
    this.lease = lease;
    this.grants = grants;
    this.register = register;
    this.leader = leader;
    this.lives = lives;
    this.ledger = ledger;
  }

  /**
   * Asks some, the voters as a rule, for this node's lease; tells how far this node is. A voter
   * that has started again, and is to be admitted in this life yet, only tells.
   */
  void ask(Topology current, List<Member> voters) {
    Membership membership = current.membership();
    if (!membership.members().contains(requests.self()) && !membership.votes(requests.self())) {
      return;
    }
    long number = ledger.told(current);
    grants.heard(requests.self());
    Renewal renewal =
        new Renewal(
            world.clock().moment(),
            number,
            membership.votersSince(),
            lease.lasts(),
            register.leading(),
            lease.over(),
            register.pending());
    for (Member voter : voters) {
      for (Member life : lives.of(voter)) {
        if (!life.equals(requests.self())) {
          Output out = requests.message(Kind.RENEW);
          renewal.write(out);
          requests.post(life, out);
        }
      }
    }
    leader.adopted(requests.self(), number);
    leader.standing(requests.self(), lease.lasts(), register.leading());
    leader.undecided(requests.self(), register.pending() ? current.number() : 0);
  }

  /**
   * Somebody asks: who has not heard of the present topology is told. Returns whether it is a
   * member that is further than was known.
   */
  boolean shows(Topology current, Member from, Renewal its) {
    if (its.number() < current.number()) {
      register.tell(from, current);
    }
    return current.members().contains(from) && leader.adopted(from, its.number());
  }

  /** Grants what a member asks for, as far as this voter may. */
  void answer(Topology current, Member from, Renewal its) {
    Membership membership = current.membership();
    boolean isMember = membership.members().contains(from);
    if (!(isMember || membership.votes(from)) || !membership.votes(requests.self())) {
      return;
    }
    grants.heard(from);
    leader.standing(from, its.leased(), its.leading());
    leader.undecided(from, its.pending() ? its.number() : 0);
    if (its.over()) {
      grants.givenUp(from);
    }
    // Who does not know yet that it was excluded and admitted again may hold what is outdated.
    if (isMember
        && its.votersSince() == membership.votersSince()
        && its.number() >= membership.admission(from)
        && !register.bars(from)
        && !register.replacesVoters()) {
      Grants.Grant before = grants.grant(from, its.asked());
      Output out = requests.message(Kind.RENEWED);
      its.asked().write(out);
      out.writeLong(its.votersSince());
      // How much time has passed here since the request before: the member compares its own.
      out.writeBoolean(before != null);
      if (before != null) {
        before.asked().write(out);
        out.writeLong(grants.ageNanos(before));
      }
      leader.writeSilent(out, current);
      requests.post(from, out);
    }
  }

  /** A voter has granted. */
  void granted(Member from, Input in) {
    Moment asked = Moment.read(in);
    long votersSince = in.readLong();
    if (in.readBoolean()) {
      compareClocks(from, Moment.read(in), in.readLong());
    }
    boolean selfGrants = !register.replacesVoters() && !register.bars(requests.self());
    lease.granted(from, requests.self(), asked, votersSince, selfGrants);
    leader.readSilent(from, in);
  }

  private void compareClocks(Member voter, Moment asked, long votersNanos) {
    long missing = lease.compare(asked, votersNanos);
    if (missing > 0) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} has missed {1} ms that passed at {2}: its clocks stood still or are far too slow;"
              + " it answers nothing until its lease is renewed",
          requests.self(),
          TimeUnit.NANOSECONDS.toMillis(missing),
          voter);
    }
  }

  /**
   * Whether it is for this voter to take the lead: who was obeyed is silent or has no lease itself,
   * and so have all voters before this one.
   */
  boolean isToLead(Topology current) {
    List<Member> voters = current.membership().voters().stream().map(lives::latest).toList();
    for (Member voter : voters) {
      if (voter.id().equals(register.obeyed())
          && !voter.equals(requests.self())
          && answers(voter)
          && leader.leads(voter)) {
        return false;
      }
    }
    for (Member voter : voters) {
      if (voter.equals(requests.self())) {
        return true;
      }
      if (answers(voter)) {
        return false;
      }
    }
    return false;
  }

  /**
   * Whether it is for this voter to take the lead although it has started again and is no member in
   * this life: nobody else leads or could, for nobody has a lease, and all voters before this one
   * are silent.
   */
  boolean isToLeadAnew(Topology current) {
    List<Member> voters = current.membership().voters().stream().map(lives::latest).toList();
    if (voters.stream()
        .anyMatch(
            voter ->
                !voter.equals(requests.self())
                    && isHeard(voter)
                    && (leader.leased(voter) || leader.leads(voter)))) {
      return false;
    }
    return requests
        .self()
        .equals(
            voters.stream()
                .filter(voter -> voter.equals(requests.self()) || isHeard(voter))
                .findFirst()
                .orElse(null));
  }

  private boolean answers(Member voter) {
    return isHeard(voter) && leader.leased(voter);
  }

  private boolean isHeard(Member voter) {
    return grants.silence(voter) < Grants.WAIT_NANOS;
  }
}
