package io.cantle.core.stream.table;

import io.cantle.CacheStream;
import io.cantle.CloseableIterator;
import io.cantle.DoubleCacheStream;
import io.cantle.IntCacheStream;
import io.cantle.LongCacheStream;
import io.cantle.ScanSettings;
import io.cantle.function.SerializableSupplier;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.BaseStream;
import java.util.stream.Collector;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Converts a pipeline that was written for streams over caches into calls of {@code
 * java.util.stream}, so that it need not be written twice. Over a JDK stream it gives the result to
 * compare with. Over a stream of a cache it uses the methods that take plain functions and run on
 * the calling node.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class JdkCalls {
  private static final Set<Method> CALLED = ConcurrentHashMap.newKeySet();

  private JdkCalls() {}

  /** Wraps a stream so that all calls use the JDK's methods. */
  public static <T> CacheStream<T> to(Stream<T> stream) {
    return to(stream, () -> true);
  }

  /** Wraps a stream; before each call {@code plainly} says whether to use the JDK's method. */
  @SuppressWarnings("unchecked")
  public static <T> CacheStream<T> to(Stream<T> stream, BooleanSupplier plainly) {
    return (CacheStream<T>) wrapped(stream, plainly);
  }

  /** The JDK methods that were called so far. */
  public static Set<Method> called() {
    return Set.copyOf(CALLED);
  }

  /** The JDK interface of a stream. */
  private static Class<?> jdkInterface(BaseStream<?, ?> stream) {
    return switch (stream) {
      case IntStream _ -> IntStream.class;
      case LongStream _ -> LongStream.class;
      case DoubleStream _ -> DoubleStream.class;
      default -> Stream.class;
    };
  }

  private static Class<?> ofCaches(BaseStream<?, ?> stream) {
    return switch (stream) {
      case IntStream _ -> IntCacheStream.class;
      case LongStream _ -> LongCacheStream.class;
      case DoubleStream _ -> DoubleCacheStream.class;
      default -> CacheStream.class;
    };
  }

  private static Object wrapped(BaseStream<?, ?> stream, BooleanSupplier plainly) {
    return Proxy.newProxyInstance(
        JdkCalls.class.getClassLoader(),
        new Class<?>[] {ofCaches(stream)},
        (_, method, arguments) -> call(stream, plainly, method, arguments));
  }

  private static @Nullable Object call(
      BaseStream<?, ?> stream, BooleanSupplier plainly, Method method, Object @Nullable [] given)
      throws Throwable {
    if (method.getDeclaringClass() == ScanSettings.class && !(stream instanceof ScanSettings<?>)) {
      return wrapped(stream, plainly);
    }
    Object[] arguments = given == null ? new Object[0] : given.clone();
    Method called = method;
    if (!(stream instanceof ScanSettings<?>) || plainly.getAsBoolean()) {
      if (method.getName().equals("collect")
          && arguments.length == 1
          && arguments[0] instanceof SerializableSupplier<?> supplier) {
        arguments[0] = supplier.get();
      }
      called = jdkMethod(jdkInterface(stream), method, arguments);
      CALLED.add(called);
    }
    Object result;
    try {
      result = called.invoke(stream, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
    if (result instanceof BaseStream<?, ?> next) {
      return wrapped(next, plainly);
    }
    return method.getReturnType() == CloseableIterator.class
            && !(result instanceof CloseableIterator<?>)
        ? closeable((Iterator<?>) result)
        : result;
  }

  /** The JDK interface's method with the same parameters; methods of settings stay as they are. */
  private static Method jdkMethod(Class<?> type, Method method, Object[] arguments) {
    if (method.getDeclaringClass() == ScanSettings.class) {
      return method;
    }
    for (Method candidate : type.getMethods()) {
      if (candidate.getName().equals(jdkName(method))
          && !candidate.isBridge()
          && candidate.getParameterCount() == arguments.length
          && takes(candidate, method)) {
        return candidate;
      }
    }
    throw new IllegalStateException("the JDK has no " + method);
  }

  private static String jdkName(Method method) {
    return method.getName().equals("forEachOnOwners") ? "forEach" : method.getName();
  }

  private static boolean takes(Method candidate, Method method) {
    Class<?>[] wanted = candidate.getParameterTypes();
    Class<?>[] given = method.getParameterTypes();
    for (int i = 0; i < wanted.length; i++) {
      if (!wanted[i].isAssignableFrom(given[i])
          && !(wanted[i] == Collector.class && given[i] == SerializableSupplier.class)) {
        return false;
      }
    }
    return true;
  }

  private static <T> CloseableIterator<T> closeable(Iterator<T> iterator) {
    return new CloseableIterator<>() {
      @Override
      public boolean hasNext() {
        return iterator.hasNext();
      }

      @Override
      public T next() {
        return iterator.next();
      }

      @Override
      public void close() {}
    };
  }
}
