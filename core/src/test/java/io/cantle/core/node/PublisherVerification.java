package io.cantle.core.node;

import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.core.codec.AllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.publish.ScanOptions;
import io.cantle.core.publish.Scans;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Flow;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;

/**
 * The rules of Reactive Streams for publishers, on a node alone; run by {@link PublisherTckTest}.
 */
public final class PublisherVerification extends FlowPublisherVerification<String> {
  private static final int ENTRIES = 1_000;

  private final AloneNode alone = new AloneNode();
  private final List<byte[]> keys = new ArrayList<>();
  private final Scans scans;

  /** A node alone, and patience for a machine that is busy. */
  public PublisherVerification() {
    super(new TestEnvironment(1_000, 200));
    Codec codec = new Codec(AllowList.of(List.of()), getClass().getClassLoader());
    CacheView<Integer, String> cache =
        (CacheView<Integer, String>)
            alone.node.<Integer, String>cache("numbers", CacheConfig.local().segments(16));
    for (int i = 0; i < ENTRIES; i++) {
      keys.add(codec.encodeKey(i));
      cache.put(i, "v" + i);
    }
    scans = cache.scans();
  }

  /** Ends the node. */
  @AfterClass
  public void close() {
    alone.close();
  }

  @Override
  public Flow.Publisher<String> createFlowPublisher(long elements) {
    return elements < ENTRIES
        ? publisher(ScanOptions.ALL.keys(keys.subList(0, (int) elements)))
        : publisher(ScanOptions.ALL);
  }

  private CachePublisher<String> publisher(ScanOptions options) {
    return scans.publish(
        Scans.Part.KEY, null, options, in -> HexFormat.of().formatHex(in.readBlob()));
  }

  /** A part that has its subscriber already. */
  @Override
  public Flow.Publisher<String> createFailedFlowPublisher() {
    CachePublisher.Part<String> part = publisher(ScanOptions.ALL).split(1).getFirst();
    part.subscribe(
        new Flow.Subscriber<>() {
          @Override
          public void onSubscribe(Flow.Subscription subscription) {}

          @Override
          public void onNext(String element) {}

          @Override
          public void onError(Throwable thrown) {}

          @Override
          public void onComplete() {}
        });
    return part;
  }
}
