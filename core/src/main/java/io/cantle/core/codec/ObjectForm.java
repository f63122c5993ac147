package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.SerializedLambda;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.fory.Fory;
import org.apache.fory.ThreadSafeFory;
import org.apache.fory.codegen.CodegenException;
import org.apache.fory.exception.InsecureException;
import org.apache.fory.logging.LogLevel;
import org.apache.fory.logging.LoggerFactory;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.memory.MemoryUtils;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.JdkProxySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Object graphs of any class that is allowed, by Apache Fory. The bytes live in memory and on the
 * wire between nodes of one version; they are no form to store.
 *
 * <p>Fory is built when the first object needs it, since most caches never do and it takes longer
 * than everything else a node starts. It generates code per class; where that fails, as for some
 * fields whose type has changed, a second one without generated code takes over.
 *
 * <p><b>Threading:</b> any thread; instances of Fory are pooled, none is bound to a thread.
 */
final class ObjectForm {
  private static final Pattern REFUSED =
      Pattern.compile("(\\S+) (?:is not registered|is forbidden|hit disallowed list)");
  private static final int MAX_DEPTH = 1_000;

  private final Classes classes;
  private final KnownFunctions known;
  private final ReentrantLock building = new ReentrantLock();
  private volatile @Nullable ThreadSafeFory generated;
  private volatile @Nullable ThreadSafeFory interpreted;

  ObjectForm(Classes classes, KnownFunctions known) {
    this.classes = classes;
    this.known = known;
  }

  /**
   * Writes an object graph, which has no length of its own.
   *
   * @throws IllegalArgumentException when a class in it is not allowed or cannot be taken apart
   */
  void encode(Object value, Output out) {
    byte[] bytes;
    try {
      bytes = serialize(value);
    } catch (RuntimeException | StackOverflowError e) {
      throw new IllegalArgumentException(
          "an object of " + value.getClass().getName() + " cannot be encoded: " + why(e), e);
    }
    out.write(bytes);
  }

  /** Reads an object graph that fills these bytes. */
  Object decode(byte[] bytes, int offset, int length) {
    MemoryBuffer buffer = MemoryUtils.wrap(bytes, offset, length);
    Object value;
    try {
      value = deserialize(buffer);
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      MalformedException malformed =
          new MalformedException("an object cannot be decoded: " + why(e));
      malformed.initCause(e);
      throw malformed;
    }
    if (buffer.remaining() != 0) {
      throw new MalformedException(buffer.remaining() + " bytes follow the end of an object");
    }
    if (value == null) {
      throw new MalformedException("null was written as an object");
    }
    return value;
  }

  private byte[] serialize(Object value) {
    try {
      return generated().serialize(value);
    } catch (CodegenException e) {
      return interpreted().serialize(value);
    }
  }

  private @Nullable Object deserialize(MemoryBuffer buffer) {
    int start = buffer.readerIndex();
    try {
      return generated().deserialize(buffer);
    } catch (CodegenException e) {
      buffer.readerIndex(start);
      return interpreted().deserialize(buffer);
    }
  }

  private ThreadSafeFory generated() {
    ThreadSafeFory known = generated;
    if (known != null) {
      return known;
    }
    building.lock();
    try {
      known = generated;
      if (known == null) {
        known = build(true);
        generated = known;
      }
      return known;
    } finally {
      building.unlock();
    }
  }

  private ThreadSafeFory interpreted() {
    building.lock();
    try {
      ThreadSafeFory known = interpreted;
      if (known == null) {
        known = build(false);
        interpreted = known;
      }
      return known;
    } finally {
      building.unlock();
    }
  }

  private ThreadSafeFory build(boolean generateCode) {
    // Fory prints its warnings to the standard output, which belongs to the application.
    LoggerFactory.setLogLevel(LogLevel.ERROR_LEVEL);
    return Fory.builder()
        .withXlang(false)
        .withRefTracking(true)
        .withCompatible(true)
        .serializeEnumByName(true)
        .requireClassRegistration(false)
        .suppressClassRegistrationWarnings(true)
        // Map.entry and the summary statistics are not Serializable; the allow-list decides.
        .withJdkClassSerializableCheck(false)
        .withTypeChecker((resolver, className) -> allows(className))
        .withModule(this::replaceSerializers)
        .withSerializerFactory((resolver, type) -> type.isHidden() ? lambda(resolver, type) : null)
        .withMaxDepth(MAX_DEPTH)
        .withCodegen(generateCode)
        .withClassLoader(classes.loader())
        .buildThreadSafeForyPool(Math.max(2, Runtime.getRuntime().availableProcessors()));
  }

  /** As the allow-list does; of lambdas, which no bytes can name, their serializer asks. */
  private boolean allows(String className) {
    return className.contains("$$Lambda/")
        || (classes.allowed().allowsName(className) && !className.contains("$Proxy"));
  }

  /**
   * Puts ours where Fory's would go round the allow-list: of a proxy it asks for the handler only,
   * of a lambda for the capturing class only.
   */
  private void replaceSerializers(Fory fory) {
    fory.registerSerializer(JdkProxySerializer.ReplaceStub.class, RefusedSerializer::new);
    fory.registerSerializer(SerializedLambda.class, RefusedLambdaSerializer::new);
    fory.registerSerializer(
        org.apache.fory.serializer.LambdaSerializer.ReplaceStub.class,
        resolver ->
            lambda(resolver, org.apache.fory.serializer.LambdaSerializer.ReplaceStub.class));
  }

  // One serializer does for the lambdas of every class: none of them is written by its fields.
  @SuppressWarnings("unchecked")
  private LambdaSerializer lambda(TypeResolver resolver, Class<?> type) {
    return new LambdaSerializer(resolver, (Class<Object>) type, classes, known);
  }

  /**
   * The innermost reason, or ours. Fory's own advice would be to switch off what refused a class.
   */
  private static String why(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && !(root instanceof MalformedException)) {
      root = root.getCause();
    }
    if (root instanceof MalformedException) {
      return String.valueOf(root.getMessage());
    }
    Matcher refused = REFUSED.matcher(String.valueOf(root.getMessage()));
    if (refused.find()) {
      return Classes.refusal("object", refused.group(1));
    }
    return root instanceof InsecureException ? String.valueOf(root.getMessage()) : root.toString();
  }
}
