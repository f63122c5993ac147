package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.io.ObjectStreamException;
import java.lang.invoke.SerializedLambda;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a lambda in the code by names. Class names are written with slashes, as in class
 * files.
 *
 * <p><b>Threading:</b> immutable.
 */
record LambdaDescriptor(
    String capturingClass,
    String interfaceClass,
    String interfaceMethod,
    String interfaceSignature,
    int kind,
    String implementationClass,
    String implementationMethod,
    String implementationSignature,
    String instantiatedType) {

  static LambdaDescriptor of(SerializedLambda lambda) {
    return new LambdaDescriptor(
        lambda.getCapturingClass(),
        lambda.getFunctionalInterfaceClass(),
        lambda.getFunctionalInterfaceMethodName(),
        lambda.getFunctionalInterfaceMethodSignature(),
        lambda.getImplMethodKind(),
        lambda.getImplClass(),
        lambda.getImplMethodName(),
        lambda.getImplMethodSignature(),
        lambda.getInstantiatedMethodType());
  }

  void write(Output out) {
    out.writeString(capturingClass);
    out.writeString(interfaceClass);
    out.writeString(interfaceMethod);
    out.writeString(interfaceSignature);
    out.writeByte(kind);
    out.writeString(implementationClass);
    out.writeString(implementationMethod);
    out.writeString(implementationSignature);
    out.writeString(instantiatedType);
  }

  static LambdaDescriptor read(Input in) {
    return new LambdaDescriptor(
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        in.readByte(),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES),
        StringEncoding.readString(in, StringEncoding.MAX_NAME_BYTES));
  }

  /** Returns why this lambda may not be sent or created, or null if it may. */
  @Nullable String refusalReason(ClassAllowList allowList) {
    String capturing = capturingClass.replace('/', '.');
    if (!allowList.allowsName(capturing) && !PlatformTypes.capturesLambdas(capturing)) {
      return ClassResolver.refusalMessage("a function of", capturing);
    }
    String type = interfaceClass.replace('/', '.');
    if (!allowList.allowsName(type) && !isApiType(type)) {
      return ClassResolver.refusalMessage("the function type", type);
    }
    String implementing = implementationClass.replace('/', '.');
    if (PlatformTypes.isBarred(implementing, implementationMethod)) {
      return "method "
          + implementationMethod
          + " of class "
          + implementing
          + " is not allowed: it reaches beyond its arguments";
    }
    if (!implementing.equals(capturing)
        && !PlatformTypes.isFunction(implementing, implementationMethod)
        && !allowList.allowsName(implementing)) {
      return ClassResolver.refusalMessage("method " + implementationMethod + " of", implementing);
    }
    return null;
  }

  /**
   * Whether a class is one of the function types directly in {@code io.cantle}, which stand beside
   * those of {@code io.cantle.function}.
   */
  private static boolean isApiType(String className) {
    return className.startsWith("io.cantle.") && className.indexOf('.', 10) < 0;
  }

  /** Creates the lambda. To be called only if {@link #refusalReason} returns null. */
  Object instantiate(ClassResolver classResolver, @Nullable Object[] captured) {
    Class<?> capturing =
        classResolver.loadUnchecked("a function of", capturingClass.replace('/', '.'));
    SerializedLambda lambda =
        new SerializedLambda(
            capturing,
            interfaceClass,
            interfaceMethod,
            interfaceSignature,
            kind,
            implementationClass,
            implementationMethod,
            implementationSignature,
            instantiatedType,
            captured);
    try {
      return LambdaReflection.assemble(lambda);
    } catch (RuntimeException | LinkageError | ObjectStreamException e) {
      throw new MalformedException(
          this
              + " does not exist on this node; put the same version of "
              + capturing.getName()
              + " on the class path of every node: "
              + e,
          e);
    }
  }

  @Override
  public String toString() {
    return implementationMethod.startsWith("lambda$")
        ? "the lambda in " + capturingClass.replace('/', '.') + " (" + implementationMethod + ")"
        : "the method reference "
            + implementationClass.replace('/', '.')
            + "::"
            + implementationMethod
            + " in "
            + capturingClass.replace('/', '.');
  }
}
