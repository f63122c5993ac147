package io.cantle.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import io.cantle.DecodingException;
import io.cantle.Grid;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a node that lacks a class, which another node of the grid has. */
@Timeout(120)
final class ForgetfulNodeTest {

  /** A plain class, which is sent as an object graph. */
  static final class GoneObject {
    int number;

    GoneObject(int number) {
      this.number = number;
    }
  }

  /** Stands for the application of the node that lacks a class. */
  static final class Main {
    private Main() {}
  }

  /** Finds all classes but those whose name begins with Gone, and has a class of its own. */
  private static final class ForgetfulLoader extends ClassLoader {
    ForgetfulLoader() {
      super(ForgetfulNodeTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.contains("$Gone")) {
        throw new ClassNotFoundException(name);
      }
      return name.equals(Main.class.getName()) ? define(name) : super.loadClass(name, resolve);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = Objects.requireNonNull(in).readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @Test
  void missingPlainClassIsNamedAndTheWriteIsSaidToBeMade() throws Exception {
    ClassLoader previous = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = new ForgetfulLoader();
    try (TestGrid cluster = new TestGrid(2)) {
      Grid full = cluster.join();
      Thread.currentThread().setContextClassLoader(loader);
      Class<?> main = loader.loadClass(Main.class.getName());
      assertThat(main).isNotSameAs(Main.class);
      Grid forgetful = cluster.join(config -> config.application(main));
      cluster.awaitMembers(2);
      Cache<String, Object> written = full.cache("objects", CacheConfig.replicated());
      Cache<String, Object> read = forgetful.cache("objects", CacheConfig.replicated());
      List<Object> values =
          List.of(
              new GoneObject(1),
              new GoneObject[] {new GoneObject(2)},
              new ArrayList<>(List.of("a", new GoneObject(3))),
              Map.of("k", new GoneObject(4)));
      Map<String, Callable<?>> writes = new LinkedHashMap<>();
      writes.put("put", () -> read.put("k", "new"));
      writes.put("replace", () -> read.replace("k", "new"));
      writes.put("remove", () -> read.remove("k"));
      for (Object value : values) {
        written.putAll(Map.of("k", value));
        assertThat(decodingException(() -> read.get("k")).retrySafe()).isTrue();
        writes.forEach(
            (name, write) -> {
              written.putAll(Map.of("k", value));
              DecodingException thrown = decodingException(write);
              assertThat(thrown.isWritten()).as("%s of %s", name, value).isTrue();
              assertThat(thrown).hasMessageContaining("the write was made");
              assertThat(written.get("k")).isEqualTo(name.equals("remove") ? null : "new");
            });
      }
    } finally {
      Thread.currentThread().setContextClassLoader(previous);
    }
  }

  private static DecodingException decodingException(Callable<?> call) {
    Throwable thrown = catchThrowable(call::call);
    assertThat(thrown)
        .isInstanceOf(DecodingException.class)
        .hasMessageContaining(GoneObject.class.getName())
        .hasMessageContaining("put it on the class path or module path of every node");
    return (DecodingException) thrown;
  }
}
