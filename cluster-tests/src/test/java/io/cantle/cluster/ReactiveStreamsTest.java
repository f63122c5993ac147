package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.Grid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.reactivestreams.FlowAdapters;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * Tests publishers for libraries that use the Reactive Streams interfaces rather than {@code Flow}.
 */
final class ReactiveStreamsTest {

  @Test
  void publisherWorksThroughReactiveStreamsAdapters() throws Exception {
    try (Grid grid = Grid.local()) {
      Cache<Integer, String> cache = grid.cache("numbers", CacheConfig.local());
      for (int i = 0; i < 100; i++) {
        cache.put(i, "v" + i);
      }
      Publisher<Integer> publisher = FlowAdapters.toPublisher(cache.keySet().stream().publisher());
      CompletableFuture<List<Integer>> all = new CompletableFuture<>();
      publisher.subscribe(new OneByOne(all));
      assertThat(all.get(20, TimeUnit.SECONDS)).hasSize(100).doesNotHaveDuplicates();
    }
  }

  private static final class OneByOne implements Subscriber<Integer> {
    private final CompletableFuture<List<Integer>> all;
    private final List<Integer> seen = new ArrayList<>();
    private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();

    OneByOne(CompletableFuture<List<Integer>> all) {
      this.all = all;
    }

    @Override
    public void onSubscribe(Subscription given) {
      subscription.complete(given);
      given.request(1);
    }

    @Override
    public void onNext(Integer element) {
      seen.add(element);
      subscription.join().request(1);
    }

    @Override
    public void onError(Throwable thrown) {
      all.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
      all.complete(seen);
    }
  }
}
