package io.cantle.core.codec;

import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.TypeVariable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes serializable lambdas apart and reassembles them. Both operations use private methods: a
 * generated {@code writeReplace} in the lambda, and a generated {@code $deserializeLambda$} in the
 * capturing class. The JDK's {@code sun.reflect.ReflectionFactory}, which the module {@code
 * jdk.unsupported} provides for serialization libraries, can call them in any module. So neither
 * the user's packages nor {@code java.util}, where {@code Comparator.comparing} creates its
 * lambdas, need to be opened to Cantle.
 *
 * <p>The factory is called by reflection because the compiler warns of direct use in a way that
 * cannot be suppressed.
 *
 * <p><b>Threading:</b> any thread.
 */
final class LambdaReflection {
  private static final Object FACTORY;
  private static final MethodHandle WRITE_REPLACE;
  private static final MethodHandle READ_RESOLVE;

  static {
    try {
      Class<?> type = Class.forName("sun.reflect.ReflectionFactory");
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      FACTORY =
          lookup.findStatic(type, "getReflectionFactory", MethodType.methodType(type)).invoke();
      MethodType method = MethodType.methodType(MethodHandle.class, Class.class);
      WRITE_REPLACE =
          lookup.findVirtual(type, "writeReplaceForSerialization", method).bindTo(FACTORY);
      MethodHandle readResolve =
          (MethodHandle)
              lookup
                  .findVirtual(type, "readResolveForSerialization", method)
                  .bindTo(FACTORY)
                  .invokeExact(SerializedLambda.class);
      READ_RESOLVE =
          readResolve.asType(MethodType.methodType(Object.class, SerializedLambda.class));
    } catch (Throwable e) {
      throw new IllegalStateException(
          "functions cannot be sent: the module jdk.unsupported of the JDK is missing", e);
    }
  }

  /**
   * The handles that take apart the lambdas of a class. The class holds its handle, so both are
   * unloaded together.
   */
  private static final ClassValue<MethodHandle> WRITE_REPLACE_HANDLES =
      new ClassValue<>() {
        @Override
        protected MethodHandle computeValue(Class<?> type) {
          try {
            MethodHandle handle = (MethodHandle) WRITE_REPLACE.invokeExact((Class) type);
            return handle.asType(MethodType.methodType(Object.class, Object.class));
          } catch (Throwable e) {
            throw new IllegalStateException("no writeReplace in " + type.getName(), e);
          }
        }
      };

  private LambdaReflection() {}

  /**
   * Returns the parts of a lambda, or null if the object is not a lambda.
   *
   * @throws IllegalArgumentException if it is a lambda that is not serializable
   */
  static @Nullable SerializedLambda disassemble(Object function) {
    Class<?> type = function.getClass();
    if (!type.isHidden()) {
      return null;
    }
    if (!(function instanceof Serializable)) {
      throw new IllegalArgumentException(
          ("the function %s is not serializable: pass it directly to a method whose parameter is one"
                  + " of the Serializable function types, or cast it to (%s & Serializable)")
              .formatted(type.getName(), describeType(type)));
    }
    try {
      return (Object) WRITE_REPLACE_HANDLES.get(type).invokeExact(function)
              instanceof SerializedLambda lambda
          ? lambda
          : null;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalArgumentException(
          "the function " + type.getName() + " cannot be taken apart", e);
    }
  }

  /** The type of a lambda as it is written in Java, such as {@code Function<T, R>}. */
  private static String describeType(Class<?> lambda) {
    Class<?>[] types = lambda.getInterfaces();
    if (types.length == 0) {
      return "the type of the function";
    }
    String parameters =
        Stream.of(types[0].getTypeParameters())
            .map(TypeVariable::getName)
            .collect(Collectors.joining(", "));
    return types[0].getSimpleName() + (parameters.isEmpty() ? "" : "<" + parameters + ">");
  }

  /** Whether a captured value is the receiver of the called method, not one of its parameters. */
  static boolean isReceiver(SerializedLambda lambda, int index) {
    return index == 0 && lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic;
  }

  /** Creates the lambda with these parts. */
  static Object assemble(SerializedLambda lambda) throws ObjectStreamException {
    try {
      return (Object) READ_RESOLVE.invokeExact(lambda);
    } catch (ObjectStreamException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a lambda could not be created", e);
    }
  }
}
