package io.cantle.core.codec;

import java.lang.invoke.SerializedLambda;
import java.util.List;
import java.util.Objects;

/**
 * A captured variable of a lambda that cannot be sent. It is described in the terms of the lambda's
 * source code, so that the author recognises it.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param function the class of the lambda
 * @param index the index of the captured value, from 0
 */
record CapturedVariable(
    Class<?> function, SerializedLambda lambda, int index, ClassResolver classResolver) {

  /** Says what cannot be sent, why, and what to do. */
  String refusalMessage(String reason) {
    LambdaSource source = LambdaSource.read(function, lambda);
    if (isThis(source)) {
      return "%s uses this (%s)%s, and cannot be sent: %s"
          .formatted(source, typeName(), describeFields(source), reason);
    }
    return describeVariable(source) + describeRefusal(reason);
  }

  /** Names the variable, its type and the function. */
  String describe() {
    LambdaSource source = LambdaSource.read(function, lambda);
    return isThis(source)
        ? "this (%s), used by %s,".formatted(typeName(), source)
        : describeVariable(source);
  }

  private boolean isThis(LambdaSource source) {
    return LambdaReflection.isReceiver(lambda, index)
        && (source.isLambda() || "this".equals(source.receiver()));
  }

  private String describeVariable(LambdaSource source) {
    if (LambdaReflection.isReceiver(lambda, index)) {
      String receiver = source.receiver();
      return "%s of type %s bound to %s"
          .formatted(receiver == null ? "the object" : receiver, typeName(), source);
    }
    String name = source.variableName(index);
    return name != null
        ? "variable \"%s\" of type %s captured by %s".formatted(name, typeName(), source)
        : "captured value %s of %s (of type %s) of %s"
            .formatted(index + 1, lambda.getCapturedArgCount(), typeName(), source);
  }

  private String describeRefusal(String reason) {
    Class<?> type = capturedValue().getClass();
    if (type.isHidden()
        || type == Class.class
        || MutableTypes.isShared(capturedValue())
        || classResolver.allowList().allows(type)
        || classResolver.codecs().find(capturedValue()) != null) {
      return " cannot be sent: " + reason;
    }
    return (" is not allowed: %s. Alternatives: capture a plain value, or let the function find it"
            + " where it runs")
        .formatted(ClassRefusal.remedy(classResolver.allowList(), type));
  }

  /**
   * A common mistake is to use a field, which captures {@code this} although only the field is
   * wanted.
   */
  private String describeFields(LambdaSource source) {
    List<String> fields = source.fields();
    // A copy of a cache could be captured no more than the field.
    String copy =
        fields.stream().anyMatch(this::isOfTheGrid)
            ? ""
            : "; copy the field into a local variable first";
    return switch (fields.size()) {
      case 0 -> ", probably through one of its fields or methods" + copy;
      case 1 -> " for its field \"" + fields.getFirst() + '"' + copy;
      default -> " for its fields " + String.join(", ", fields) + copy.replace("field", "fields");
    };
  }

  private boolean isOfTheGrid(String field) {
    try {
      return ClassRefusal.isOfTheGrid(capturedValue().getClass().getDeclaredField(field).getType());
    } catch (NoSuchFieldException e) {
      // It is inherited.
      return false;
    }
  }

  private String typeName() {
    Class<?> type = capturedValue().getClass();
    // The class of a lambda has no name that its author knows.
    return type.isHidden() ? type.getInterfaces()[0].getTypeName() : type.getTypeName();
  }

  private Object capturedValue() {
    // Null can always be sent, so this is not null.
    return Objects.requireNonNull(lambda.getCapturedArg(index));
  }
}
