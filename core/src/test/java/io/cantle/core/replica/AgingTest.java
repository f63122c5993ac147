package io.cantle.core.replica;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static io.cantle.core.replica.HandReplica.send;
import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.container.Cursor;
import io.cantle.core.container.Deadline;
import io.cantle.core.container.Entry;
import io.cantle.core.container.Lifetime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How entries end: by a tick, at all copies alike, never early, whoever leads. */
class AgingTest {
  private static final Lifetime SECOND = new Lifetime(1_000, 0);

  private final HandReplica a = new HandReplica("a");
  private final HandReplica b = new HandReplica("b");
  private final HandReplica c = new HandReplica("c");

  private static void pass(long millis, HandReplica... all) {
    for (HandReplica one : all) {
      one.clock.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  private static Ordered tick(HandReplica primary) {
    return Objects.requireNonNull(primary.replica.aging().tick());
  }

  private static List<String> live(HandReplica replica) {
    return replica.contents().stream().filter(text -> !text.endsWith("-")).toList();
  }

  private static Entry entry(HandReplica replica, String key) {
    return Objects.requireNonNull(replica.peek(key).entry());
  }

  @Test
  void aTickEndsWhatIsDueAtAllCopiesAlikeAndIsDirtyUntilAllHaveIt() {
    open(ownership(1, a, b), a, b);
    send(a.put("short", "1", SECOND), b);
    send(a.put("long", "2", new Lifetime(60_000, 0)), b);
    send(a.written("forever", "3"), b);
    a.replica.acked(b.self, 1, 3);
    pass(1_000, a, b);
    assertThat(a.replica.aging().tick()).as("not early").isNull();
    pass(1, a, b);
    assertThat(b.replica.aging().isDue()).isTrue();
    assertThat(live(b)).as("a backup ends nothing").contains("short=1");
    Ordered tick = tick(a);
    assertThat(a.replica.count()).isEqualTo(new Count(2, 1, 4, false));
    assertThat(a.peek("short").status()).isEqualTo(Peek.Status.DIRTY);
    assertThat(entry(a, "short").tombstone()).isTrue();
    send(tick, b);
    assertThat(live(b)).containsExactlyInAnyOrder("long=2", "forever=3");
    assertThat(entry(b, "short").compareVersion(1, 4)).isZero();
    a.replica.acked(b.self, 1, 4);
    assertThat(a.peek("short").entry()).as("nobody needs the tombstone any more").isNull();
    assertThat(a.replica.aging().tick()).isNull();
  }

  @Test
  void whoTakesOverGoesOnWithTheTimeAndEndsNothingEarlyNorTwice() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", SECOND), b);
    pass(900, a, b);
    open(ownership(2, b), b);
    assertThat(b.replica.aging().tick()).isNull();
    pass(100, b);
    assertThat(b.replica.aging().tick()).isNull();
    pass(1, b);
    tick(b);
    assertThat(live(b)).isEmpty();
  }

  @Test
  void whatATickHasEndedAtOneSurvivorIsEndedAtAll() {
    open(ownership(1, a, b, c), a, b, c);
    Outcome.Written write = a.put("k", "1", SECOND);
    send(write, b);
    send(write, c);
    pass(1_001, a, b, c);
    send(tick(a), c);
    assertThat(live(b)).containsExactly("k=1");
    open(ownership(2, b, c), b, c);
    assertThat(live(b)).isEmpty();
    assertThat(live(c)).isEmpty();
    assertThat(b.replica.aging().segmentMillis()).isGreaterThanOrEqualTo(1_001);
  }

  @Test
  void whoseClockRanTooFastIsNotBelievedWhenItKnowsLess() {
    open(ownership(1, a, b, c), a, b, c);
    Outcome.Written first = a.put("old", "1", new Lifetime(100_000_000, 0));
    send(first, b);
    send(first, c);
    pass(100_000, a, b);
    pass(100_500, c);
    Outcome.Written second = a.put("new", "1", new Lifetime(100, 0));
    send(second, b);
    Log late = new Log(1, 1, 1, List.of(), c.replica.aging().segmentMillis());
    b.enter(ownership(2, b, c));
    c.enter(ownership(2, b, c));
    b.replica.takeOver(2, Map.of(c.self, late));
    b.replica.serve(2);
    assertThat(b.replica.aging().isDue()).isFalse();
    assertThat(b.replica.aging().segmentMillis()).isEqualTo(100_000);
  }

  @Test
  void whoKnowsOfALaterTimeFollowsAPrimaryThatDoesNot() {
    open(ownership(1, a, b), a, b);
    send(a.put("old", "1", new Lifetime(100_000, 0)), b);
    // What b is told of the time when it takes over was long under way.
    pass(400, a);
    open(ownership(2, b, a), a, b);
    a.clock.advance(TimeUnit.MILLISECONDS.toNanos(5_000));
    long behind = b.replica.aging().segmentMillis();
    assertThat(behind).isEqualTo(400);
    send(b.put("new", "1", SECOND), a);
    assertThat(a.replica.aging().segmentMillis()).isEqualTo(behind);
    open(ownership(3, a), a);
    pass(1_000, a);
    assertThat(a.replica.aging().tick()).as("a second has not passed").isNull();
    pass(1, a);
    tick(a);
  }

  @Test
  void whoHasComeAsFarIsBelieved() {
    open(ownership(1, a, b, c), a, b, c);
    Outcome.Written write = a.put("k", "1", SECOND);
    send(write, c);
    pass(400, a, b, c);
    // It comes late, and b believes that it was written now.
    send(write, b);
    assertThat(b.replica.aging().segmentMillis()).isZero();
    open(ownership(2, b, c), b, c);
    assertThat(b.replica.aging().segmentMillis()).isEqualTo(400);
  }

  @Test
  void whatATransferBringsThatHasEndedComesAsEnded() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", SECOND), b);
    send(a.put("l", "1", new Lifetime(5_000, 0)), b);
    a.replica.acked(b.self, 1, 2);
    open(ownership(2, List.of(a, b), List.of(c), 2), a, b, c);
    List<Entry> under = new ArrayList<>();
    for (String key : List.of("k", "l")) {
      Entry read = entry(a, key);
      under.add(Entry.of(read.hash(), read.bytes(), 1, 1, read.index(), false, 0, read.deadline()));
    }
    pass(1_001, a, b, c);
    Ordered tick = tick(a);
    send(tick, b);
    send(tick, c);
    assertThat(c.replica.transferred(2, 0, under, Cursor.END, a.replica.aging().segmentMillis()))
        .isEqualTo(Received.ADDED);
    assertThat(live(c)).containsExactly("l=1");
    assertThat(c.replica.entries().tombstoneCount()).isEqualTo(1);
    assertThat(c.replica.aging().segmentMillis()).isEqualTo(1_001);
  }

  @Test
  void aReadIsNotedOnlyNowAndThenAndOnlyOfWhatIsStillThere() {
    open(ownership(1, a, b), a, b);
    send(a.put("k", "1", new Lifetime(0, 800)), b);
    pass(100, a, b);
    assertThat(a.replica.aging().touch(entry(a, "k"))).isNull();
    pass(1, a, b);
    Entry read = entry(a, "k");
    Ordered touch = Objects.requireNonNull(a.replica.aging().touch(read));
    send(touch, b);
    assertThat(a.replica.aging().touch(read)).as("another version by now").isNull();
    pass(801, a, b);
    assertThat(a.replica.aging().tick()).isNull();
    assertThat(b.replica.aging().lives(entry(b, "k"))).as("its reads are noted").isFalse();
    pass(100, a, b);
    send(tick(a), b);
    assertThat(live(b)).isEmpty();
    assertThat(live(a)).isEmpty();
  }

  @Test
  void aWriteSetsTheLifetimeAnewAndNoClockIsLookedAtWithoutOne() {
    open(ownership(1, a), a);
    a.clock.whenLookedAt.add(
        () -> {
          throw new AssertionError("nothing ends here");
        });
    a.written("k", "1");
    assertThat(a.replica.aging().isDue()).isFalse();
    assertThat(a.replica.aging().tick()).isNull();
    assertThat(a.replica.aging().lives(entry(a, "k"))).isTrue();
    a.clock.whenLookedAt.clear();
    a.put("k", "2", SECOND);
    assertThat(a.replica.entries().earliestDeadline()).isEqualTo(1_001);
    pass(500, a);
    a.put("k", "3", SECOND);
    assertThat(a.replica.entries().earliestDeadline()).isEqualTo(1_501);
    a.written("k", "4");
    assertThat(a.replica.entries().earliestDeadline()).isEqualTo(Deadline.NEVER);
  }

  @Test
  void theTimeOfDayIsNoMatter() {
    open(ownership(1, a), a);
    a.put("k", "1", SECOND);
    a.clock.wallOffsetMillis = TimeUnit.HOURS.toMillis(1);
    pass(1_000, a);
    assertThat(a.replica.aging().isDue()).isFalse();
    a.clock.wallOffsetMillis = -TimeUnit.HOURS.toMillis(1);
    pass(1, a);
    assertThat(a.replica.aging().isDue()).isTrue();
  }

  @Test
  void ticksTouchesAndEntriesThatEndAreReadAsTheyWereWritten() {
    open(ownership(1, a), a);
    Item.Write write = a.put("k", "1", new Lifetime(1_000, 500)).item();
    Item read = HandReplica.carried(List.of(write)).getFirst();
    assertThat(((Item.Write) read).entry().deadline()).isEqualTo(write.entry().deadline());
    assertThat(read.segmentMillis()).isZero();
    pass(70, a);
    Item touch = Objects.requireNonNull(a.replica.aging().touch(entry(a, "k"))).item();
    Item.Touch touched = (Item.Touch) HandReplica.carried(List.of(touch)).getFirst();
    assertThat(touched.entry().deadline()).isEqualTo(new Deadline(1_001, 500, 70));
    assertThat(touched.segmentMillis()).isEqualTo(70);
    assertThat(HandReplica.value(touched.entry())).isEqualTo("1");
    Item.Tick tick = new Item.Tick(1, 9, 12_345);
    assertThat(HandReplica.carried(List.of(tick))).containsExactly(tick);
  }
}
