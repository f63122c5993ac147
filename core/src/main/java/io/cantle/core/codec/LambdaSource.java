package io.cantle.core.codec;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.attribute.CodeAttribute;
import java.lang.classfile.attribute.LineNumberInfo;
import java.lang.classfile.attribute.LocalVariableInfo;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes a lambda or method reference as its author wrote it, from the class file it was
 * compiled to. The body of a lambda is a method of its own. The first parameters of that method are
 * the captured variables, with their names if the class has debug information. An instruction of
 * the enclosing method creates the function. Without the class file or debug information, the
 * description says less.
 *
 * <p><b>Threading:</b> one thread.
 */
final class LambdaSource {
  private static final String DESERIALIZER_METHOD = "$deserializeLambda$";
  private static final int MAX_LINES = 3;

  private final SerializedLambda lambda;
  private final String className;
  private final Set<String> methods = new LinkedHashSet<>();
  private final Set<Integer> lines = new TreeSet<>();
  private final Set<String> receivers = new LinkedHashSet<>();
  private final List<@Nullable String> variables = new ArrayList<>();
  private final Set<String> fields = new LinkedHashSet<>();
  private final Set<String> setFields = new LinkedHashSet<>();
  private String source = "";
  private boolean isLambda;

  private LambdaSource(SerializedLambda lambda) {
    this.lambda = lambda;
    this.className = lambda.getCapturingClass().replace('/', '.');
    this.isLambda = lambda.getImplMethodName().startsWith("lambda$");
  }

  /** Reads what the class file of the capturing class says about a lambda. */
  static LambdaSource read(Class<?> function, SerializedLambda lambda) {
    LambdaSource source = new LambdaSource(lambda);
    String file = "/" + lambda.getCapturingClass() + ".class";
    try (InputStream in = function.getResourceAsStream(file)) {
      if (in != null) {
        source.read(ClassFile.of().parse(in.readAllBytes()));
      }
    } catch (IOException | IllegalArgumentException e) {
      // An unreadable class file is treated like a missing one.
      return new LambdaSource(lambda);
    }
    return source;
  }

  /** Whether it is a lambda rather than a method reference. */
  boolean isLambda() {
    return isLambda;
  }

  /** The name of a captured variable, or null if it is unknown. */
  @Nullable String variableName(int index) {
    return index < variables.size() ? variables.get(index) : null;
  }

  /** The fields of {@code this} that the body of the lambda reads directly. */
  List<String> fields() {
    return List.copyOf(fields);
  }

  /** The fields of the capturing class that the body of the lambda sets directly. */
  Set<String> setFields() {
    return setFields;
  }

  /**
   * The expression before the colons of a method reference, such as "this". Null if it is unknown,
   * for instance because the class refers to the method twice.
   */
  @Nullable String receiver() {
    return receivers.size() == 1 && !receivers.contains("") ? receivers.iterator().next() : null;
  }

  @Override
  public String toString() {
    String what =
        isLambda
            ? "the lambda"
            : "the method reference %s::%s"
                .formatted(lambda.getImplClass().replace('/', '.'), lambda.getImplMethodName());
    String method = methods.size() == 1 ? "." + methods.iterator().next() : "";
    return "%s in %s%s%s".formatted(what, className, method, describeLocation());
  }

  private String describeLocation() {
    String where =
        lines.stream().limit(MAX_LINES).map(String::valueOf).collect(Collectors.joining(" or "));
    if (where.isEmpty()) {
      return source.isEmpty() ? "" : " (" + source + ")";
    }
    return " (" + (source.isEmpty() ? "line " : source + ":") + where + ")";
  }

  private void read(ClassModel model) {
    source =
        model
            .findAttribute(Attributes.sourceFile())
            .map(attribute -> attribute.sourceFile().stringValue())
            .orElse("");
    for (MethodModel method : model.methods()) {
      Optional<CodeAttribute> code = method.findAttribute(Attributes.code());
      if (code.isEmpty() || method.methodName().equalsString(DESERIALIZER_METHOD)) {
        continue;
      }
      if (isLambdaBody(method)) {
        isLambda = true;
        readBody(code.get());
      }
      readEnclosing(method, code.get());
    }
  }

  private boolean isLambdaBody(MethodModel method) {
    return lambda.getImplClass().equals(lambda.getCapturingClass())
        && method.flags().has(AccessFlag.SYNTHETIC)
        && method.methodName().equalsString(lambda.getImplMethodName())
        && method.methodType().equalsString(lambda.getImplMethodSignature());
  }

  private void readBody(CodeAttribute code) {
    lines.clear();
    addLine(code, 0);
    int slot = 0;
    if (lambda.getImplMethodKind() != MethodHandleInfo.REF_invokeStatic) {
      variables.add("this");
      slot = 1;
    }
    for (ClassDesc type :
        MethodTypeDesc.ofDescriptor(lambda.getImplMethodSignature()).parameterList()) {
      variables.add(variableAt(code, slot, 0));
      String descriptor = type.descriptorString();
      slot += descriptor.equals("J") || descriptor.equals("D") ? 2 : 1;
    }
    Instruction preceding = null;
    for (CodeElement element : code) {
      if (element instanceof FieldInstruction field
          && field.opcode() == Opcode.GETFIELD
          && preceding instanceof LoadInstruction load
          && load.slot() == 0) {
        fields.add(field.name().stringValue());
      }
      if (element instanceof FieldInstruction field
          && field.opcode() == Opcode.PUTFIELD
          && field.owner().asInternalName().equals(lambda.getImplClass())) {
        setFields.add(field.name().stringValue());
      }
      if (element instanceof Instruction instruction) {
        preceding = instruction;
      }
    }
  }

  /**
   * Looks for the instruction that creates the function. Two equal method references cannot be told
   * apart.
   */
  private void readEnclosing(MethodModel method, CodeAttribute code) {
    List<Instruction> preceding = new ArrayList<>();
    int position = 0;
    for (CodeElement element : code) {
      if (element instanceof Instruction instruction) {
        if (instruction instanceof InvokeDynamicInstruction call && createsFunction(call)) {
          methods.add(nameOf(method));
          if (!isLambda) {
            addLine(code, position);
            receivers.add(findReceiver(method, code, preceding, position));
          }
        }
        preceding.add(instruction);
        position += instruction.sizeInBytes();
      }
    }
  }

  private boolean createsFunction(InvokeDynamicInstruction call) {
    return call.name().equalsString(lambda.getFunctionalInterfaceMethodName())
        && call.bootstrapArgs().stream().anyMatch(this::isImplementation);
  }

  private boolean isImplementation(Object argument) {
    return argument instanceof DirectMethodHandleDesc handle
        && handle.owner().descriptorString().equals("L" + lambda.getImplClass() + ";")
        && handle.methodName().equals(lambda.getImplMethodName())
        && handle.lookupDescriptor().equals(lambda.getImplMethodSignature());
  }

  /** The name of a method. For the body of an outer lambda, it is that of its enclosing method. */
  private static String nameOf(MethodModel method) {
    String name = method.methodName().stringValue();
    int end = name.startsWith("lambda$") ? name.indexOf('$', 7) : -1;
    return end < 0 ? name : name.substring(7, end);
  }

  /** Returns what a method reference is bound to, or an empty string. */
  private static String findReceiver(
      MethodModel method, CodeAttribute code, List<Instruction> preceding, int position) {
    int last = preceding.size() - 1;
    // The compiler inserts a null check of the object, which the reference itself would not make.
    if (last >= 3
        && preceding.get(last).opcode() == Opcode.POP
        && preceding.get(last - 1) instanceof InvokeInstruction check
        && check.name().equalsString("requireNonNull")) {
      last -= 3;
    }
    if (last < 0) {
      return "";
    }
    return switch (preceding.get(last)) {
      case LoadInstruction load when load.slot() == 0 && !method.flags().has(AccessFlag.STATIC) ->
          "this";
      case LoadInstruction load -> {
        String name = variableAt(code, load.slot(), position);
        yield name == null ? "" : "variable \"" + name + '"';
      }
      case FieldInstruction field -> "field \"" + field.name().stringValue() + '"';
      default -> "";
    };
  }

  private static @Nullable String variableAt(CodeAttribute code, int slot, int position) {
    return code.findAttribute(Attributes.localVariableTable()).stream()
        .flatMap(table -> table.localVariables().stream())
        .filter(variable -> variable.slot() == slot && isAlive(variable, position))
        .map(variable -> variable.name().stringValue())
        // The compiler's name for the receiver of a method reference that it compiles to a lambda.
        .filter(name -> !name.equals("rec$"))
        .findFirst()
        .orElse(null);
  }

  private static boolean isAlive(LocalVariableInfo variable, int position) {
    return variable.startPc() <= position && position < variable.startPc() + variable.length();
  }

  private void addLine(CodeAttribute code, int position) {
    code.findAttribute(Attributes.lineNumberTable()).stream()
        .flatMap(table -> table.lineNumbers().stream())
        .filter(entry -> entry.startPc() <= position)
        .map(LineNumberInfo::lineNumber)
        .reduce((earlier, later) -> later)
        .ifPresent(lines::add);
  }
}
