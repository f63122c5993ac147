package io.cantle.core.operation;

import static io.cantle.core.replica.ManualReplica.open;
import static io.cantle.core.replica.ManualReplica.ownership;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.Environment;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.ManualClock;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.replica.CommandDecision;
import io.cantle.core.replica.CommandEffect;
import io.cantle.core.replica.CommandId;
import io.cantle.core.replica.CommandOutcome;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.replica.WriteRefusal;
import io.cantle.core.segment.KeyHash;
import io.cantle.function.SerializableBiFunction;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the execution of user code step by step: threads start when the test says so. */
final class FunctionExecutorTest {
  private static final UUID GRID = new UUID(1, 1);

  /** What the functions of these tests do before they return, and how often they ran. */
  private static Runnable meanwhile = () -> {};

  private static int runs;

  private final Codec codec =
      new Codec(
          ClassAllowList.of(List.of(FunctionExecutorTest.class.getPackageName())),
          FunctionExecutorTest.class.getClassLoader());
  private final ManualClock clock = new ManualClock();
  private final ManualReplica a = new ManualReplica("a");
  private final ArrayDeque<Runnable> started = new ArrayDeque<>();
  private final List<String> ends = new ArrayList<>();
  private FunctionExecutor functionExecutor =
      new FunctionExecutor(
          environment(started::add, Long.MAX_VALUE),
          new FunctionEvaluator(codec, new ConflictResolver(io.cantle.WhenCut.stop())));
  private long sequence;

  @BeforeEach
  void begin() {
    meanwhile = () -> {};
    runs = 0;
    open(ownership(1, a), a);
  }

  private Environment environment(Executor threads, long heapBytes) {
    return new Environment(
        clock,
        threads,
        threads,
        new Random(1),
        2,
        heapBytes,
        Arena::ofShared,
        error -> ends.add("node told"));
  }

  private static Integer slowSum(Integer left, Integer right) {
    runs++;
    meanwhile.run();
    return left + right;
  }

  private Operation apply(
      ApplyFunction.FunctionKind kind, SerializableBiFunction<?, ?, ?> function, int added) {
    Output out = new Output(64);
    codec.encodeFunction(function, out);
    return new ApplyFunction(
        kind,
        ByteSlice.of(out.toByteArray()),
        ByteSlice.of(codec.encodeValue(added)),
        FunctionChain.NONE);
  }

  private Operation sum(int added) {
    SerializableBiFunction<Integer, Integer, Integer> function = FunctionExecutorTest::slowSum;
    return apply(ApplyFunction.FunctionKind.MERGE, function, added);
  }

  private Operation put(int value) {
    return new Put(ByteSlice.of(codec.encodeValue(value)), true);
  }

  private ByteSlice key(String key) {
    return ByteSlice.of(codec.encodeKey(key));
  }

  private CommandId command() {
    sequence++;
    return a.command(sequence, 1);
  }

  private CommandOutcome execute(CommandId command, ByteSlice key, CommandDecision decision) {
    return (CommandOutcome)
        a.replica.execute(
            () -> true, 1, command, hash(key), key.bytes(), 0, key.length(), decision);
  }

  private void write(String key, Operation operation) {
    execute(
        command(),
        key(key),
        found -> {
          CommandEffect effect = operation.decide(key(key), found);
          return effect == null ? CommandEffect.none(OperationResult.ABSENT) : effect;
        });
  }

  private void start(String key, Operation operation) {
    start(command(), key, operation);
  }

  private void start(CommandId command, String key, Operation operation) {
    start(command, key, operation, false);
  }

  private static long hash(ByteSlice key) {
    return KeyHash.hash(ManualReplica.SEED, key.bytes(), 0, key.length());
  }

  private void start(CommandId command, String key, Operation operation, boolean isLastAttempt) {
    ByteSlice bytes = key(key);
    functionExecutor.submit(
        GRID,
        a.replica,
        new FunctionExecutor.FunctionCall(
            "cache",
            bytes,
            operation,
            FunctionChain.NONE.plus(GRID, 0, hash(bytes)),
            () -> isLastAttempt,
            decision -> execute(command, bytes, decision),
            outcome -> ends.add(text(outcome)),
            (seen, thrown) -> ends.add("threw " + thrown.getMessage() + " on " + text(seen)),
            () -> ends.add("refused")));
  }

  private String text(CommandOutcome outcome) {
    return switch (outcome) {
      case CommandOutcome.Refused() -> "refused now";
      case CommandOutcome.Forgotten() -> "forgotten";
      case CommandOutcome.NoRoom(WriteRefusal refusal) -> "no room: " + refusal.shortage();
      case CommandOutcome.InDoubt() -> "in doubt";
      case CommandOutcome.Ignored() -> "ignored";
      case CommandOutcome.ResultOnly(int epoch, long index, OperationResult result) ->
          "answer " + text(result);
      case CommandOutcome.Written written -> "wrote " + text(written.write().result());
    };
  }

  private Object text(OperationResult result) {
    return result.hasValue()
        ? codec.decodeValue(result.bytes(), result.offset(), result.length())
        : result.equals(OperationResult.ABSENT) ? "-" : result.isTrue();
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
          found[0] = String.valueOf(text(OperationResult.valueOf(entry)));
          return CommandEffect.none(OperationResult.ABSENT);
        });
    return found[0];
  }

  @Test
  void functionResultIsWrittenAndReturned() {
    write("k", put(5));
    start("k", sum(3));
    assertThat(ends).as("the function does not run on this thread").isEmpty();
    runAll();
    assertThat(ends).containsExactly("wrote 8");
    assertThat(value("k")).isEqualTo("8");
    assertThat(runs).isEqualTo(1);
  }

  @Test
  void rerunsAfterAConcurrentWrite() {
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
  void concurrentWriteOfAnEqualValueForcesARerun() {
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
  void refusesAfterTooManyConcurrentWrites() {
    write("k", put(5));
    meanwhile = () -> write("k", put(5));
    start("k", sum(3));
    runAll();
    assertThat(ends).containsExactly("refused");
    assertThat(value("k")).isEqualTo("5");
    assertThat(runs).isBetween(2, 100);
  }

  @Test
  void failsWhenItsLastAttemptIsOvertakenToo() {
    write("k", put(5));
    meanwhile = () -> write("k", put(6));
    CommandId command = command();
    start(command, "k", sum(3), true);
    runAll();
    assertThat(ends).singleElement().asString().contains("threw " + FunctionExecutor.OVERTAKEN);
    assertThat(value("k")).isEqualTo("6");
    assertThat(runs).isBetween(2, 100);
    meanwhile = () -> {};
    start(command, "k", sum(3));
    runAll();
    assertThat(value("k")).as("it arrives once more").isEqualTo("6");
  }

  @Test
  void commandsOnOneKeyRunSeriallyAndOthersInParallel() {
    write("k", put(1));
    write("l", put(1));
    start("k", sum(10));
    start("k", sum(100));
    start("l", sum(1_000));
    assertThat(started).as("there is one thread for each key").hasSize(2);
    runAll();
    assertThat(ends).containsExactlyInAnyOrder("wrote 11", "wrote 111", "wrote 1001");
    assertThat(runs).as("no other write came between").isEqualTo(3);
  }

  @Test
  void duplicateCommandRunsOnce() {
    write("k", put(1));
    CommandId command = command();
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
  void nothingIsWrittenAfterTheEpochEnds() {
    write("k", put(1));
    meanwhile = () -> open(ownership(2, a), a);
    start("k", sum(10));
    start("k", sum(100));
    runAll();
    assertThat(ends).containsExactly("forgotten", "forgotten");
    assertThat(runs).as("the second command was not started").isEqualTo(1);
    assertThat(a.contents()).hasSize(1);
  }

  @Test
  void functionExceptionIsReturnedAndNothingIsWritten() {
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
  void functionThatFillsTheHeapIsAnsweredBeforeTheNodeIsTold() {
    write("k", put(1));
    meanwhile =
        () -> {
          throw new OutOfMemoryError("Java heap space");
        };
    start("k", sum(10));
    runAll();
    assertThat(ends).as("one array, and a heap with room").hasSize(1);
    functionExecutor =
        new FunctionExecutor(
            environment(started::add, 1),
            new FunctionEvaluator(codec, new ConflictResolver(io.cantle.WhenCut.stop())));
    start("k", sum(10));
    runAll();
    assertThat(ends.subList(1, 3))
        .containsExactly("threw Java heap space on answer -", "node told");
  }

  @Test
  void undecodableFunctionFailsLikeOneThatThrows() {
    write("k", put(1));
    SerializableBiFunction<Integer, Integer, Integer> function = FunctionExecutorTest::slowSum;
    Codec strict =
        new Codec(ClassAllowList.of(List.of()), FunctionExecutorTest.class.getClassLoader());
    FunctionExecutor other =
        new FunctionExecutor(
            environment(Runnable::run, Long.MAX_VALUE),
            new FunctionEvaluator(strict, new ConflictResolver(io.cantle.WhenCut.stop())));
    ByteSlice bytes = key("k");
    CommandId command = command();
    other.submit(
        GRID,
        a.replica,
        new FunctionExecutor.FunctionCall(
            "cache",
            bytes,
            apply(ApplyFunction.FunctionKind.COMPUTE, function, 1),
            FunctionChain.NONE,
            () -> false,
            decision -> execute(command, bytes, decision),
            outcome -> ends.add("no"),
            (seen, thrown) -> ends.add(String.valueOf(thrown.getMessage())),
            () -> ends.add("no")));
    assertThat(ends).singleElement().asString().contains("FunctionExecutorTest", "allow");
    assertThat(runs).isZero();
  }

  @Test
  void tooManyCommandsAreRefused() {
    for (int i = 0; i < FunctionExecutor.MAX_COMMANDS; i++) {
      start("k" + i % 10, sum(1));
    }
    assertThat(ends).isEmpty();
    start("k0", sum(1));
    start("other", sum(1));
    assertThat(ends).containsExactly("refused", "refused");
    ends.clear();
    runAll();
    assertThat(ends).hasSize(FunctionExecutor.MAX_COMMANDS).doesNotContain("refused");
    start("k0", sum(1));
    assertThat(started).hasSize(1);
  }

  @Test
  void functionMayNotWriteItsOwnKey() {
    write("k", put(1));
    List<String> found = new ArrayList<>();
    meanwhile =
        () -> {
          FunctionChain.checkMayWrite(GRID, 0, hash(key("other")));
          FunctionChain.checkMayWrite(GRID, 1, hash(key("k")));
          FunctionChain.checkMayWrite(new UUID(2, 2), 0, hash(key("k")));
          assertThatIllegalStateException()
              .isThrownBy(() -> FunctionChain.checkMayWrite(GRID, 0, hash(key("k"))))
              .withMessageContaining("the key it runs for");
          found.add("checked");
        };
    start("k", sum(10));
    runAll();
    FunctionChain.checkMayWrite(GRID, 0, hash(key("k")));
    assertThat(found).containsExactly("checked");
    assertThat(ends).containsExactly("wrote 11");
  }

  @Test
  void closedNodeRunsAndKeepsNothing() {
    FunctionExecutor closed =
        new FunctionExecutor(
            environment(
                task -> {
                  throw new RejectedExecutionException("closed");
                },
                Long.MAX_VALUE),
            new FunctionEvaluator(codec, new ConflictResolver(io.cantle.WhenCut.stop())));
    ByteSlice bytes = key("k");
    for (int i = 0; i < FunctionExecutor.MAX_COMMANDS + 10; i++) {
      closed.submit(
          GRID,
          a.replica,
          new FunctionExecutor.FunctionCall(
              "cache",
              bytes,
              sum(1),
              FunctionChain.NONE,
              () -> false,
              decision -> new CommandOutcome.Refused(),
              outcome -> ends.add("no"),
              (seen, thrown) -> ends.add("no"),
              () -> ends.add("refused")));
    }
    assertThat(ends).isEmpty();
  }

  @Test
  void queuedDuplicateIsNotRunAfterItsMemberIsExcluded() {
    CommandId command = command();
    start(command, "k", sum(1));
    start("k", sum(10));
    start(command, "k", sum(1));
    started.remove().run();
    assertThat(ends).hasSize(1);
    // The result of the first message is dropped while the second one waits.
    meanwhile = () -> a.registerClient(false);
    started.remove().run();
    started.remove().run();
    assertThat(ends.subList(1, 3)).containsExactly("forgotten", "forgotten");
    assertThat(runs).isEqualTo(1);
  }
}
