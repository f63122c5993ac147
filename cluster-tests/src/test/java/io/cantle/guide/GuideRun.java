package io.cantle.guide;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Runs programs of the guide one after another, in a process of their own.
 *
 * <p><b>Threading:</b> the main thread.
 */
final class GuideRun {
  /** Stands before the name of a program, and then comes what it prints. */
  static final String HEADING = "=== ";

  private GuideRun() {}

  /** Runs the programs with these class names. */
  public static void main(String[] types) throws ReflectiveOperationException {
    for (String type : types) {
      System.out.println(HEADING + type);
      Class<?> program = Class.forName(type);
      Constructor<?> constructor = program.getDeclaredConstructor();
      constructor.setAccessible(true);
      Method main = program.getDeclaredMethod("main");
      main.setAccessible(true);
      try {
        main.invoke(constructor.newInstance());
      } catch (InvocationTargetException thrown) {
        thrown.printStackTrace(System.out);
      }
    }
  }
}
