package io.cantle.core.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class FunctionChainTest {
  private static final UUID GRID = new UUID(1, 2);

  private final List<String> ran = new ArrayList<>();

  private void assertRefused(long keyHash) {
    assertThatIllegalStateException()
        .isThrownBy(() -> FunctionChain.checkMayWrite(GRID, 0, keyHash))
        .withMessageContaining("the key it runs for");
    ran.add("refused " + keyHash);
  }

  @Test
  void everyFunctionOfTheChainIsChecked() {
    FunctionChain.NONE
        .plus(GRID, 0, 7)
        .run(
            () ->
                FunctionChain.ofCaller()
                    .plus(GRID, 0, 8)
                    .run(
                        () -> {
                          assertRefused(7);
                          assertRefused(8);
                          FunctionChain.checkMayWrite(GRID, 0, 9);
                          FunctionChain.checkMayWrite(GRID, 1, 7);
                        }));
    FunctionChain.checkMayWrite(GRID, 0, 7);
    assertThat(ran).containsExactly("refused 7", "refused 8");
  }

  @Test
  void taskOnAnotherThreadIsAPartOfTheFunction() throws InterruptedException {
    List<Runnable> carried = new ArrayList<>();
    FunctionChain chain = FunctionChain.NONE.plus(GRID, 0, 7);
    chain.run(() -> carried.add(FunctionChain.carryTo(() -> assertRefused(7))));
    Thread.ofVirtual().start(carried.getFirst()).join();
    assertThat(ran).containsExactly("refused 7");
  }

  @Test
  void whatIsSentArrives() {
    FunctionChain chain = FunctionChain.NONE.plus(GRID, 3, 7).plus(GRID, 0, -8);
    Output out = new Output(8);
    chain.write(out);
    assertThat(FunctionChain.read(new Input(out.toByteArray()))).isEqualTo(chain);
    assertThat(FunctionChain.read(new Input(new byte[] {0}))).isSameAs(FunctionChain.NONE);
  }

  @Test
  void chainHasALimit() {
    FunctionChain deepest =
        new FunctionChain(LongStream.range(0, FunctionChain.MAX_DEPTH).boxed().toList());
    deepest.run(
        () ->
            assertThatIllegalStateException()
                .isThrownBy(FunctionChain::ofCaller)
                .withMessageContaining("256 deep"));
    Output out = new Output(8);
    deepest.plus(GRID, 0, 7).write(out);
    assertThatExceptionOfType(MalformedException.class)
        .isThrownBy(() -> FunctionChain.read(new Input(out.toByteArray())));
  }
}
