package io.cantle.core.publish;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A subscriber that records its signals, and fails if a publisher breaks the rules of signals. */
class CollectingSubscriber<T> implements Flow.Subscriber<T> {
  final List<T> elements = new ArrayList<>();
  final List<String> signals = new ArrayList<>();
  Flow.@Nullable Subscription subscription;
  @Nullable Throwable error;
  boolean completed;
  long requested;
  private boolean inSignal;

  @Override
  public void onSubscribe(Flow.Subscription given) {
    signals.add("subscribed");
    subscription = given;
  }

  @Override
  public void onNext(T element) {
    if (inSignal || completed || error != null || elements.size() >= requested) {
      throw new AssertionError("an element that the rules forbid: " + signals);
    }
    inSignal = true;
    elements.add(element);
    onElement(element);
    inSignal = false;
  }

  /** Called with each element; a test may replace it. */
  void onElement(T element) {}

  @Override
  public void onError(Throwable thrown) {
    signals.add("error");
    error = thrown;
  }

  @Override
  public void onComplete() {
    signals.add("completed");
    completed = true;
  }

  Flow.Subscription requireSubscription() {
    Flow.Subscription here = subscription;
    if (here == null) {
      throw new AssertionError("not subscribed");
    }
    return here;
  }

  void request(long more) {
    requested = requested + more < 0 ? Long.MAX_VALUE : requested + more;
    requireSubscription().request(more);
  }
}
