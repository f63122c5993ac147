package io.cantle.core.codec;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JDK classes that are plain data, and those whose methods a method reference may name. Data
 * classes are listed one by one, because a package such as {@code java.util} also contains timers,
 * service loaders and file readers.
 *
 * <p><b>Threading:</b> immutable.
 */
final class PlatformTypes {
  /** The map of {@code CacheCollectors.toMap}, which applications take for one of the JDK. */
  private static final String COLLECTED_MAP = "io.cantle.CollectedMap";

  private static final List<String> PLATFORM_PREFIXES =
      List.of("java.", "jdk.", "sun.", "com.sun.", COLLECTED_MAP);

  private static final Set<String> VALUE_TYPES =
      Stream.of(
              prefixAll(
                  "java.lang.",
                  "Boolean Byte CharSequence Character Comparable Double Enum Float Integer Long Number Object Record"
                      + " Short String StringBuilder StringBuffer"
                      + " String$CaseInsensitiveComparator"),
              prefixAll("java.io.", "Serializable"),
              prefixAll("java.math.", "BigDecimal BigInteger MathContext RoundingMode"),
              prefixAll(
                  "java.util.",
                  "ArrayDeque ArrayList Arrays$ArrayList BitSet Collection Comparator"
                      + " Comparators$NaturalOrderComparator Comparators$NullComparator Currency"
                      + " Date DoubleSummaryStatistics EnumMap EnumSet HashMap HashSet"
                      + " IdentityHashMap IntSummaryStatistics JumboEnumSet LinkedHashMap"
                      + " LinkedHashSet LinkedList List Locale LongSummaryStatistics Map"
                      + " NavigableMap"
                      + " NavigableSet Optional OptionalDouble OptionalInt OptionalLong"
                      + " PriorityQueue RegularEnumSet SequencedCollection SequencedMap"
                      + " SequencedSet Set SortedMap SortedSet StringJoiner TreeMap TreeSet UUID"
                      + " Vector AbstractMap$SimpleEntry AbstractMap$SimpleImmutableEntry"
                      + " KeyValueHolder Map$Entry ImmutableCollections$List12"
                      + " ImmutableCollections$ListN ImmutableCollections$Set12"
                      + " ImmutableCollections$SetN ImmutableCollections$Map1"
                      + " ImmutableCollections$MapN ImmutableCollections$SubList"),
              prefixAll(
                  "java.util.Collections$",
                  "EmptyList EmptyMap EmptySet SingletonList SingletonMap SingletonSet"
                      + " ReverseComparator ReverseComparator2 CopiesList SetFromMap"
                      + " UnmodifiableCollection UnmodifiableList UnmodifiableMap"
                      + " UnmodifiableNavigableMap UnmodifiableNavigableSet"
                      + " UnmodifiableRandomAccessList UnmodifiableSequencedCollection"
                      + " UnmodifiableSequencedMap UnmodifiableSequencedSet UnmodifiableSet"
                      + " UnmodifiableSortedMap UnmodifiableSortedSet SynchronizedCollection"
                      + " SynchronizedList SynchronizedMap SynchronizedNavigableMap"
                      + " SynchronizedNavigableSet SynchronizedRandomAccessList SynchronizedSet"
                      + " SynchronizedSortedMap SynchronizedSortedSet"),
              prefixAll(
                  "java.util.concurrent.",
                  "ConcurrentHashMap ConcurrentHashMap$KeySetView ConcurrentLinkedDeque"
                      + " ConcurrentLinkedQueue ConcurrentSkipListMap ConcurrentSkipListSet"
                      + " CopyOnWriteArrayList CopyOnWriteArraySet TimeUnit atomic.AtomicBoolean"
                      + " atomic.AtomicInteger atomic.AtomicLong atomic.AtomicReference"
                      + " atomic.DoubleAdder"
                      + " atomic.DoubleAdder$SerializationProxy atomic.LongAdder"
                      + " atomic.LongAdder$SerializationProxy"),
              prefixAll("java.util.stream.Collectors$", "Partition"),
              Stream.of(COLLECTED_MAP),
              prefixAll("java.net.", "URI"),
              prefixAll("java.util.regex.", "Pattern"),
              prefixAll("", "boolean byte char short int long float double"))
          .flatMap(names -> names)
          .collect(Collectors.toUnmodifiableSet());

  /** The types with a tag of their own in the frozen format, except for unmodifiable lists. */
  private static final Set<String> FROZEN_TYPES =
      Stream.of(
              prefixAll(
                  "java.lang.", "Boolean Byte Short Integer Long Float Double Character String"),
              prefixAll("java.math.", "BigInteger BigDecimal"),
              prefixAll("java.util.", "UUID ArrayList"),
              prefixAll(
                  "java.time.",
                  "Instant LocalDate LocalTime LocalDateTime Duration Period Year YearMonth MonthDay"
                      + " ZoneOffset OffsetTime OffsetDateTime ZonedDateTime"))
          .flatMap(names -> names)
          .collect(Collectors.toUnmodifiableSet());

  /** Packages of pure functions, such as {@code String::length} or {@code Duration::toHours}. */
  private static final Set<String> FUNCTION_PACKAGES =
      Set.of(
          "java.lang",
          "java.math",
          "java.util",
          "java.util.concurrent.atomic",
          "java.util.function",
          "java.util.regex",
          "java.util.stream");

  /** Classes of those packages whose methods have effects beyond their arguments. */
  private static final Set<String> IMPURE_CLASSES =
      Stream.concat(
              prefixAll(
                  "java.lang.",
                  "Class ClassLoader ClassValue Compiler InheritableThreadLocal Module ModuleLayer"
                      + " Package Process ProcessBuilder ProcessHandle Runtime RuntimePermission"
                      + " ScopedValue SecurityManager Shutdown StackWalker System Terminator Thread"
                      + " ThreadBuilders ThreadGroup ThreadLocal VirtualThread"),
              prefixAll(
                  "java.util.",
                  "Formatter Properties PropertyResourceBundle ResourceBundle Scanner"
                      + " ServiceLoader Timer TimerTask TimeZone"))
          .collect(Collectors.toUnmodifiableSet());

  /** Methods with such effects in classes whose other methods have none. */
  private static final Set<String> IMPURE_METHODS =
      prefixAll(
              "java.",
              "lang.Boolean.getBoolean lang.Integer.getInteger lang.Long.getLong"
                  + " util.Locale.setDefault")
          .collect(Collectors.toUnmodifiableSet());

  private static final Set<String> FUNCTION_TYPES =
      Set.of(
          "java.lang.Runnable",
          "java.util.Comparator",
          "java.util.concurrent.Callable",
          "java.util.stream.Gatherer$Integrator",
          "java.util.stream.Gatherer$Integrator$Greedy");

  private PlatformTypes() {}

  /**
   * Whether objects of the class of this name are plain data. Function types count as element types
   * of arrays; whether a function may be an element is checked elsewhere.
   */
  static boolean isValue(String className) {
    return VALUE_TYPES.contains(className) || isTime(className) || isFunctionType(className);
  }

  /** Whether the class of this name has a frozen format of its own. */
  static boolean hasFrozenFormat(String className) {
    return FROZEN_TYPES.contains(className);
  }

  /** Whether lambdas may have the type of this name, which is the JDK's or Cantle's. */
  static boolean isFunctionType(String className) {
    return className.startsWith("java.util.function.")
        || className.startsWith("io.cantle.function.")
        || FUNCTION_TYPES.contains(className);
  }

  /** Whether a method reference may name this method of this class. */
  static boolean isFunction(String className, String method) {
    if (className.equals("java.lang.Class")) {
      return method.equals("isInstance") || method.equals("cast");
    }
    int dot = className.lastIndexOf('.');
    if (dot < 0) {
      return false;
    }
    if (isTime(className)) {
      return true;
    }
    int nested = className.indexOf('$', dot);
    String outermost = nested < 0 ? className : className.substring(0, nested);
    return FUNCTION_PACKAGES.contains(className.substring(0, dot))
        && !IMPURE_CLASSES.contains(outermost);
  }

  /** Whether a method has effects beyond its arguments although its class is allowed. */
  static boolean isBarred(String className, String method) {
    return IMPURE_METHODS.contains(className + "." + method);
  }

  /** Whether it is the class of the maps that {@code CacheCollectors.toMap} makes. */
  static boolean isCollectedMap(Class<?> type) {
    return type.getName().equals(COLLECTED_MAP);
  }

  /**
   * Whether a class belongs to the JDK, or takes the place of one, so that no setting allows it.
   */
  static boolean isPlatform(String className) {
    return PLATFORM_PREFIXES.stream().anyMatch(className::startsWith);
  }

  /** Whether this class creates serializable lambdas of the JDK or of Cantle itself. */
  static boolean capturesLambdas(String className) {
    return switch (className) {
      case "java.util.Comparator", "java.util.Map$Entry" -> true;
      case "io.cantle.function.SerializableComparator", "io.cantle.CacheCollectors" -> true;
      default -> className.startsWith("java.time.chrono.");
    };
  }

  private static boolean isTime(String className) {
    return (className.startsWith("java.time.") && className.indexOf('.', 10) < 0)
        || className.startsWith("java.time.chrono.")
        || className.startsWith("java.time.temporal.");
  }

  private static Stream<String> prefixAll(String prefix, String names) {
    return Stream.of(names.split(" ")).map(prefix::concat);
  }
}
