package io.cantle.core.operate;

import static io.cantle.core.replica.HandReplica.open;
import static io.cantle.core.replica.HandReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Decision;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.HandReplica;
import io.cantle.core.replica.Outcome;
import io.cantle.core.replica.Result;
import io.cantle.core.segment.KeyHash;
import io.cantle.function.SerializableBiFunction;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What takes code of the user's, step by step: threads start when the test says so. */
final class FunctionsTest {
  private static final UUID GRID = new UUID(1, 1);

  /** What the functions of these tests do before they return, and how often they ran. */
  private static Runnable meanwhile = () -> {};

  private static int runs;

  private final Codec codec =
      new Codec(
          AllowList.of(List.of(FunctionsTest.class.getPackageName())),
          FunctionsTest.class.getClassLoader());
  private final HandReplica a = new HandReplica("a");
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final Functions functions =
      new Functions(started::add, new UserCode(codec, new Conflicts(io.cantle.WhenCut.stop())));
  private final List<String> ends = new ArrayList<>();
  private long sequence;

  @BeforeEach
  void begin() {
    meanwhile = () -> {};
    runs = 0;
    open(ownership(1, a), a);
  }

  private static Integer slowSum(Integer left, Integer right) {
    runs++;
    meanwhile.run();
    return left + right;
  }

  private Operation apply(Apply.Kind kind, SerializableBiFunction<?, ?, ?> function, int added) {
    Output out = new Output(64);
    codec.encodeFunction(function, out);
    return new Apply(kind, Slice.of(out.toByteArray()), Slice.of(codec.encodeValue(added)));
  }

  private Operation sum(int added) {
    SerializableBiFunction<Integer, Integer, Integer> function = FunctionsTest::slowSum;
    return apply(Apply.Kind.MERGE, function, added);
  }

  private Operation put(int value) {
    return new Put(Slice.of(codec.encodeValue(value)), true);
  }

  private Slice key(String key) {
    return Slice.of(codec.encodeKey(key));
  }

  private Command command() {
    sequence++;
    return a.command(sequence, 1);
  }

  private Outcome execute(Command command, Slice key, Decision decision) {
    return (Outcome)
        a.replica.execute(
            () -> true,
            1,
            command,
            KeyHash.hash(HandReplica.SEED, key.bytes(), 0, key.length()),
            key.bytes(),
            0,
            key.length(),
            decision);
  }

  private void write(String key, Operation operation) {
    execute(
        command(),
        key(key),
        found -> {
          Effect effect = operation.decide(key(key), found);
          return effect == null ? Effect.none(Result.ABSENT) : effect;
        });
  }

  private void start(String key, Operation operation) {
    start(command(), key, operation);
  }

  private void start(Command command, String key, Operation operation) {
    Slice bytes = key(key);
    functions.start(
        GRID,
        a.replica,
        new Functions.Work(
            "cache",
            bytes,
            operation,
            decision -> execute(command, bytes, decision),
            outcome -> ends.add(text(outcome)),
            (seen, thrown) -> ends.add("threw " + thrown.getMessage() + " on " + text(seen)),
            () -> ends.add("refused")));
  }

  private String text(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Refused() -> "refused now";
      case Outcome.Forgotten() -> "forgotten";
      case Outcome.DiskFull() -> "disk full";
      case Outcome.InDoubt() -> "in doubt";
      case Outcome.Ignored() -> "ignored";
      case Outcome.Answer(int epoch, long index, Result result) -> "answer " + text(result);
      case Outcome.Written written -> "wrote " + text(written.item().result());
    };
  }

  private Object text(Result result) {
    return result.hasValue()
        ? codec.decodeValue(result.bytes(), result.offset(), result.length())
        : result == Result.ABSENT ? "-" : result.isTrue();
  }

  private void runAll() {
    for (Runnable next; (next = started.poll()) != null; ) {
      next.run();
    }
  }

  private String value(String key) {
    String[] found = new String[1];
    execute(
        command(),
        key(key),
        entry -> {
          found[0] = String.valueOf(text(Result.valueOf(entry)));
          return Effect.none(Result.ABSENT);
        });
    return found[0];
  }

  @Test
  void whatTheFunctionMakesIsWrittenAndAnswered() {
    write("k", put(5));
    start("k", sum(3));
    assertThat(ends).as("not on this thread").isEmpty();
    runAll();
    assertThat(ends).containsExactly("wrote 8");
    assertThat(value("k")).isEqualTo("8");
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void runsAgainWhenSomebodyWroteMeanwhile() {
    write("k", put(5));
    meanwhile =
        () -> {
          if (runs == 1) {
            write("k", put(100));
          }
        };
    start("k", sum(3));
    runAll();
    assertThat(ends).containsExactly("wrote 103");
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void anEqualValueWrittenMeanwhileIsAnotherVersion() {
    write("k", put(5));
    meanwhile =
        () -> {
          if (runs == 1) {
            write("k", put(5));
          }
        };
    start("k", sum(3));
    runAll();
    assertThat(ends).containsExactly("wrote 8");
    assertThat(runs).isEqualTo(2);
  }

  @Test
  void whoIsOvertakenAgainAndAgainIsRefused() {
    write("k", put(5));
    meanwhile = () -> write("k", put(5));
    start("k", sum(3));
    runAll();
    assertThat(ends).containsExactly("refused");
    assertThat(value("k")).isEqualTo("5");
    assertThat(runs).isBetween(2, 100);
  }

  @Test
  void commandsOnOneKeyGoOneAfterAnotherAndOthersBesideThem() {
    write("k", put(1));
    write("l", put(1));
    start("k", sum(10));
    start("k", sum(100));
    start("l", sum(1_000));
    assertThat(started).as("one thread for each key").hasSize(2);
    runAll();
    assertThat(ends).containsExactlyInAnyOrder("wrote 11", "wrote 111", "wrote 1001");
    assertThat(runs).as("nobody came between").isEqualTo(3);
  }

  @Test
  void aCommandThatCameTwiceRunsOnce() {
    write("k", put(1));
    Command command = command();
    start(command, "k", sum(10));
    start(command, "k", sum(10));
    runAll();
    assertThat(ends).containsExactly("wrote 11", "answer 11");
    start(command, "k", sum(10));
    runAll();
    assertThat(ends).hasSize(3).last().isEqualTo("answer 11");
    assertThat(runs).isEqualTo(1);
    assertThat(value("k")).isEqualTo("11");
  }

  @Test
  void nothingIsWrittenOnceTheEpochIsOver() {
    write("k", put(1));
    meanwhile = () -> open(ownership(2, a), a);
    start("k", sum(10));
    start("k", sum(100));
    runAll();
    assertThat(ends).containsExactly("forgotten", "forgotten");
    assertThat(runs).as("the second one was not begun").isEqualTo(1);
    assertThat(a.contents()).hasSize(1);
  }

  @Test
  void whatAFunctionThrowsIsToldAndNothingIsWritten() {
    write("k", put(1));
    meanwhile =
        () -> {
          throw new IllegalArgumentException("mine");
        };
    start("k", sum(10));
    runAll();
    meanwhile =
        () -> {
          throw new AssertionError("an error");
        };
    start("k", sum(10));
    start("k", sum(100));
    started.remove().run();
    meanwhile = () -> {};
    runAll();
    assertThat(ends)
        .containsExactly("threw mine on answer -", "threw an error on answer -", "wrote 101");
  }

  @Test
  void aFunctionThatCannotBeReadIsToldLikeOneThatThrows() {
    write("k", put(1));
    SerializableBiFunction<Integer, Integer, Integer> function = FunctionsTest::slowSum;
    Codec strict = new Codec(AllowList.of(List.of()), FunctionsTest.class.getClassLoader());
    Functions other =
        new Functions(Runnable::run, new UserCode(strict, new Conflicts(io.cantle.WhenCut.stop())));
    Slice bytes = key("k");
    Command command = command();
    other.start(
        GRID,
        a.replica,
        new Functions.Work(
            "cache",
            bytes,
            apply(Apply.Kind.COMPUTE, function, 1),
            decision -> execute(command, bytes, decision),
            outcome -> ends.add("no"),
            (seen, thrown) -> ends.add(String.valueOf(thrown.getMessage())),
            () -> ends.add("no")));
    assertThat(ends).singleElement().asString().contains("FunctionsTest", "allow");
    assertThat(runs).isZero();
  }

  @Test
  void beyondTheMostCommandsCallersAreRefused() {
    for (int i = 0; i < Functions.MAX_COMMANDS; i++) {
      start("k" + i % 10, sum(1));
    }
    assertThat(ends).isEmpty();
    start("k0", sum(1));
    start("other", sum(1));
    assertThat(ends).containsExactly("refused", "refused");
    ends.clear();
    runAll();
    assertThat(ends).hasSize(Functions.MAX_COMMANDS).doesNotContain("refused");
    start("k0", sum(1));
    assertThat(started).hasSize(1);
  }

  @Test
  void aFunctionMayNotWriteTheKeyItRunsFor() {
    write("k", put(1));
    List<String> found = new ArrayList<>();
    meanwhile =
        () -> {
          Functions.checkNotWithin(GRID, 0, 3, key("other"));
          Functions.checkNotWithin(new UUID(2, 2), 0, 3, key("k"));
          assertThatIllegalStateException()
              .isThrownBy(() -> Functions.checkNotWithin(GRID, 0, 3, key("k")))
              .withMessageContaining("the key it runs for");
          found.add("checked");
        };
    start("k", sum(10));
    runAll();
    Functions.checkNotWithin(GRID, 0, 3, key("k"));
    assertThat(found).containsExactly("checked");
    assertThat(ends).containsExactly("wrote 11");
  }

  @Test
  void aClosedNodeStartsNothingAndKeepsNothing() {
    Functions closed =
        new Functions(
            task -> {
              throw new RejectedExecutionException("closed");
            },
            new UserCode(codec, new Conflicts(io.cantle.WhenCut.stop())));
    Slice bytes = key("k");
    for (int i = 0; i < Functions.MAX_COMMANDS + 10; i++) {
      closed.start(
          GRID,
          a.replica,
          new Functions.Work(
              "cache",
              bytes,
              sum(1),
              decision -> new Outcome.Refused(),
              outcome -> ends.add("no"),
              (seen, thrown) -> ends.add("no"),
              () -> ends.add("refused")));
    }
    assertThat(ends).isEmpty();
  }

  @Test
  void aCopyWhoseTurnComesAfterItsMemberWasExcludedIsNotRun() {
    Command command = command();
    start(command, "k", sum(1));
    start("k", sum(10));
    start(command, "k", sum(1));
    started.remove().run();
    assertThat(ends).hasSize(1);
    // What the first copy did is forgotten while the second waits.
    meanwhile = () -> a.clientIsPresent(false);
    started.remove().run();
    started.remove().run();
    assertThat(ends.subList(1, 3)).containsExactly("forgotten", "forgotten");
    assertThat(runs).isEqualTo(1);
  }
}
