package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.GridException;
import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.transport.ResponseHandler;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.ScanTarget;
import io.cantle.core.wire.TransferRequest;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** Tests what an owner answers to a pull, and where it stops. */
final class ScanServerTest {
  private final ScanFixture rig = new ScanFixture(2);

  /** The size of the next entry, which was too long. */
  private int oversizedBytes;

  /** The cursors between the blocks of a segment. */
  private final List<SegmentCursor> blockEnds = new ArrayList<>();

  private static final class Failing implements TaskInterpreter {
    @Override
    public Reduction readReduction(byte[] task) {
      throw new UnsupportedOperationException("no reductions here");
    }

    @Override
    public Transformation readTransformation(byte[] task) {
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
  private record SegmentAnswer(
      int segment, int count, int length, int outcome, SegmentCursor cursor) {}

  /** What the owner said, and what its node was told, in order. */
  private final List<String> told = new ArrayList<>();

  private final List<Input> answers = new ArrayList<>();
  private ScanServer scanServer = rig.scanServer;

  private Input ask(PullRequest pull) {
    askThrough(number -> rig.receive(scanServer, number, pull));
    assertThat(answers).hasSize(1);
    return answers.remove(0);
  }

  private void askThrough(LongConsumer request) {
    long number =
        rig.messaging.register(
            new ResponseHandler() {
              @Override
              public void onResponse(Member from, Input body) {
                told.add("answer");
                answers.add(body);
              }

              @Override
              public void wake() {}
            });
    request.accept(number);
    rig.messaging.unregister(number);
  }

  private List<SegmentAnswer> pull(
      int bytes, int elements, PullRequest.EntryPart part, SegmentCursor... cursors) {
    List<ScanTarget> wants = new ArrayList<>();
    for (int segment = 0; segment < cursors.length; segment++) {
      wants.add(new ScanTarget(segment, cursors[segment]));
    }
    Input in = ask(new PullRequest(0, part, null, bytes, false, elements, false, wants));
    assertThat(in.readByte()).isEqualTo(ScanStatus.OK);
    List<SegmentAnswer> told = new ArrayList<>();
    int count = 0;
    int length = 0;
    for (long named = in.readVarint(); named != 0; named = in.readVarint()) {
      count += in.readInt();
      int blockLength = in.readInt();
      length += blockLength;
      in.skip(blockLength);
      int outcome = in.readByte();
      if (outcome == ScanStatus.BLOCK_ENDS) {
        blockEnds.add(SegmentCursor.read(in));
        continue;
      }
      if (outcome == ScanStatus.OVERSIZED) {
        oversizedBytes = (int) in.readVarint();
      }
      boolean goesOn =
          outcome == ScanStatus.MORE
              || outcome == ScanStatus.DIRTY
              || outcome == ScanStatus.OVERSIZED;
      told.add(
          new SegmentAnswer(
              (int) named - 1,
              count,
              length,
              outcome,
              goesOn ? SegmentCursor.read(in) : SegmentCursor.END));
      count = 0;
      length = 0;
    }
    assertThat(in.remaining()).isZero();
    return told;
  }

  @Test
  void pullWithinItsBudgetsReturnsEverything() {
    for (int i = 0; i < 30; i++) {
      write(i % 2, "k" + i, 10);
    }
    List<SegmentAnswer> told =
        pull(1 << 20, 1_000, PullRequest.EntryPart.ENTRY, SegmentCursor.START, SegmentCursor.START);
    assertThat(told)
        .extracting(SegmentAnswer::outcome)
        .containsExactly(ScanStatus.DONE, ScanStatus.DONE);
    assertThat(told).extracting(SegmentAnswer::count).containsExactly(15, 15);
  }

  @Test
  void pullEndsAtItsByteBudget() {
    for (int i = 0; i < 30; i++) {
      write(0, "k" + i, 1_000);
    }
    List<SegmentAnswer> told =
        pull(5_000, 1_000, PullRequest.EntryPart.ENTRY, SegmentCursor.START, SegmentCursor.START);
    assertThat(told).hasSize(1);
    assertThat(told.getFirst().outcome()).isEqualTo(ScanStatus.MORE);
    assertThat(told.getFirst().count()).isEqualTo(4);
    assertThat(told.getFirst().length()).isBetween(4_000, 5_000);
  }

  @Test
  void elementsComeInBlocksThatSayWhereTheNextBegins() {
    for (int i = 0; i < 100; i++) {
      write(0, "k" + i, 200);
    }
    List<SegmentAnswer> told =
        pull(1 << 20, 1_000, PullRequest.EntryPart.VALUE, SegmentCursor.START);
    assertThat(told).extracting(SegmentAnswer::count).containsExactly(100);
    assertThat(blockEnds).hasSizeBetween(4, 5);
    List<SegmentAnswer> rest =
        pull(1 << 20, 1_000, PullRequest.EntryPart.VALUE, blockEnds.getLast());
    assertThat(rest.getFirst().length()).isLessThanOrEqualTo(4 << 10);
    assertThat(rest.getFirst().count()).isBetween(1, 20);
  }

  @Test
  void aLongElementHasABlockOfItsOwn() {
    write(0, "short", 10);
    write(0, "long", 20_000);
    write(0, "other", 10);
    pull(1 << 20, 1_000, PullRequest.EntryPart.ENTRY, SegmentCursor.START);
    assertThat(blockEnds).isNotEmpty();
  }

  @Test
  void oversizedEntryIsAnnouncedByLengthOnly() {
    write(0, "k", 6_000);
    List<SegmentAnswer> told = pull(5_000, 1_000, PullRequest.EntryPart.VALUE, SegmentCursor.START);
    assertThat(told)
        .containsExactly(new SegmentAnswer(0, 0, 0, ScanStatus.OVERSIZED, SegmentCursor.START));
    assertThat(oversizedBytes).isEqualTo(6_002);
    // The entry alone would fit into the pull, but not with the rest of the pull.
    told = pull(6_002, 1_000, PullRequest.EntryPart.VALUE, SegmentCursor.START);
    assertThat(told).extracting(SegmentAnswer::outcome).containsExactly(ScanStatus.OVERSIZED);
    assertThat(pull(6_100, 1_000, PullRequest.EntryPart.VALUE, SegmentCursor.START))
        .extracting(SegmentAnswer::count)
        .containsExactly(1);
  }

  @Test
  void oversizedEntryWaitsInLineForItsMemory() {
    write(0, "k", 6_000);
    long others = rig.answerMemory.limitBytes() - 5_500;
    rig.answerMemory.reserve(others);
    rig.clock.schedule(TimeUnit.SECONDS.toNanos(1), () -> rig.answerMemory.release(others));
    Input in =
        ask(
            new PullRequest(
                0,
                PullRequest.EntryPart.VALUE,
                null,
                5_000,
                true,
                10,
                false,
                List.of(new ScanTarget(0, SegmentCursor.START))));
    assertThat(in.readByte()).isEqualTo(ScanStatus.OK);
    assertThat(in.readVarint()).isEqualTo(1);
    assertThat(in.readInt()).as("elements").isEqualTo(1);
    assertThat(rig.answerMemory.reservedBytes()).isZero();
  }

  @Test
  void pullEndsAtItsElementBudgetAndResumesAtItsCursor() {
    for (int i = 0; i < 30; i++) {
      write(0, "k" + i, 1);
    }
    int count = 0;
    SegmentCursor cursor = SegmentCursor.START;
    for (int pulls = 0; pulls < 5; pulls++) {
      List<SegmentAnswer> told = pull(1 << 20, 7, PullRequest.EntryPart.KEY, cursor);
      assertThat(told).hasSize(1);
      count += told.getFirst().count();
      cursor = told.getFirst().cursor();
      assertThat(told.getFirst().count()).isEqualTo(pulls < 4 ? 7 : 2);
      assertThat(told.getFirst().outcome())
          .isEqualTo(pulls < 4 ? ScanStatus.MORE : ScanStatus.DONE);
    }
    assertThat(count).isEqualTo(30);
  }

  @Test
  void onlyTheRequestedPartIsSent() {
    write(0, "key", 1_000);
    assertThat(pull(1 << 20, 9, PullRequest.EntryPart.KEY, SegmentCursor.START).getFirst().length())
        .isEqualTo(4);
    assertThat(
            pull(1 << 20, 9, PullRequest.EntryPart.VALUE, SegmentCursor.START).getFirst().length())
        .isEqualTo(1_002);
    assertThat(
            pull(1 << 20, 9, PullRequest.EntryPart.ENTRY, SegmentCursor.START).getFirst().length())
        .isEqualTo(1_006);
  }

  @Test
  void absentSegmentIsRefusedAndOthersAreAnswered() {
    write(1, "key", 1);
    Input in =
        ask(
            new PullRequest(
                0,
                PullRequest.EntryPart.KEY,
                null,
                1_000,
                false,
                10,
                false,
                List.of(
                    new ScanTarget(77, SegmentCursor.START),
                    new ScanTarget(1, SegmentCursor.START))));
    assertThat(in.readByte()).isEqualTo(ScanStatus.OK);
    assertThat(in.readVarint()).isEqualTo(78);
    assertThat(in.readLong()).as("count and length").isZero();
    assertThat(in.readByte()).isEqualTo(ScanStatus.ABSENT);
    assertThat(in.readVarint()).isEqualTo(2);
    assertThat(in.readInt()).isEqualTo(1);
  }

  private Input askWithFunction() {
    return askWith(new Failing());
  }

  private Input askWith(TaskInterpreter interpreter) {
    rig.taskInterpreter = interpreter;
    return ask(
        new PullRequest(
            0,
            PullRequest.EntryPart.KEY,
            new byte[1],
            1_000,
            false,
            10,
            false,
            List.of(new ScanTarget(0, SegmentCursor.START))));
  }

  @Test
  void functionExceptionIsReturnedToTheCaller() {
    write(0, "key", 1);
    Input in = askWithFunction();
    assertThat(in.readByte()).isEqualTo(ScanStatus.FAILED);
    assertThat(in.readString()).isEqualTo("self");
    assertThat(ThrowableCodec.read(in))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("a user's mistake");
  }

  @Test
  void functionErrorIsReturnedToTheCaller() {
    write(0, "k", 1);
    Input in = askWithFunction();
    assertThat(in.readByte()).isEqualTo(ScanStatus.FAILED);
    assertThat(in.readString()).isEqualTo("self");
    assertThat(ThrowableCodec.read(in)).hasToString("java.lang.AssertionError: a user's assertion");
  }

  private Input askWithFunctionThatLacksMemory(long heapBytes, String message) {
    scanServer =
        rig.newScanServer(
            new Environment(
                rig.clock,
                Runnable::run,
                Runnable::run,
                new Random(1),
                2,
                heapBytes,
                Arena::ofShared,
                error -> told.add("node told")));
    write(0, "k", 1);
    ScanFixture.Counting failing =
        rig.counting(
            entry -> {
              throw new OutOfMemoryError(message);
            });
    try {
      return askWith(failing);
    } catch (OutOfMemoryError e) {
      // Thrown to the thread the node started, which is this one.
      return answers.getFirst();
    }
  }

  @Test
  void functionThatFillsTheHeapIsAnsweredBeforeTheNodeIsTold() {
    Input in = askWithFunctionThatLacksMemory(1, "Java heap space");
    assertThat(in.readByte()).isEqualTo(ScanStatus.FAILED);
    assertThat(in.readString()).isEqualTo("self");
    assertThat(ThrowableCodec.read(in)).hasMessageContaining("filled the heap");
    assertThat(told).containsExactly("answer", "node told");
  }

  @Test
  void oneArrayTooLargeIsTheFunctionsOwn() {
    for (String message : List.of("Requested array size exceeds VM limit", "Java heap space")) {
      answers.clear();
      told.clear();
      Input in =
          askWithFunctionThatLacksMemory(message.startsWith("Java") ? Long.MAX_VALUE : 1, message);
      assertThat(in.readByte()).isEqualTo(ScanStatus.FAILED);
      assertThat(in.readString()).isEqualTo("self");
      assertThat(ThrowableCodec.read(in)).hasMessage(message);
      assertThat(told).containsExactly("answer");
    }
  }

  @Test
  void pullPassesAConstantlyRewrittenKey() {
    Member backup = ManualNetwork.member("backup");
    rig.owners = List.of(rig.self, backup);
    rig.move();
    write(0, "k", 1);
    write(0, "hot", 1);
    for (int index = 1; index <= 100; index++) {
      int upTo = index;
      rig.clock.whileParked.add(
          () -> {
            // There is always another write before the last one is committed.
            write(0, "hot", 1);
            rig.replica(0).onAck(backup, 2, upTo);
            rig.replica(0).performEffects();
          });
    }
    List<SegmentAnswer> told = pull(1 << 20, 1_000, PullRequest.EntryPart.KEY, SegmentCursor.START);
    assertThat(told).extracting(SegmentAnswer::outcome).containsExactly(ScanStatus.DONE);
    assertThat(told).extracting(SegmentAnswer::count).containsExactly(2);
    assertThat(rig.clock.whileParked).as("one wait for each key").hasSizeGreaterThan(90);
  }

  private Input askMalformed(MessageKind kind) {
    Output out = new Output(64);
    out.writeLong(rig.driver.current().number());
    out.writeVarint(0);
    out.writeVarint(-1);
    askThrough(number -> scanServer.onRequest(kind, rig.self, number, out.toInput()));
    return answers.removeFirst();
  }

  @Test
  void requestThatCannotBeDecodedIsAnswered() {
    for (MessageKind kind :
        List.of(MessageKind.PULL, MessageKind.REDUCE, MessageKind.COUNT, MessageKind.TRANSFER)) {
      Input in = askMalformed(kind);
      int status = in.readByte();
      assertThat(status).as(kind.name()).isEqualTo(ScanStatus.UNREADABLE);
      assertThatThrownBy(() -> ScanRequest.throwFailure(ScanFailure.read(status, in)))
          .isInstanceOf(GridException.class)
          .hasMessageContaining("node self cannot decode what it needs for this call");
    }
    assertThat(rig.metrics.figures().running()).isZero();
  }

  @Test
  void refusedRequestIsNotDecoded() {
    startAsManyPullsAsAllowed();
    assertThat(askMalformed(MessageKind.PULL).readByte()).isEqualTo(ScanStatus.REFUSED);
  }

  @Test
  void scansDoNotHoldUpTransfers() {
    startAsManyPullsAsAllowed();
    long running = rig.metrics.figures().running();
    int started = rig.started.size();
    rig.receive(
        scanServer,
        2_000_000,
        new TransferRequest(rig.replica(0).segmentEpoch(1), SegmentCursor.START));
    assertThat(rig.started).hasSize(started + 1);
    assertThat(rig.metrics.figures().running()).as("scans").isEqualTo(running);
  }

  private void startAsManyPullsAsAllowed() {
    rig.startsAtOnce = false;
    for (int i = 0; i < RunningScans.MAX_REQUESTS; i++) {
      rig.receive(
          scanServer,
          1_000_000 + i,
          new PullRequest(0, PullRequest.EntryPart.KEY, null, 1, false, 1, false, List.of()));
    }
  }
}
