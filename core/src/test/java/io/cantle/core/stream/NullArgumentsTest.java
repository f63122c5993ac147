package io.cantle.core.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheStream;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that every method of every kind of stream refuses null at once, before anything runs. */
class NullArgumentsTest {
  private static final ListScanner SCANS = new ListScanner(1, Flight.some(1, 20));

  /** A method of a stream, and the parameter to which null is passed. */
  record Call(String where, BaseStream<?, ?> stream, Method method, int place) {
    @Override
    public String toString() {
      String types =
          String.join(
              ", ", Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList());
      return where + "." + method.getName() + "(" + types + "), parameter " + place;
    }

    /** Returns what the method throws, if anything. */
    @Nullable Throwable thrown() throws IllegalAccessException {
      Class<?>[] types = method.getParameterTypes();
      @Nullable Object[] arguments = Arrays.stream(types).map(Call::some).toArray();
      arguments[place] = null;
      try {
        method.invoke(stream, arguments);
        return null;
      } catch (InvocationTargetException e) {
        return e.getCause();
      }
    }

    /** Any argument that is not null; it is never used. */
    private static Object some(Class<?> type) {
      if (type == int.class) {
        return 1;
      } else if (type == long.class) {
        return 1L;
      } else if (type == double.class) {
        return 1.0;
      } else if (type.isInterface()) {
        return Proxy.newProxyInstance(
            type.getClassLoader() == null ? Call.class.getClassLoader() : type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) -> {
              throw new AssertionError(method + " was called though another argument is null");
            });
      }
      return "x";
    }
  }

  static List<Call> calls() {
    CacheStreamSource<Integer, Flight> cacheStreamSource = SCANS.streams();
    CacheStream<Integer> keys = cacheStreamSource.keyStream();
    return Stream.of(
            of("owners", CacheStream.class, keys),
            of("here", CacheStream.class, keys.limit(10)),
            of("owners, int", IntCacheStream.class, keys.mapToInt(k -> k)),
            of("here, int", IntCacheStream.class, keys.mapToInt(k -> k).limit(10)),
            of("owners, long", LongCacheStream.class, keys.mapToLong(k -> k)),
            of("here, long", LongCacheStream.class, keys.mapToLong(k -> k).limit(10)),
            of("owners, double", DoubleCacheStream.class, keys.mapToDouble(k -> k)),
            of("here, double", DoubleCacheStream.class, keys.mapToDouble(k -> k).limit(10)))
        .flatMap(calls -> calls)
        .toList();
  }

  private static Stream<Call> of(String where, Class<?> type, BaseStream<?, ?> stream) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isBridge())
        .flatMap(
            method ->
                IntStream.range(0, method.getParameterCount())
                    .filter(place -> refusesNull(method.getParameterTypes()[place]))
                    .mapToObj(place -> new Call(where, stream, method, place)));
  }

  /** An identity may be null, as in the JDK. */
  private static boolean refusesNull(Class<?> parameter) {
    return !parameter.isPrimitive() && parameter != Object.class;
  }

  @ParameterizedTest
  @MethodSource("calls")
  void nullIsRefusedAtOnce(Call call) throws IllegalAccessException {
    int asked = SCANS.recordedOptions.size();

    assertThat(call.thrown()).as(call.toString()).isInstanceOf(NullPointerException.class);
    assertThat(SCANS.recordedOptions.size()).as("scans begun by " + call).isEqualTo(asked);
  }
}
