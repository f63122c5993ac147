package io.cantle.core.codec;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.io.ObjectStreamException;
import java.lang.invoke.SerializedLambda;
import org.jspecify.annotations.Nullable;

/**
 * Where a lambda stands in the code, all by name; class names with slashes, as in class files.
 *
 * <p><b>Threading:</b> immutable.
 */
record LambdaNames(
    String capturingClass,
    String interfaceClass,
    String interfaceMethod,
    String interfaceSignature,
    int kind,
    String implementationClass,
    String implementationMethod,
    String implementationSignature,
    String instantiatedType) {

  static LambdaNames of(SerializedLambda lambda) {
    return new LambdaNames(
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

  static LambdaNames read(Input in) {
    return new LambdaNames(
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES),
        in.readByte(),
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES),
        Text.readString(in, Text.MAX_NAME_BYTES));
  }

  /** Why this lambda may not be sent or made; null when it may. */
  @Nullable String refusal(AllowList allowed) {
    String capturing = capturingClass.replace('/', '.');
    if (!allowed.allowsName(capturing) && !PlatformTypes.capturesLambdas(capturing)) {
      return Classes.refusal("a function of", capturing);
    }
    String type = interfaceClass.replace('/', '.');
    if (!PlatformTypes.isFunctionType(type) && !isApi(type) && !allowed.allowsName(type)) {
      return Classes.refusal("the function type", type);
    }
    String implementing = implementationClass.replace('/', '.');
    if (!implementing.equals(capturing)
        && !PlatformTypes.isFunction(implementing, implementationMethod)
        && !allowed.allowsName(implementing)) {
      return Classes.refusal("method " + implementationMethod + " of", implementing);
    }
    return null;
  }

  /** The types of function that our own interface asks for. */
  private static boolean isApi(String className) {
    String name = className.substring(0, Math.max(0, className.lastIndexOf('.')));
    return name.equals("io.cantle") || name.equals("io.cantle.function");
  }

  /** Makes the lambda; to be called once {@link #refusal} has found nothing. */
  Object putTogether(Classes classes, @Nullable Object[] captured) {
    Class<?> capturing = classes.loadUnchecked("a function of", capturingClass.replace('/', '.'));
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
      return Lambdas.putTogether(lambda);
    } catch (RuntimeException | LinkageError | ObjectStreamException e) {
      MalformedException malformed =
          new MalformedException(
              this
                  + " is not there on this node; put the same version of "
                  + capturing.getName()
                  + " on the class path of every node: "
                  + e);
      malformed.initCause(e);
      throw malformed;
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
