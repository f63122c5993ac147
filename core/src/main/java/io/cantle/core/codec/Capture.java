package io.cantle.core.codec;

import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.List;
import java.util.Objects;

/**
 * Something that a lambda captured and that cannot be sent, in the words of the lambda's source.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param function the class of the lambda
 * @param index which captured value it is, from 0
 */
record Capture(Class<?> function, SerializedLambda lambda, int index, Classes classes) {

  /** What cannot be sent, why, and what to do. */
  String refusal(String reason) {
    LambdaCode code = LambdaCode.read(function, lambda);
    boolean self = isReceiver() && (code.isLambda() || "this".equals(code.receiver()));
    if (self) {
      return code
          + " uses this ("
          + type()
          + ")"
          + fields(code)
          + ", and cannot be sent: "
          + reason;
    }
    return subject(code) + verdict(reason);
  }

  private String subject(LambdaCode code) {
    if (isReceiver()) {
      String receiver = code.receiver();
      return (receiver == null ? "the object" : receiver)
          + " of type "
          + type()
          + " bound to "
          + code;
    }
    String name = code.variable(index);
    return name != null
        ? "variable \"" + name + "\" of type " + type() + " captured by " + code
        : "captured value "
            + (index + 1)
            + " of "
            + lambda.getCapturedArgCount()
            + " (of type "
            + type()
            + ") of "
            + code;
  }

  private String verdict(String reason) {
    Class<?> type = captured().getClass();
    if (type.isHidden()
        || type == Class.class
        || classes.allowed().allows(type)
        || classes.codecs().of(captured()) != null) {
      return " cannot be sent: " + reason;
    }
    return " is not allowed: "
        + Classes.remedy(type.getName())
        + ". Alternatives: capture a plain value, or let the function find it where it runs";
  }

  /** The classic mistake is a field, which is this of which only a part is wanted. */
  private static String fields(LambdaCode code) {
    List<String> fields = code.fields();
    String copy = "; copy the field into a local variable first";
    return switch (fields.size()) {
      case 0 -> ", probably through one of its fields or methods" + copy;
      case 1 -> " for its field \"" + fields.getFirst() + '"' + copy;
      default -> " for its fields " + String.join(", ", fields) + copy.replace("field", "fields");
    };
  }

  /** Whether it is the object whose method is called, and not one of the method's parameters. */
  private boolean isReceiver() {
    return index == 0 && lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic;
  }

  private String type() {
    Class<?> type = captured().getClass();
    // A lambda's own class has no name that its author knows.
    return type.isHidden() ? type.getInterfaces()[0].getTypeName() : type.getTypeName();
  }

  private Object captured() {
    // Null can always be sent.
    return Objects.requireNonNull(lambda.getCapturedArg(index));
  }
}
