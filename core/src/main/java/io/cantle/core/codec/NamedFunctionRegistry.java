package io.cantle.core.codec;

import io.cantle.NamedFunctions;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The functions that are sent by name. The name is followed by the JDK's function types of the
 * sender's object, one of which the receiver expects. A node that has another kind of function
 * under the name can therefore say so, instead of failing later.
 *
 * <p><b>Threading:</b> immutable.
 */
final class NamedFunctionRegistry {
  private static final int MAX_NAME_BYTES = 100;
  private static final int MAX_TYPES = 64;

  private final IdentityHashMap<Object, RegisteredFunction> byFunction = new IdentityHashMap<>();
  private final Map<String, RegisteredFunction> byName = new TreeMap<>();
  private final String nodeName;

  private record RegisteredFunction(String name, Object function, Set<String> types) {}

  /**
   * Creates the registry of a node.
   *
   * @throws IllegalArgumentException if something registered is not a function
   */
  NamedFunctionRegistry(NamedFunctions functions, String nodeName) {
    this.nodeName = nodeName;
    functions
        .byName()
        .forEach(
            (name, function) -> {
              Set<String> types = new TreeSet<>();
              collectTypes(function.getClass(), types);
              if (types.isEmpty()) {
                throw new IllegalArgumentException(
                    ("GridConfig.function \"%s\" is of type %s, which is not a java.util.function"
                            + " type, Comparator, Runnable or Callable")
                        .formatted(name, function.getClass().getTypeName()));
              }
              RegisteredFunction registered = new RegisteredFunction(name, function, types);
              byFunction.put(function, registered);
              byName.put(name, registered);
            });
  }

  /**
   * Writes a code, and the name and the types under which this same object is registered. Returns
   * false, and writes nothing, if it is not registered.
   */
  boolean writeIfNamed(Object function, int code, Output out) {
    RegisteredFunction registered = byFunction.get(function);
    if (registered == null) {
      return false;
    }
    out.writeByte(code);
    out.writeString(registered.name);
    out.writeList(registered.types, out::writeString);
    return true;
  }

  /**
   * Reads a name and returns the function registered under it on this node.
   *
   * @throws MalformedException if there is none, or it lacks a type of the sender's function
   */
  Object read(Input in) {
    String name = in.readString(MAX_NAME_BYTES);
    int count = in.readCount(MAX_TYPES);
    RegisteredFunction found = byName.get(name);
    if (found == null) {
      throw new MalformedException(
          ("function \"%s\" is not registered on node %s: start every node with"
                  + " GridConfig.function(\"%s\", ...) before one of them uses it")
              .formatted(name, nodeName, name));
    }
    for (int i = 0; i < count; i++) {
      String type = in.readString(LambdaDescriptor.MAX_NAME_BYTES);
      if (!found.types.contains(type)) {
        throw new MalformedException(
            ("function \"%s\" on node %s is not a %s, as it is at the sender, but a %s: register"
                    + " functions of the same type under one name on every node")
                .formatted(name, nodeName, type, String.join(" and a ", found.types)));
      }
    }
    return found.function;
  }

  /** Whether this same object is registered on this node. */
  boolean contains(Object function) {
    return byFunction.containsKey(function);
  }

  /** Whether objects of a class are functions. */
  static boolean isFunction(Class<?> type) {
    Set<String> types = new TreeSet<>();
    collectTypes(type, types);
    return !types.isEmpty();
  }

  private static void collectTypes(@Nullable Class<?> type, Set<String> types) {
    if (type == null) {
      return;
    }
    if (PlatformTypes.isPlatform(type.getName()) && PlatformTypes.isFunctionType(type.getName())) {
      types.add(type.getName());
    }
    collectTypes(type.getSuperclass(), types);
    for (Class<?> above : type.getInterfaces()) {
      collectTypes(above, types);
    }
  }
}
