package io.cantle.core.codec;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.lang.invoke.SerializedLambda;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.fory.Fory;
import org.apache.fory.ThreadSafeFory;
import org.apache.fory.codegen.CodegenException;
import org.apache.fory.config.ForyBuilder;
import org.apache.fory.exception.ForyException;
import org.apache.fory.exception.InsecureException;
import org.apache.fory.logging.LoggerFactory;
import org.apache.fory.memory.MemoryBuffer;
import org.apache.fory.memory.MemoryUtils;
import org.apache.fory.resolver.TypeResolver;
import org.apache.fory.serializer.JdkProxySerializer;
import org.apache.fory.serializer.Serializer;
import org.apache.fory.serializer.StringEncodingUtils;
import org.jspecify.annotations.Nullable;

/**
 * Encodes object graphs of all allowed classes with Apache Fory. The bytes are for memory and for
 * the network between nodes of one version; they are not a storage format.
 *
 * <p>Fory is built when the first object needs it. Most caches never do, and building it takes
 * longer than everything else that a node starts. It generates code for each class. Where that
 * fails, as for some fields whose type has changed, or may not access the class, a second instance
 * without generated code takes over.
 *
 * <p><b>Threading:</b> any thread; instances of Fory are pooled, none is bound to a thread.
 */
final class ForyCodec {
  private static final Pattern REFUSED_CLASS =
      Pattern.compile("(\\S+) (?:is not registered|is forbidden|hit disallowed list)");
  private static final Pattern MISSING_CLASS =
      Pattern.compile("Class (\\S+) not found from classloaders");
  private static final Pattern KIND_MISMATCH =
      Pattern.compile("TypeDef root kind does not match the decoded class: class=(\\S+),");
  private static final int MAX_DEPTH = 1_000;

  private final ClassResolver classResolver;
  private final NamedFunctionRegistry namedFunctions;

  /** Classes that the user's codecs read, by name, whether or not they are allowed. */
  private final Map<String, Class<?>> codedTypes;

  private final LazyFory generated = new LazyFory(true);
  private final LazyFory interpreted = new LazyFory(false);

  /** Fory as it is built on first use, with generated code or without. */
  private final class LazyFory {
    private final boolean generatesCode;
    private volatile @Nullable ThreadSafeFory fory;

    LazyFory(boolean generatesCode) {
      this.generatesCode = generatesCode;
    }

    ThreadSafeFory get() {
      ThreadSafeFory built = fory;
      return built != null ? built : buildOnce();
    }

    private ThreadSafeFory buildOnce() {
      synchronized (ForyCodec.this) {
        ThreadSafeFory built = fory;
        if (built == null) {
          built = build(generatesCode);
          fory = built;
        }
        return built;
      }
    }
  }

  /** A class is in a package that is not open to the code that would be made for it. */
  private static final class NotOpenToAllException extends ForyException {
    private static final long serialVersionUID = 1;

    NotOpenToAllException() {
      super("no code may access the class");
    }

    /** Does nothing: it is thrown and caught for each value of the class. */
    @Override
    public Throwable fillInStackTrace() {
      return this;
    }
  }

  ForyCodec(ClassResolver classResolver, NamedFunctionRegistry namedFunctions) {
    this.classResolver = classResolver;
    this.namedFunctions = namedFunctions;
    codedTypes =
        classResolver.codecs().graphTypes().stream()
            .filter(this::isResolvable)
            .collect(Collectors.toUnmodifiableMap(Class::getName, type -> type));
  }

  /**
   * Writes an object graph. It stores no length.
   *
   * @throws IllegalArgumentException if a class in it is not allowed or cannot be encoded
   */
  void encode(Object value, Output out) {
    byte[] bytes;
    try {
      bytes = HashingBudget.write(classResolver, () -> serialize(value));
    } catch (RuntimeException | StackOverflowError e) {
      Throwable root = root(e);
      throw new IllegalArgumentException(
          "an object of " + value.getClass().getName() + " cannot be encoded: " + describe(root),
          causeOf(root));
    }
    out.write(bytes);
  }

  /** Reads an object graph that takes exactly these bytes. */
  Object decode(byte[] bytes, int offset, int length) {
    MemoryBuffer buffer = MemoryUtils.wrap(bytes, offset, length);
    Object value;
    try {
      value = HashingBudget.read(classResolver, length, () -> deserialize(buffer));
    } catch (RuntimeException | StackOverflowError | LinkageError e) {
      Throwable root = root(e);
      throw new MalformedException("an object cannot be decoded: " + describe(root), causeOf(root));
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
      return generated.get().serialize(value);
    } catch (RuntimeException e) {
      rethrowUnlessOfGeneratedCode(e);
      return interpreted.get().serialize(value);
    }
  }

  private @Nullable Object deserialize(MemoryBuffer buffer) {
    int start = buffer.readerIndex();
    try {
      return generated.get().deserialize(buffer);
    } catch (RuntimeException e) {
      rethrowUnlessOfGeneratedCode(e);
      buffer.readerIndex(start);
      return interpreted.get().deserialize(buffer);
    }
  }

  /**
   * Throws a failure again unless there can be no generated code, which other failures may wrap.
   */
  private static void rethrowUnlessOfGeneratedCode(RuntimeException failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof CodegenException || each instanceof NotOpenToAllException) {
        return;
      }
    }
    throw failure;
  }

  private ThreadSafeFory build(boolean generateCode) {
    // Fory logs to the standard output, which belongs to the application.
    LoggerFactory.disableLogging();
    try {
      // The first thing that needs the private fields of the JDK. The builder would print the
      // stack trace of its failure.
      boolean _ = StringEncodingUtils.isLatin(new char[64]);
      return configure(generateCode)
          .buildThreadSafeForyPool(Math.max(2, Runtime.getRuntime().availableProcessors()));
    } catch (LinkageError e) {
      // Fory finds no way to the private fields of the JDK: neither the flag nor Unsafe.
      throw new IllegalStateException(
          "this JVM denies sun.misc.Unsafe, so such objects need the JVM flag --add-opens"
              + " java.base/java.lang.invoke=ALL-UNNAMED, or =org.apache.fory.core on the module"
              + " path");
    }
  }

  private ForyBuilder configure(boolean generateCode) {
    return Fory.builder()
        .withXlang(false)
        .withRefTracking(true)
        .withCompatible(true)
        // An object of a class of Fory's would take the place of the missing one.
        .withDeserializeUnknownClass(false)
        .serializeEnumByName(true)
        .requireClassRegistration(false)
        .suppressClassRegistrationWarnings(true)
        // Map.entry and the summary statistics are not Serializable, so the allow-list decides.
        .withJdkClassSerializableCheck(false)
        .withTypeChecker((resolver, className) -> allows(className, generateCode))
        .withModule(this::replaceSerializers)
        .withSerializerFactory(this::serializerFor)
        .withMaxDepth(MAX_DEPTH)
        .withCodegen(generateCode)
        .withClassLoader(classResolver.loader());
  }

  /**
   * Has the instance without generated code take over for a public class that its module does not
   * open to the code that would be made, which is in no module. Fory would try it, and print the
   * failure. Code for other classes is defined in their package.
   */
  private static void requireOpenToAll(@Nullable Class<?> type) {
    Class<?> element = type;
    while (element != null && element.isArray()) {
      element = element.getComponentType();
    }
    if (element != null
        && Modifier.isPublic(element.getModifiers())
        && !element.getModule().isExported(element.getPackageName())) {
      throw new NotOpenToAllException();
    }
  }

  /** Returns Cantle's serializer for a class, or null to use that of Fory. */
  private @Nullable Serializer<?> serializerFor(TypeResolver resolver, Class<?> type) {
    if (type.isHidden()) {
      return lambdaSerializer(resolver, type);
    }
    if (ClassRefusal.isOfTheGrid(type)) {
      throw new InsecureException(ClassRefusal.ofTheGrid(type));
    }
    if (resolver.getConfig().isCodeGenEnabled()) {
      requireOpenToAll(type);
    }
    if (PlatformTypes.isCollectedMap(type)) {
      return new CollectedMapSerializer(resolver, type);
    }
    UserCodecRegistry.RegisteredCodec codec =
        codedTypes.containsValue(type) ? classResolver.codecs().findForGraph(type) : null;
    return codec == null
        ? HashedContainers.serializer(resolver, type)
        : new UserCodecSerializer(resolver, classResolver.codecs(), codec);
  }

  /** Applies the allow-list. Lambdas cannot be named in bytes, so their serializer checks them. */
  private boolean allows(String className, boolean generateCode) {
    if (className.contains("$$Lambda/") || isCoded(className)) {
      return true;
    }
    boolean allowed = classResolver.allowList().allowsName(className);
    if (allowed && generateCode) {
      requireOpenToAll(find(className));
    }
    return allowed;
  }

  /** Whether a user's codec reads objects of the class of this name, or arrays of it. */
  private boolean isCoded(String className) {
    return !codedTypes.isEmpty()
        && codedTypes.containsKey(className.replaceFirst("^\\[+L(.*);$", "$1"));
  }

  /** Whether Fory, which looks up classes by name, would find this same class. */
  private boolean isResolvable(Class<?> type) {
    return find(type.getName()) == type;
  }

  private @Nullable Class<?> find(String className) {
    try {
      return Class.forName(className, false, classResolver.loader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }

  /**
   * Replaces the serializers of Fory that would bypass the allow-list: for a proxy Fory checks only
   * the handler, for a lambda only the capturing class.
   */
  private void replaceSerializers(Fory fory) {
    fory.registerSerializer(JdkProxySerializer.ReplaceStub.class, ProxyRejectingSerializer::new);
    fory.registerSerializer(SerializedLambda.class, LambdaSerializer.PartsRejectingSerializer::new);
    fory.registerSerializer(
        org.apache.fory.serializer.LambdaSerializer.ReplaceStub.class,
        resolver ->
            lambdaSerializer(
                resolver, org.apache.fory.serializer.LambdaSerializer.ReplaceStub.class));
    HashedContainers.installIn(fory.getTypeResolver());
    // Registering a serializer would assign a number to the class, which depends on all other
    // registrations and may differ between nodes. But before Fory reads an object of the class, it
    // must know that the class is not read field by field.
    for (Class<?> type : codedTypes.values()) {
      try {
        fory.getTypeResolver().getTypeInfo(type);
      } catch (InsecureException barred) {
        // Fory always rejects some classes of the JDK, and reports it when it meets one.
      }
    }
  }

  // One serializer suffices for the lambdas of every class, since none is written field by field.
  @SuppressWarnings("unchecked")
  private LambdaSerializer lambdaSerializer(TypeResolver resolver, Class<?> type) {
    return new LambdaSerializer(resolver, (Class<Object>) type, classResolver, namedFunctions);
  }

  /** The innermost reason, or Cantle's own. */
  private static Throwable root(Throwable e) {
    Throwable root = e;
    while (root.getCause() != null && !(root instanceof MalformedException)) {
      root = root.getCause();
    }
    return root;
  }

  /** Says what is wrong. Fory would advise switching off the check that refused a class. */
  private String describe(Throwable root) {
    String text = String.valueOf(root.getMessage());
    if (root instanceof MalformedException) {
      return text;
    }
    if (root instanceof StackOverflowError) {
      return "it is nested too deeply for the stack of a thread; keep its parts in a list";
    }
    if (root instanceof ClassNotFoundException) {
      return ClassRefusal.missing("object", text);
    }
    Matcher refused = REFUSED_CLASS.matcher(text);
    if (refused.find()) {
      return classResolver.refusalMessage("object", refused.group(1));
    }
    Matcher missing = MISSING_CLASS.matcher(text);
    if (missing.find()) {
      return ClassRefusal.missing("object", missing.group(1));
    }
    Matcher kind = KIND_MISMATCH.matcher(text);
    if (kind.find()) {
      return ("class %s was written in another way than this node reads it: give every node the same"
              + " version of it and the same codec for it, or none (GridConfig.codec)")
          .formatted(kind.group(1));
    }
    return root instanceof InsecureException ? text : root.toString();
  }

  /**
   * What the user's own code threw, without the frames of Fory; null if nothing of the user's code
   * did, since the frames and the advice of a library that users do not know lead nowhere.
   */
  private static @Nullable Throwable causeOf(Throwable root) {
    if (root instanceof MalformedException malformed) {
      return malformed.getCause();
    }
    StackTraceElement[] frames = root.getStackTrace();
    int own = 0;
    while (own < frames.length && !frames[own].getClassName().startsWith("org.apache.fory.")) {
      own++;
    }
    boolean isExplained =
        root instanceof StackOverflowError
            || root instanceof InsecureException
            || root instanceof ClassNotFoundException;
    if (own == 0 || isExplained) {
      return null;
    }
    root.setStackTrace(Arrays.copyOf(frames, own));
    return root;
  }
}
