package io.cantle.simulation;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;

/**
 * Access to virtual threads with a custom scheduler. The JDK has them but does not expose them yet,
 * so they are reached by reflection. Nothing but the simulation may depend on this.
 *
 * <p><b>Threading:</b> any thread.
 */
final class VirtualThreadAccess {
  private static final String BUILDER = "java.lang.ThreadBuilders$VirtualThreadBuilder";

  /**
   * A tracked thread is retained for ever unless it ends. Those of a crashed host never end, and
   * would retain all of their seed. The property must be set when the JVM starts, because the JDK
   * reads it before any code of ours runs.
   */
  private static final String TRACKING = "jdk.trackAllThreads";

  private VirtualThreadAccess() {}

  /** Returns a builder of virtual threads whose every step is handed to the scheduler as a task. */
  static Thread.Builder.OfVirtual newBuilder(Executor scheduler) {
    if (!"false".equals(System.getProperty(TRACKING))) {
      throw new IllegalStateException(
          "the seeded scheduler needs the JVM flag -D"
              + TRACKING
              + "=false, or seeds stay in memory");
    }
    try {
      Constructor<?> constructor = Class.forName(BUILDER).getDeclaredConstructor(Executor.class);
      constructor.setAccessible(true);
      return (Thread.Builder.OfVirtual) constructor.newInstance(scheduler);
    } catch (InaccessibleObjectException e) {
      throw new IllegalStateException(
          "the seeded scheduler needs the JVM flag --add-opens=java.base/java.lang=ALL-UNNAMED", e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          BUILDER + "(Executor) is not in this JDK; the simulation needs JDK 25", e);
    }
  }
}
