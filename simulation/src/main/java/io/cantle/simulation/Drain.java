package io.cantle.simulation;

import java.util.concurrent.Flow;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Subscribes to a publisher on behalf of a client, takes what was asked for, and holds the
 * publisher to the rules.
 *
 * <p><b>Threading:</b> the carrier of its seed: signals come on a thread of the node, the rest is
 * called by its client.
 */
final class Drain<T> implements Flow.Subscriber<T> {
  private static final int MOST_AT_ONCE = 40;

  private final StreamCall call;
  private final Consumer<? super T> taking;
  private final Thread client = Thread.currentThread();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private boolean completed;
  private long wanted;
  private long awaited;
  private long given;

  private Drain(StreamCall call, Consumer<? super T> taking) {
    this.call = call;
    this.taking = taking;
  }

  /** Subscribes; elements are handed on. */
  static <T> Drain<T> of(StreamCall call, Flow.Publisher<T> publisher, Consumer<? super T> taking) {
    Drain<T> drain = new Drain<>(call, taking);
    publisher.subscribe(drain);
    call.await(() -> drain.subscription != null || drain.failure != null);
    return drain;
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    call.expect(subscription == null, () -> "subscribed twice");
    subscription = begun;
    LockSupport.unpark(client);
  }

  @Override
  public void onNext(T element) {
    given++;
    call.expect(given <= wanted, () -> given + " elements came, of " + wanted + " asked for");
    call.expect(!ended(), () -> "an element came after the end");
    taking.accept(element);
    if (given >= awaited) {
      LockSupport.unpark(client);
    }
  }

  @Override
  public void onError(Throwable thrown) {
    call.expect(!ended(), () -> "an error came after the end: " + thrown);
    failure = thrown;
    LockSupport.unpark(client);
  }

  @Override
  public void onComplete() {
    call.expect(!ended(), () -> "completed after the end");
    completed = true;
    LockSupport.unpark(client);
  }

  private boolean ended() {
    return completed || failure != null;
  }

  /** Asks for all there are. */
  void askForAll() {
    ask(Long.MAX_VALUE);
    awaited = Long.MAX_VALUE;
  }

  /**
   * Asks for some and waits for some of these.
   *
   * @return whether there may be more
   * @throws RuntimeException what the publisher failed with
   */
  boolean take(int asked, int least) {
    awaited = given + least;
    ask(given + asked - wanted);
    call.await(() -> ended() || given >= awaited);
    return !over();
  }

  /** Takes everything, so many at a time as it pleases. */
  void takeAll() {
    boolean more = true;
    while (more) {
      int asked = 1 + call.random().nextInt(MOST_AT_ONCE);
      more = take(asked, asked);
      call.dawdle(10_000_000L);
    }
  }

  /** Waits for the end. */
  void awaitEnd() {
    call.await(this::ended);
    over();
  }

  private void ask(long more) {
    Flow.Subscription begun = subscription;
    if (begun != null && more > 0) {
      wanted = more > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + more;
      begun.request(more);
    }
  }

  private boolean over() {
    if (failure instanceof RuntimeException thrown) {
      throw thrown;
    }
    call.expect(failure == null, () -> "published " + failure);
    return completed;
  }

  /** Wants no more. */
  void cancel() {
    Flow.Subscription begun = subscription;
    if (begun != null) {
      begun.cancel();
    }
  }
}
