package io.cantle.simulation;

import java.util.concurrent.Flow;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A subscriber that a client uses to take elements from a publisher. It also checks that the
 * publisher follows the rules of {@link Flow}.
 *
 * <p><b>Threading:</b> the carrier of its seed. Signals arrive on a thread of the node; the client
 * calls the rest.
 */
final class CheckingSubscriber<T> implements Flow.Subscriber<T> {
  private static final int MAX_REQUESTED = 40;

  private final StreamUseAttempt call;
  private final Consumer<? super T> taking;
  private final Thread client = Thread.currentThread();
  private Flow.@Nullable Subscription subscription;
  private @Nullable Throwable failure;
  private boolean completed;
  private long wanted;
  private long awaitedCount;
  private long receivedCount;

  private CheckingSubscriber(StreamUseAttempt call, Consumer<? super T> taking) {
    this.call = call;
    this.taking = taking;
  }

  /** Subscribes, and passes each element on. */
  static <T> CheckingSubscriber<T> subscribe(
      StreamUseAttempt call, Flow.Publisher<T> publisher, Consumer<? super T> taking) {
    CheckingSubscriber<T> drain = new CheckingSubscriber<>(call, taking);
    publisher.subscribe(drain);
    call.await(() -> drain.subscription != null || drain.failure != null);
    return drain;
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    call.check(subscription == null, () -> "subscribed twice");
    subscription = begun;
    LockSupport.unpark(client);
  }

  @Override
  public void onNext(T element) {
    receivedCount++;
    call.check(
        receivedCount <= wanted,
        () -> receivedCount + " elements came, of " + wanted + " asked for");
    call.check(!hasEnded(), () -> "an element came after the end");
    taking.accept(element);
    if (receivedCount >= awaitedCount) {
      LockSupport.unpark(client);
    }
  }

  @Override
  public void onError(Throwable thrown) {
    call.check(!hasEnded(), () -> "an error came after the end: " + thrown);
    failure = thrown;
    LockSupport.unpark(client);
  }

  @Override
  public void onComplete() {
    call.check(!hasEnded(), () -> "completed after the end");
    completed = true;
    LockSupport.unpark(client);
  }

  private boolean hasEnded() {
    return completed || failure != null;
  }

  /** Requests all elements. */
  void askForAll() {
    request(Long.MAX_VALUE);
    awaitedCount = Long.MAX_VALUE;
  }

  /**
   * Requests some elements and waits until at least a part of them has arrived.
   *
   * @return whether there may be more elements
   * @throws RuntimeException what the publisher failed with
   */
  boolean takeAtLeast(int requested, int minElements) {
    awaitedCount = receivedCount + minElements;
    request(receivedCount + requested - wanted);
    call.await(() -> hasEnded() || receivedCount >= awaitedCount);
    return !isOver();
  }

  /** Takes all elements, a random number at a time. */
  void takeAll() {
    boolean more = true;
    while (more) {
      int requested = 1 + call.random().nextInt(MAX_REQUESTED);
      more = takeAtLeast(requested, requested);
      call.delayBriefly(10_000_000L);
    }
  }

  /** Waits until the stream has ended. */
  void awaitEnd() {
    call.await(this::hasEnded);
    isOver();
  }

  private void request(long more) {
    Flow.Subscription begun = subscription;
    if (begun != null && more > 0) {
      wanted = more > Long.MAX_VALUE - wanted ? Long.MAX_VALUE : wanted + more;
      begun.request(more);
    }
  }

  private boolean isOver() {
    if (failure instanceof RuntimeException thrown) {
      throw thrown;
    }
    call.check(failure == null, () -> "published " + failure);
    return completed;
  }

  /** Cancels the subscription. */
  void cancel() {
    Flow.Subscription begun = subscription;
    if (begun != null) {
      begun.cancel();
    }
  }
}
