package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.container.Cursor;
import io.cantle.core.operate.Thrown;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Waiting;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an owner answers to a pull, and where it stops. */
final class SourceTest {
  private final ScanRig rig = new ScanRig(2);

  /** What the next entry takes that was too long. */
  private int longNext;

  /** Where the blocks within segments ended. */
  private final List<Cursor> blockEnds = new ArrayList<>();

  private static final class Failing implements Tasks {
    @Override
    public Reduction reduction(byte[] task) {
      throw new UnsupportedOperationException("no reductions here");
    }

    @Override
    public Transformation transformation(byte[] task) {
      return (out, scan) ->
          scan.accept(
              entry -> {
                if (entry.keyLength() == 1) {
                  throw new AssertionError("a user's assertion");
                }
                throw new IllegalStateException("a user's mistake");
              });
    }
  }

  private void write(int segment, String key, int valueLength) {
    rig.write(segment, key, valueLength);
  }

  /** What was answered about a segment. */
  private record Told(int segment, int count, int length, int outcome, Cursor cursor) {}

  private Input ask(Pull pull) {
    List<Input> answers = new ArrayList<>();
    long number =
        rig.requests.register(
            new Waiting() {
              @Override
              public void answered(Member from, Input body) {
                answers.add(body);
              }

              @Override
              public void wake() {}
            });
    Output out = new Output(64);
    out.writeLong(rig.keeper.current().number());
    out.writeVarint(number);
    pull.write(out);
    rig.source.came(Kind.PULL, rig.self, number, out.toInput());
    rig.requests.forget(number);
    assertThat(answers).hasSize(1);
    return answers.getFirst();
  }

  private List<Told> pull(int bytes, int elements, Scans.Part part, Cursor... cursors) {
    List<Want> wants = new ArrayList<>();
    for (int segment = 0; segment < cursors.length; segment++) {
      wants.add(new Want(segment, cursors[segment]));
    }
    Input in = ask(new Pull(0, part, null, bytes, false, elements, false, wants));
    assertThat(in.readByte()).isEqualTo(Outcome.OK);
    List<Told> told = new ArrayList<>();
    int count = 0;
    int length = 0;
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      count += in.readInt();
      int blockLength = in.readInt();
      length += blockLength;
      in.skip(blockLength);
      int outcome = in.readByte();
      if (outcome == Outcome.BLOCK_ENDS) {
        blockEnds.add(Cursor.read(in));
        continue;
      }
      if (outcome == Outcome.LONG) {
        longNext = (int) in.readVarint();
      }
      boolean goesOn =
          outcome == Outcome.MORE || outcome == Outcome.DIRTY || outcome == Outcome.LONG;
      told.add(
          new Told((int) named - 1, count, length, outcome, goesOn ? Cursor.read(in) : Cursor.END));
      count = 0;
      length = 0;
    }
    assertThat(in.remaining()).isZero();
    return told;
  }

  @Test
  void aPullWithinItsBudgetsTellsAll() {
    for (int i = 0; i < 30; i++) {
      write(i % 2, "k" + i, 10);
    }
    List<Told> told = pull(1 << 20, 1_000, Scans.Part.ENTRY, Cursor.START, Cursor.START);
    assertThat(told).extracting(Told::outcome).containsExactly(Outcome.DONE, Outcome.DONE);
    assertThat(told).extracting(Told::count).containsExactly(15, 15);
  }

  @Test
  void aPullEndsWhenItsBytesAreUsed() {
    for (int i = 0; i < 30; i++) {
      write(0, "k" + i, 1_000);
    }
    List<Told> told = pull(5_000, 1_000, Scans.Part.ENTRY, Cursor.START, Cursor.START);
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().outcome()).isEqualTo(Outcome.MORE);
    assertThat(told.getFirst().count()).isEqualTo(4);
    assertThat(told.getFirst().length()).isBetween(4_000, 5_000);
  }

  @Test
  void elementsComeInBlocksThatSayWhereTheNextBegins() {
    for (int i = 0; i < 100; i++) {
      write(0, "k" + i, 200);
    }
    List<Told> told = pull(1 << 20, 1_000, Scans.Part.VALUE, Cursor.START);
    assertThat(told).extracting(Told::count).containsExactly(100);
    assertThat(blockEnds).hasSizeBetween(4, 5);
    List<Told> rest = pull(1 << 20, 1_000, Scans.Part.VALUE, blockEnds.getLast());
    assertThat(rest.getFirst().length()).isLessThanOrEqualTo(4 << 10);
    assertThat(rest.getFirst().count()).isBetween(1, 20);
  }

  @Test
  void aLongElementHasABlockOfItsOwn() {
    write(0, "short", 10);
    write(0, "long", 20_000);
    write(0, "other", 10);
    pull(1 << 20, 1_000, Scans.Part.ENTRY, Cursor.START);
    assertThat(blockEnds).isNotEmpty();
  }

  @Test
  void anEntryThatIsLongerThanThePullIsNotSentButItsLengthIs() {
    write(0, "k", 6_000);
    List<Told> told = pull(5_000, 1_000, Scans.Part.VALUE, Cursor.START);
    assertThat(told).containsExactly(new Told(0, 0, 0, Outcome.LONG, Cursor.START));
    assertThat(longNext).isEqualTo(6_002);
    // It takes no more than the pull, but not with what a pull says besides.
    told = pull(6_002, 1_000, Scans.Part.VALUE, Cursor.START);
    assertThat(told).extracting(Told::outcome).containsExactly(Outcome.LONG);
    assertThat(pull(6_100, 1_000, Scans.Part.VALUE, Cursor.START))
        .extracting(Told::count)
        .containsExactly(1);
  }

  @Test
  void aPullEndsWhenItsElementsAreUsedAndGoesOnAtItsCursor() {
    for (int i = 0; i < 30; i++) {
      write(0, "k" + i, 1);
    }
    int count = 0;
    Cursor cursor = Cursor.START;
    for (int pulls = 0; pulls < 5; pulls++) {
      List<Told> told = pull(1 << 20, 7, Scans.Part.KEY, cursor);
      assertThat(told).hasSize(1);
      count += told.getFirst().count();
      cursor = told.getFirst().cursor();
      assertThat(told.getFirst().count()).isEqualTo(pulls < 4 ? 7 : 2);
      assertThat(told.getFirst().outcome()).isEqualTo(pulls < 4 ? Outcome.MORE : Outcome.DONE);
    }
    assertThat(count).isEqualTo(30);
  }

  @Test
  void onlyThePartThatIsWantedIsSent() {
    write(0, "key", 1_000);
    assertThat(pull(1 << 20, 9, Scans.Part.KEY, Cursor.START).getFirst().length()).isEqualTo(4);
    assertThat(pull(1 << 20, 9, Scans.Part.VALUE, Cursor.START).getFirst().length())
        .isEqualTo(1_002);
    assertThat(pull(1 << 20, 9, Scans.Part.ENTRY, Cursor.START).getFirst().length())
        .isEqualTo(1_006);
  }

  @Test
  void aSegmentThatIsNotHereIsRefusedAndTheOthersTold() {
    write(1, "key", 1);
    Input in =
        ask(
            new Pull(
                0,
                Scans.Part.KEY,
                null,
                1_000,
                false,
                10,
                false,
                List.of(new Want(77, Cursor.START), new Want(1, Cursor.START))));
    assertThat(in.readByte()).isEqualTo(Outcome.OK);
    assertThat(in.readVarint()).isEqualTo(78);
    assertThat(in.readLong()).as("count and length").isZero();
    assertThat(in.readByte()).isEqualTo(Outcome.ABSENT);
    assertThat(in.readVarint()).isEqualTo(2);
    assertThat(in.readInt()).isEqualTo(1);
  }

  private Input askWithFunction() {
    rig.tasks = new Failing();
    return ask(
        new Pull(
            0,
            Scans.Part.KEY,
            new byte[1],
            1_000,
            false,
            10,
            false,
            List.of(new Want(0, Cursor.START))));
  }

  @Test
  void aFunctionThatThrowsIsToldToWhoAsked() {
    write(0, "key", 1);
    Input in = askWithFunction();
    assertThat(in.readByte()).isEqualTo(Outcome.FAILED);
    assertThat(in.readString()).isEqualTo("self");
    assertThat(Thrown.read(in))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a user's mistake");
  }

  @Test
  void anErrorOfAFunctionIsToldToWhoAsked() {
    write(0, "k", 1);
    Input in = askWithFunction();
    assertThat(in.readByte()).isEqualTo(Outcome.FAILED);
    assertThat(in.readString()).isEqualTo("self");
    assertThat(Thrown.read(in)).hasToString("java.lang.AssertionError: a user's assertion");
  }

  @Test
  void aPullGetsPastAKeyThatIsWrittenAgainAndAgain() {
    Member backup = HandNetwork.member("backup");
    rig.owners = List.of(rig.self, backup);
    rig.move();
    write(0, "k", 1);
    write(0, "hot", 1);
    for (int index = 1; index <= 100; index++) {
      int upTo = index;
      rig.clock.whileParked.add(
          () -> {
            // Always another one before the last is committed.
            write(0, "hot", 1);
            rig.replica(0).acked(backup, 2, upTo);
          });
    }
    List<Told> told = pull(1 << 20, 1_000, Scans.Part.KEY, Cursor.START);
    assertThat(told).extracting(Told::outcome).containsExactly(Outcome.DONE);
    assertThat(told).extracting(Told::count).containsExactly(2);
    assertThat(rig.clock.whileParked).as("one wait for each key").hasSizeGreaterThan(90);
  }
}
