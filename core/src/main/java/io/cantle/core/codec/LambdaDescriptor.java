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
  /** The longest name or signature in a class file. */
  static final int MAX_NAME_BYTES = 65_535;

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
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES),
        in.readByte(),
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES),
        in.readString(MAX_NAME_BYTES));
  }

  /** Returns why this lambda may not be sent or created, or null if it may. */
  @Nullable String refusalReason(ClassAllowList allowList) {
    String capturing = capturingClass.replace('/', '.');
    if (!allowList.allowsName(capturing) && !PlatformTypes.capturesLambdas(capturing)) {
      return ClassRefusal.message(allowList, "a function of", capturing);
    }
    String type = interfaceClass.replace('/', '.');
    if (!isApiType(type) && !allowList.allowsName(type)) {
      return ClassRefusal.message(allowList, "the function type", type);
    }
    String implementing = implementationClass.replace('/', '.');
    if (PlatformTypes.isBarred(implementing, implementationMethod)) {
      return "method %s of class %s is not allowed: it reaches beyond its arguments"
          .formatted(implementationMethod, implementing);
    }
    if (!implementing.equals(capturing)
        && !PlatformTypes.isFunction(implementing, implementationMethod)
        && !allowList.allowsName(implementing)) {
      return ClassRefusal.message(
          allowList, "method " + implementationMethod + " of", implementing);
    }
    return null;
  }

  /** Whether the lambda is one of the JDK or of Cantle, made around functions of the user. */
  boolean isOfPlatform() {
    return PlatformTypes.capturesLambdas(capturingClass.replace('/', '.'));
  }

  /** Refuses a lambda that may not be sent or created. */
  void requireAllowed(ClassAllowList allowList) {
    String refusal = refusalReason(allowList);
    if (refusal != null) {
      throw new MalformedException(refusal);
    }
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
          ("%s does not exist on this node; put the same version of %s on the class path or module"
                  + " path of every node: %s")
              .formatted(this, capturing.getName(), e),
          e);
    }
  }

  @Override
  public String toString() {
    String capturing = capturingClass.replace('/', '.');
    return implementationMethod.startsWith("lambda$")
        ? "the lambda in %s (%s)".formatted(capturing, implementationMethod)
        : "the method reference %s::%s in %s"
            .formatted(implementationClass.replace('/', '.'), implementationMethod, capturing);
  }
}
