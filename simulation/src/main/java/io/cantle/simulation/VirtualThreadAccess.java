package io.cantle.simulation;

import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.util.concurrent.Executor;

/**
 * Virtual threads with a scheduler of our own. The JDK has them and does not show them yet, so they
 * are reached by reflection; nothing but the simulation may depend on this.
 *
 * <p><b>Threading:</b> any thread.
 */
final class VirtualThreadAccess {
  private static final String BUILDER = "java.lang.ThreadBuilders$VirtualThreadBuilder";

  /**
   * A tracked thread is kept for ever unless it ends; those of a crashed host never do, and with
   * them all of their seed. To be told when the JVM starts: the JDK looks before any code of ours.
   */
  private static final String TRACKING = "jdk.trackAllThreads";

  private VirtualThreadAccess() {}

  /** A builder of virtual threads whose every step is handed to the scheduler as a task. */
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
