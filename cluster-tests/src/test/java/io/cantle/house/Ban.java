package io.cantle.house;

import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A ban on something that only its owners may do. The owners named here are the whole list of
 * exceptions. The processes around the grid (command line, simulation, races, benchmarks) may start
 * threads and read clocks freely, so {@link #PROCESSES} are left out where the ban says so.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param description what is banned, as the message says it
 * @param owners the packages that may do it, with those below them
 * @param type a class that must not be named at all
 * @param call a method, constructor or reference to one that must not be used
 */
record Ban(
    String description,
    Set<String> owners,
    Predicate<JavaClass> type,
    Predicate<CodeUnitAccessTarget> call) {

  /** The packages that own a process, and are not part of a node. */
  static final Set<String> PROCESSES =
      Set.of("io.cantle.cli", "io.cantle.simulation", "io.cantle.races", "io.cantle.bench");

  private static final Set<String> THREAD_STARTERS =
      Set.of("ofVirtual", "ofPlatform", "startVirtualThread");

  private static final Set<String> THREAD_OWNERS =
      Set.of(
          "java.lang.Thread",
          "java.util.Timer",
          "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ScheduledThreadPoolExecutor",
          "java.util.concurrent.ForkJoinPool");

  private static final Set<String> FILE_TYPES =
      Set.of(
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.RandomAccessFile",
          "java.nio.channels.AsynchronousFileChannel",
          "java.nio.channels.FileChannel",
          "java.nio.file.FileSystems",
          "java.nio.file.Files");

  private static final Set<String> UNTYPED_WAITS =
      Set.of(
          "java.lang.Thread.sleep",
          "java.util.concurrent.TimeUnit.sleep",
          "java.util.concurrent.TimeUnit.timedJoin",
          "java.util.concurrent.TimeUnit.timedWait",
          "java.util.concurrent.locks.Condition.awaitNanos",
          "java.util.concurrent.locks.Condition.awaitUntil",
          "java.util.concurrent.locks.LockSupport.parkNanos",
          "java.util.concurrent.locks.LockSupport.parkUntil");

  static final Ban NETTY =
      new Ban(
          "Netty outside its module",
          Set.of("io.cantle.network"),
          type -> isWithin(type.getPackageName(), "io.netty"),
          call -> false);

  static final Ban JAVA_SERIALIZATION =
      new Ban(
          "Java serialization of data",
          Set.of(),
          type ->
              type.getName().equals("java.io.ObjectInputStream")
                  || type.getName().equals("java.io.ObjectOutputStream"),
          call -> false);

  static final Ban THREADS =
      new Ban(
          "starting threads outside node",
          allowed("io.cantle.core.node", "io.cantle.network", "io.cantle.store.library"),
          type -> type.getName().equals("java.util.concurrent.Executors"),
          Ban::startsThread);

  static final Ban COMMON_POOL =
      new Ban("work on the common pool", allowed(), type -> false, Ban::usesCommonPool);

  static final Ban TIME =
      new Ban(
          "reading the time past the Clock",
          allowed("io.cantle.core.node", "io.cantle.network", "io.cantle.store.library"),
          type -> false,
          Ban::readsTime);

  static final Ban TIMED_WAITS =
      new Ban(
          "timed waits past the Clock",
          allowed("io.cantle.core.node", "io.cantle.network", "io.cantle.store.library"),
          type -> false,
          Ban::waitsByTime);

  static final Ban RANDOMNESS =
      new Ban(
          "randomness without a seed that was passed in",
          allowed("io.cantle.core.node", "io.cantle.network", "io.cantle.store.library"),
          type -> type.getName().equals("java.util.concurrent.ThreadLocalRandom"),
          Ban::drawsRandom);

  static final Ban FILES =
      new Ban(
          "files outside the store",
          allowed("io.cantle.core.node", "io.cantle.store"),
          type -> FILE_TYPES.contains(type.getName()),
          call -> false);

  static final List<Ban> ALL =
      List.of(
          NETTY, JAVA_SERIALIZATION, THREADS, COMMON_POOL, TIME, TIMED_WAITS, RANDOMNESS, FILES);

  /** Returns one line for each use of what is banned. */
  List<String> violations(Iterable<JavaClass> classes) {
    return StreamSupport.stream(classes.spliterator(), false)
        .filter(from -> owners.stream().noneMatch(owner -> isWithin(from.getPackageName(), owner)))
        .flatMap(this::violations)
        .distinct()
        .sorted()
        .toList();
  }

  @Override
  public String toString() {
    return description;
  }

  private Stream<String> violations(JavaClass from) {
    Stream<String> types =
        from.getDirectDependenciesFromSelf().stream()
            .filter(dependency -> type.test(dependency.getTargetClass().getBaseComponentType()))
            .map(dependency -> description + ": " + dependency.getDescription());
    Stream<String> calls =
        from.getAccessesFromSelf().stream()
            .filter(access -> isBannedCall(access))
            .map(access -> description + ": " + access.getDescription());
    return Stream.concat(types, calls);
  }

  private boolean isBannedCall(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target && call.test(target);
  }

  private static Set<String> allowed(String... owners) {
    return Stream.concat(Stream.of(owners), PROCESSES.stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean startsThread(CodeUnitAccessTarget call) {
    String owner = call.getOwner().getName();
    boolean constructs = call.getName().equals("<init>") && THREAD_OWNERS.contains(owner);
    return constructs
        || (owner.equals("java.lang.Thread") && THREAD_STARTERS.contains(call.getName()));
  }

  private static boolean usesCommonPool(CodeUnitAccessTarget call) {
    String name = call.getName();
    boolean asyncWithoutExecutor =
        name.endsWith("Async")
            && (call.getOwner().isAssignableTo(CompletableFuture.class)
                || call.getOwner().isAssignableTo(CompletionStage.class))
            && call.getRawParameterTypes().stream()
                .noneMatch(parameter -> parameter.isEquivalentTo(Executor.class));
    return asyncWithoutExecutor
        || name.equals("commonPool")
        || (name.equals("delayedExecutor")
            && call.getOwner().isEquivalentTo(CompletableFuture.class))
        || ((name.equals("parallelStream") || name.equals("parallel"))
            && isWithin(call.getOwner().getPackageName(), "java.util"));
  }

  private static boolean readsTime(CodeUnitAccessTarget call) {
    String owner = call.getOwner().getName();
    return switch (call.getName()) {
      case "nanoTime", "currentTimeMillis" -> owner.equals("java.lang.System");
      case "now" -> owner.startsWith("java.time.");
      case "<init>" -> owner.equals("java.util.Date") && call.getRawParameterTypes().isEmpty();
      default -> owner.equals("java.time.Clock") && call.getName().startsWith("system");
    };
  }

  private static boolean waitsByTime(CodeUnitAccessTarget call) {
    String owner = call.getOwner().getName();
    boolean takesTimeout =
        owner.startsWith("java.util.concurrent.")
            && !call.getOwner().isEquivalentTo(TimeUnit.class)
            && call.getRawParameterTypes().stream()
                .anyMatch(parameter -> parameter.isEquivalentTo(TimeUnit.class));
    boolean waitsOnMonitor =
        (call.getName().equals("wait") || call.getName().equals("join"))
            && (owner.equals("java.lang.Object") || owner.equals("java.lang.Thread"))
            && !call.getRawParameterTypes().isEmpty();
    return takesTimeout || waitsOnMonitor || UNTYPED_WAITS.contains(owner + "." + call.getName());
  }

  private static boolean drawsRandom(CodeUnitAccessTarget call) {
    String owner = call.getOwner().getName();
    return switch (call.getName()) {
      case "<init>" ->
          owner.equals("java.util.Random")
              || owner.equals("java.util.SplittableRandom")
              || owner.equals("java.security.SecureRandom");
      case "random" -> owner.equals("java.lang.Math") || owner.equals("java.lang.StrictMath");
      case "randomUUID" -> owner.equals("java.util.UUID");
      case "shuffle" ->
          owner.equals("java.util.Collections") && call.getRawParameterTypes().size() == 1;
      default ->
          owner.startsWith("java.util.random.RandomGenerator")
              && (call.getName().equals("of") || call.getName().equals("getDefault"));
    };
  }

  private static boolean isWithin(String packageName, String owner) {
    return packageName.equals(owner) || packageName.startsWith(owner + ".");
  }
}
