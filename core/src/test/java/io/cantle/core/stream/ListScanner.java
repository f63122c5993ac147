package io.cantle.core.stream;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CachePublisher;
import io.cantle.CloseableIterator;
import io.cantle.Delivery;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ClassAllowList;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.container.Entry;
import io.cantle.core.memory.MemoryAccount;
import io.cantle.core.ownership.CacheIdentity;
import io.cantle.core.ownership.GridLineage;
import io.cantle.core.publish.CacheScanner;
import io.cantle.core.publish.SubscriptionExecutor;
import io.cantle.core.scan.PartialReader;
import io.cantle.core.scan.PullClient;
import io.cantle.core.scan.ScanOptions;
import io.cantle.core.scan.TaskInterpreter;
import io.cantle.core.wire.PullRequest;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A scanner over a list instead of a grid. The list is cut into chunks of random sizes, some of
 * them empty. As after a rehash, the result of a chunk is now and then dropped and made again.
 */
final class ListScanner implements CacheScanner {
  static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.stream")), ListScanner.class.getClassLoader());

  /** The cache of the entries, which has only a name and settings. */
  @SuppressWarnings("unchecked")
  static final Cache<Integer, Object> CACHE =
      (Cache<Integer, Object>)
          Proxy.newProxyInstance(
              ListScanner.class.getClassLoader(),
              new Class<?>[] {Cache.class},
              (_, method, _) ->
                  switch (method.getName()) {
                    case "name" -> "flights";
                    case "config" -> CacheConfig.distributed();
                    case "toString" -> "the cache of these flights";
                    default -> throw new UnsupportedOperationException(method.getName());
                  });

  private static final SubscriptionExecutor SUBSCRIPTIONS =
      new SubscriptionExecutor(Runnable::run, "closed");

  private final List<List<Entry>> chunks = new ArrayList<>();
  private final Random random;
  private final TaskInterpreter taskInterpreter;
  int chunksDelivered;

  /** The elements that tasks made of the entries that were pulled. */
  int elementsMade;

  int chunksDropped;
  int entriesPulled;
  int iteratorsOpen;

  /** Whether this node has a replica of everything. */
  boolean ownsAll;

  /** Whether a scan with at-least-once delivery gets each chunk twice. */
  boolean repeats;

  /** The most bytes in the result of a chunk. */
  int partialMax;

  /** The options of each scan, in order. */
  final List<ScanOptions> recordedOptions = new ArrayList<>();

  ListScanner(long seed, List<Flight> flights) {
    this(seed, 20, flights.stream().map(ListScanner::entry).toList());
  }

  private ListScanner(long seed, int chunk, List<Entry> entries) {
    random = new Random(seed);
    taskInterpreter =
        new PipelineRunner(
            CODEC,
            new DecodedObjectCache(CODEC, new MemoryAccount(random.nextInt(3) * 10_000L)),
            index -> CACHE);
    int next = 0;
    while (next < entries.size()) {
      int size = Math.min(random.nextInt(chunk) * random.nextInt(3), entries.size() - next);
      chunks.add(entries.subList(next, next + size));
      next += size;
    }
  }

  /** A scanner over other entries than flights, in chunks of fewer than twice this many. */
  static ListScanner of(long seed, int chunk, Map<Integer, ?> entries) {
    return new ListScanner(
        seed,
        chunk,
        entries.entrySet().stream().map(e -> entryOf(e.getKey(), e.getValue())).toList());
  }

  static Entry entry(Flight flight) {
    return entryOf(flight.number(), flight);
  }

  static Entry entryOf(int key, Object value) {
    Output bytes = new Output(64);
    bytes.write(CODEC.encodeKey(key));
    int keyLength = bytes.position();
    CODEC.encodeValue(value, bytes);
    return Entry.of(key, bytes.toByteArray(), keyLength, 1, 1, false, 0, null);
  }

  /** The streams over the flights. */
  CacheStreamSource<Integer, Flight> streams() {
    return streamsOf();
  }

  /** The streams over entries of any type. */
  <V> CacheStreamSource<Integer, V> streamsOf() {
    return streamsOf(ScanOptions.ALL);
  }

  /** The streams over entries of any type, with these defaults. */
  @SuppressWarnings("unchecked")
  <V> CacheStreamSource<Integer, V> streamsOf(ScanOptions defaults) {
    return new CacheStreamSource<>(this, CODEC, (Cache<Integer, V>) CACHE, SUBSCRIPTIONS, defaults);
  }

  /** A source of these entries that ignores what is made of them. */
  static TaskInterpreter.EntrySource all(List<Entry> entries) {
    return all(entries, bytes -> {});
  }

  /** A source of these entries that reports the bytes made of them. */
  static TaskInterpreter.EntrySource all(List<Entry> entries, LongConsumer made) {
    Iterator<Entry> each = entries.iterator();
    return new TaskInterpreter.EntrySource() {
      @Override
      public CacheIdentity cache() {
        return new CacheIdentity(new UUID(0, 1), GridLineage.NONE, 0, 1);
      }

      @Override
      public void addMadeBytes(long bytes) {
        made.accept(bytes);
      }

      @Override
      public boolean hasNext() {
        return each.hasNext();
      }

      @Override
      public Entry next() {
        return each.next();
      }
    };
  }

  int chunkCount() {
    return chunks.size();
  }

  @Override
  public void reduce(byte[] task, ScanOptions options, PartialReader partials) {
    partials.onSend();
    recordedOptions.add(options);
    for (List<Entry> chunk : chunks) {
      if (random.nextInt(4) == 0) {
        taskInterpreter.readReduction(task).reduce(all(chunk), new Output(16));
        chunksDropped++;
      }
      Output out = new Output(16);
      taskInterpreter.readReduction(task).reduce(all(chunk), out);
      chunksDelivered++;
      partialMax = Math.max(partialMax, out.position());
      Input in = out.toInput();
      boolean more = partials.read(in);
      if (in.remaining() > 0) {
        throw new IllegalStateException(in.remaining() + " bytes of a partial result were left");
      }
      if (!more) {
        return;
      }
    }
  }

  @Override
  public <T> CloseableIterator<T> iterate(PullClient.ScanSpec spec, Function<Input, T> read) {
    ScanOptions options = spec.options();
    recordedOptions.add(options);
    iteratorsOpen++;
    List<List<Entry>> delivered = new ArrayList<>(chunks);
    if (repeats && options.delivery() == Delivery.AT_LEAST_ONCE) {
      delivered.addAll(chunks);
    }
    Iterator<List<Entry>> rest = delivered.iterator();
    return new CloseableIterator<>() {
      private Iterator<T> batch = List.<T>of().iterator();
      private boolean closed;

      @Override
      public boolean hasNext() {
        while (!closed && !batch.hasNext() && rest.hasNext()) {
          batch = pull(rest.next(), spec.part(), spec.task(), read);
        }
        return !closed && batch.hasNext();
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return batch.next();
      }

      @Override
      public void close() {
        if (!closed) {
          closed = true;
          iteratorsOpen--;
        }
      }
    };
  }

  @Override
  public <T> CachePublisher<T> publish(PullClient.ScanSpec spec, Function<Input, T> read) {
    throw new UnsupportedOperationException("publishers are tested over a cluster");
  }

  @Override
  public <K, V> ScanPage<K, V> page(
      ScanCursor cursor, int limit, Function<Input, Map.Entry<K, V>> read) {
    throw new UnsupportedOperationException("pages are tested over a cluster");
  }

  @Override
  public long count(ScanOptions options) {
    recordedOptions.add(options);
    return chunks.stream().mapToLong(List::size).sum();
  }

  @Override
  public boolean ownsAll() {
    return ownsAll;
  }

  private <T> Iterator<T> pull(
      List<Entry> chunk,
      PullRequest.EntryPart part,
      byte @Nullable [] task,
      Function<Input, T> read) {
    Output out = new Output(16);
    int count = 0;
    if (task != null) {
      int[] made = new int[1];
      taskInterpreter
          .readTransformation(task)
          .run(out, consumer -> chunk.forEach(e -> made[0] += consumer.writeElements(e)));
      count = made[0];
      elementsMade += count;
      entriesPulled += chunk.size();
    }
    for (Entry entry : task == null ? chunk : List.<Entry>of()) {
      entriesPulled++;
      count++;
      if (part != PullRequest.EntryPart.VALUE) {
        out.writeBlob(entry.bytes(), 0, entry.keyLength());
      }
      if (part != PullRequest.EntryPart.KEY) {
        out.writeBlob(entry.bytes(), entry.valueOffset(), entry.valueLength());
      }
    }
    Input in = out.toInput();
    List<T> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(read.apply(in));
    }
    if (in.remaining() > 0) {
      throw new IllegalStateException(in.remaining() + " bytes of a batch were left");
    }
    return elements.iterator();
  }
}
