package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheDestroyedException;
import io.cantle.CallTimeoutException;
import io.cantle.GridException;
import io.cantle.IndeterminateException;
import io.cantle.NotAvailableException;
import io.cantle.SegmentLostException;
import io.cantle.core.call.CallLoop;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.ScanOptions;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a call whose action may have run never says that calling again is safe. */
final class ActionFailureTest {
  private static CacheStreamSource<Integer, Flight> streamsThatEndWith(
      GridException ended, boolean sends) {
    CacheScanner scanner =
        (CacheScanner)
            Proxy.newProxyInstance(
                ActionFailureTest.class.getClassLoader(),
                new Class<?>[] {CacheScanner.class},
                (_, _, arguments) -> {
                  for (Object argument : arguments) {
                    if (sends && argument instanceof PartialReader partials) {
                      partials.onSend();
                    }
                  }
                  throw ended;
                });
    @SuppressWarnings("unchecked")
    Cache<Integer, Flight> cache = (Cache<Integer, Flight>) (Cache<?, ?>) ListScanner.CACHE;
    return new CacheStreamSource<>(
        scanner,
        ListScanner.CODEC,
        cache,
        new SubscriptionExecutor(Runnable::run, "closed"),
        ScanOptions.ALL);
  }

  @Test
  void whatEndsACallWithoutAnAnswerIsIndeterminate() {
    for (GridException ended :
        List.of(
            new CallTimeoutException("a scan of 3 more segments" + CallLoop.RETRY_IS_SAFE),
            new NotAvailableException("this node is cut off"),
            new SegmentLostException("segment 3 is lost"),
            new GridException("the calling thread was interrupted"))) {
      CacheStreamSource<Integer, Flight> streams = streamsThatEndWith(ended, true);
      for (Runnable call :
          List.<Runnable>of(
              () -> streams.keyStream().forEachOnOwners(key -> {}),
              () ->
                  streams.valueStream().<Integer, Flight>forEachWithCache((cache, value) -> {}))) {
        assertThatExceptionOfType(IndeterminateException.class)
            .isThrownBy(call::run)
            .withMessageContaining("may have run for some elements")
            .withCause(ended)
            .satisfies(thrown -> assertThat(thrown.retrySafe()).isFalse())
            .satisfies(thrown -> assertThat(thrown.getMessage()).doesNotContain("is safe"));
      }
    }
  }

  @Test
  void whatIsNotSafeToRepeatAnywayIsThrownAsItIs() {
    CacheDestroyedException destroyed = new CacheDestroyedException("the cache was destroyed");
    assertThatThrownBy(
            () -> streamsThatEndWith(destroyed, true).keyStream().forEachOnOwners(key -> {}))
        .isSameAs(destroyed);
  }

  @Test
  void callThatEndsBeforeAnyOwnerWasAskedIsThrownAsItIs() {
    NotAvailableException cutOff = new NotAvailableException("this node is cut off");
    CacheStreamSource<Integer, Flight> streams = streamsThatEndWith(cutOff, false);
    assertThatThrownBy(() -> streams.keyStream().forEachOnOwners(key -> {})).isSameAs(cutOff);
    assertThat(cutOff.retrySafe()).isTrue();
  }

  /** An operation without effects may be called again. */
  @Test
  void resultsThatCannotBeHadSayThatCallingAgainIsSafe() {
    CallTimeoutException late = new CallTimeoutException("out of time");
    assertThatThrownBy(() -> streamsThatEndWith(late, true).keyStream().count()).isSameAs(late);
  }
}
