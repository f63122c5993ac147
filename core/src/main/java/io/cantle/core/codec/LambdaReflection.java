package io.cantle.core.codec;

import java.io.ObjectStreamException;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.SerializedLambda;
import org.jspecify.annotations.Nullable;

/**
 * Takes serializable lambdas apart and puts them together. Both ends are private: a generated
 * {@code writeReplace} in the lambda, a generated {@code $deserializeLambda$} in the capturing
 * class. The JDK's {@code sun.reflect.ReflectionFactory}, kept in the module {@code
 * jdk.unsupported} for serialization libraries, reaches them in any module, so neither the user's
 * packages nor {@code java.util}, where {@code Comparator.comparing} makes its lambdas, have to be
 * opened to us.
 *
 * <p>It is called by reflection because the compiler warns of it in a way that cannot be
 * suppressed.
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

  /** How to take apart the lambdas of one class; the class keeps it, so it goes with the class. */
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
   * The parts of a lambda; null when the object is none.
   *
   * @throws IllegalArgumentException when it is a lambda and not serializable
   */
  static @Nullable SerializedLambda disassemble(Object function) {
    Class<?> type = function.getClass();
    if (!type.isHidden()) {
      return null;
    }
    if (!(function instanceof Serializable)) {
      throw new IllegalArgumentException(
          "the function "
              + type.getName()
              + " is not serializable: pass it directly to a method whose parameter is one of the"
              + " Serializable function types, or cast it to (Function<A, B> & Serializable)");
    }
    try {
      return (Object) WRITE_REPLACE_HANDLES.get(type).invokeExact(function)
              instanceof SerializedLambda lambda
          ? lambda
          : null;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalArgumentException("the function " + type.getName() + " does not open", e);
    }
  }

  /** The lambda that these are the parts of. */
  static Object assemble(SerializedLambda lambda) throws ObjectStreamException {
    try {
      return (Object) READ_RESOLVE.invokeExact(lambda);
    } catch (ObjectStreamException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("a lambda failed to be made", e);
    }
  }
}
