package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.CloseableIterator;
import io.cantle.GridConfig;
import io.cantle.ScanCursor;
import io.cantle.TypeCodec;
import java.io.ByteArrayInputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serializable;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tries every advice of a message: the call that is refused, its message, and the mended call. */
final class AdviceTest {
  private static final Map<Object, Object> SEEN = new ConcurrentHashMap<>();

  private static final SingleNode OPEN = new SingleNode(AdviceTest.class.getPackageName());
  private static final SingleNode CLOSED = new SingleNode();

  private static final Cache<String, Object> CACHE = OPEN.node.cache("advice");

  private final String suffix = String.valueOf('!');
  private final Cache<String, Object> field = CACHE;

  record Basket(List<String> items) {}

  /** A codec as a user would write it. */
  private static final class FileCodec implements TypeCodec<File> {
    @Override
    public String name() {
      return "file";
    }

    @Override
    public Class<File> type() {
      return File.class;
    }

    @Override
    public void write(File value, DataOutput out) throws IOException {
      out.writeUTF(value.getPath());
    }

    @Override
    public File read(DataInput in) throws IOException {
      return new File(in.readUTF());
    }
  }

  @AfterAll
  static void stop() {
    OPEN.close();
    CLOSED.close();
  }

  private record Advice(
      String name, ThrowingCallable refused, List<String> texts, ThrowingCallable mended) {
    DynamicTest toTest() {
      return DynamicTest.dynamicTest(name, this::check);
    }

    private void check() {
      Throwable thrown = catchThrowable(refused);
      assertThat(thrown)
          .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class)
          .hasMessageContainingAll(texts.toArray(String[]::new));
      StringWriter printed = new StringWriter();
      thrown.printStackTrace(new PrintWriter(printed));
      assertThat(printed.toString())
          .doesNotContain("Fory#", "org.apache.fory", "requireClassRegistration");
      assertThat(printed.toString().split("org\\.junit", 2)[0].lines()).hasSizeLessThan(60);
      assertThatCode(mended).doesNotThrowAnyException();
    }
  }

  @TestFactory
  Stream<DynamicTest> adviceIsTried() {
    CACHE.putAll(Map.of("a", 1, "b", 2));
    List<Advice> all = new ArrayList<>();
    addCaptures(all);
    addTypesOfTheJdk(all);
    addClasses(all);
    addFunctions(all);
    addOrders(all);
    return all.stream().map(Advice::toTest);
  }

  private void addCaptures(List<Advice> all) {
    Cache<String, Object> other = CACHE;
    NodeGrid grid = OPEN.node;
    List<String> handed =
        List.of(
            "it belongs to one node", "use forEachWithCache", "hands the cache to the function");
    ThrowingCallable handOver =
        () ->
            CACHE.keySet().stream()
                .forEachWithCache(
                    (Cache<String, Object> cache, String key) ->
                        SEEN.put(key, String.valueOf(cache.get(key))));
    all.add(
        new Advice(
            "captured cache",
            () -> CACHE.keySet().stream().map(key -> String.valueOf(other.get(key))).toList(),
            handed,
            handOver));
    all.add(
        new Advice(
            "cache in a field",
            () -> CACHE.keySet().stream().map(key -> String.valueOf(field.get(key))).toList(),
            handed,
            handOver));
    all.add(
        new Advice(
            "captured grid",
            () -> CACHE.keySet().stream().map(key -> key + grid.nodeName()).toList(),
            handed,
            () -> {
              String name = grid.nodeName();
              assertThat(CACHE.keySet().stream().map(key -> key + name).toList()).hasSize(2);
            }));
    all.add(
        new Advice(
            "field of this",
            () -> CACHE.keySet().stream().map(key -> key + suffix).toList(),
            List.of("uses this", "\"suffix\"", "copy the field into a local variable first"),
            () -> {
              String copy = suffix;
              assertThat(CACHE.keySet().stream().map(key -> key + copy).toList()).hasSize(2);
            }));
    Thread thread = Thread.currentThread();
    all.add(
        new Advice(
            "captured thread",
            () -> CACHE.keySet().stream().map(key -> key + thread.getName()).toList(),
            List.of("java.lang.Thread", "something of this process", "capture a plain value"),
            () -> {
              String name = thread.getName();
              assertThat(CACHE.keySet().stream().map(key -> key + name).toList()).hasSize(2);
            }));
  }

  private static void addTypesOfTheJdk(List<Advice> all) {
    File file = new File("data", "x.csv");
    all.add(
        new Advice(
            "file as a string",
            () -> CACHE.put("file", file),
            List.of("java.io.File", "File.getPath", "GridConfig.codec"),
            () -> {
              CACHE.put("file", file.getPath());
              assertThat(new File((String) CACHE.get("file"))).isEqualTo(file);
            }));
    all.add(
        new Advice(
            "file with a codec",
            () -> CACHE.put("file", Arrays.asList(file)),
            List.of("java.io.File", "GridConfig.codec"),
            () -> {
              try (SystemEnvironment world = new SystemEnvironment("codec");
                  NodeGrid coded =
                      Node.startLocal(
                          GridConfig.named("codec").codec(new FileCodec()),
                          AdviceTest.class.getClassLoader(),
                          world.environment(),
                          () -> {})) {
                Cache<String, File> files = coded.cache("files");
                files.put("file", file);
                assertThat(files.get("file")).isEqualTo(file);
              }
            }));
    Path path = Path.of("data", "x.csv");
    all.add(
        new Advice(
            "path",
            () -> CACHE.put("path", path),
            List.of("Path", "Path.toString, Path.of"),
            () -> {
              CACHE.put("path", path.toString());
              assertThat(Path.of((String) CACHE.get("path"))).isEqualTo(path);
            }));
    URI uri = URI.create("http://localhost/x");
    all.add(
        new Advice(
            "url",
            () -> CACHE.put("url", uri.toURL()),
            List.of("java.net.URL", "URL.toURI"),
            () -> {
              CACHE.put("url", uri.toURL().toURI());
              assertThat(CACHE.get("url")).isEqualTo(uri);
            }));
    byte[] bytes = {1, 2};
    all.add(
        new Advice(
            "stream of bytes",
            () -> CACHE.put("bytes", new ByteArrayInputStream(bytes)),
            List.of("java.io.ByteArrayInputStream", "what it has read"),
            () -> {
              CACHE.put("bytes", new ByteArrayInputStream(bytes).readAllBytes());
              assertThat((byte[]) CACHE.get("bytes")).isEqualTo(bytes);
            }));
    all.add(
        new Advice(
            "thread",
            () -> CACHE.put("thread", Thread.currentThread()),
            List.of("java.lang.Thread", "something of this process"),
            () -> CACHE.put("thread", Thread.currentThread().getName())));
  }

  private static void addClasses(List<Advice> all) {
    Cache<String, Object> strict = CLOSED.node.cache("strict");
    Cache<Object, Integer> anyKeys = OPEN.node.cache("any keys");
    all.add(
        new Advice(
            "class of a package that is not allowed",
            () -> strict.put("a", new Basket(List.of("pear"))),
            List.of("add its package \"io.cantle.core.node\" to GridConfig.allowing on every node"),
            () -> CACHE.put("basket", new Basket(List.of("pear")))));
    all.add(
        new Advice(
            "key that has no frozen format",
            () -> anyKeys.putIfAbsent(new HashMap<>(Map.of(1, 2)), 1),
            List.of("a key cannot hold java.util.HashMap", "records"),
            () -> anyKeys.putIfAbsent(new Basket(List.of("pear")), 1)));
  }

  private static void addFunctions(List<Advice> all) {
    Function<String, String> plain = key -> key + "!";
    all.add(
        new Advice(
            "captured function that is not serializable",
            () -> CACHE.keySet().stream().map(key -> plain.apply(key)).toList(),
            List.of("variable \"plain\"", "is not serializable", "(Function<T, R> & Serializable)"),
            () -> {
              Function<String, String> cast =
                  (Function<String, String> & Serializable) key -> key + "!";
              assertThat(CACHE.keySet().stream().map(key -> cast.apply(key)).toList()).isNotEmpty();
            }));
    all.add(
        new Advice(
            "action on what only this process has",
            () -> CACHE.keySet().stream().forEachOnOwners(System.out::println),
            List.of(
                "forEachOnOwners of a stream cannot be sent",
                "java.io.PrintStream",
                "something of this process",
                "It runs on other nodes: to run it on this node, use forEach"),
            () -> CACHE.keySet().stream().forEach(System.out::println)));
    all.add(
        new Advice(
            "limit of less than none",
            () -> CACHE.keySet().stream().limit(-1),
            List.of("limit(-1): the count of elements must not be negative"),
            () -> CACHE.keySet().stream().limit(0).toList()));
    Thread thread = Thread.currentThread();
    all.add(
        new Advice(
            "function to be run here",
            () -> CACHE.keySet().stream().map(key -> key + thread.getName()).toList(),
            List.of("To run it on this node, pass the function as its java.util.function type"),
            () -> {
              Function<String, String> here = key -> key + thread.getName();
              assertThat(CACHE.keySet().stream().map(here).toList()).isNotEmpty();
            }));
  }

  /** Calls that come in the wrong order. */
  private static void addOrders(List<Advice> all) {
    all.add(
        new Advice(
            "removal before the first element",
            () -> CACHE.keySet().iterator().remove(),
            List.of("call next() before each remove()"),
            () -> {
              CACHE.put("removed", 1);
              try (CloseableIterator<String> keys = CACHE.keySet().iterator()) {
                keys.next();
                keys.remove();
              }
            }));
    Cache<String, Object> closed = OPEN.node.cache("closed view");
    closed.close();
    all.add(
        new Advice(
            "view that was closed",
            () -> closed.put("a", 1),
            List.of("view of cache \"closed view\" is closed", "open it again from the grid"),
            () -> OPEN.node.cache("closed view").put("a", 1)));
    ScanCursor ofOther = CACHE.scan(ScanCursor.START, 1).next();
    Cache<String, Object> other = OPEN.node.cache("other");
    all.add(
        new Advice(
            "cursor of another cache",
            () -> other.scan(ofOther, 10),
            List.of("the cursor cannot be used", "of another cache than \"other\""),
            () -> CACHE.scan(ofOther, 10)));
    all.add(
        new Advice(
            "cache with another configuration",
            () -> OPEN.node.cache("other", CacheConfig.distributed().segments(7)),
            List.of("other", "segments=7", "segments=256", "forever"),
            () -> OPEN.node.cache("other", CacheConfig.distributed())));
  }
}
