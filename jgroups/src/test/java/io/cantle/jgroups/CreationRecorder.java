package io.cantle.jgroups;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jgroups.Message;
import org.jgroups.MessageFactory;
import org.jgroups.conf.ClassConfigurator;

/**
 * Records whatever JGroups creates because a number or a name on the wire says so, and objects that
 * Java deserializes. It replaces the tables that JGroups creates objects from by recording ones.
 */
final class CreationRecorder extends MessageFactory {
  private static final List<String> MADE = new CopyOnWriteArrayList<>();

  private CreationRecorder() {}

  /** Starts recording, for the rest of the JVM's life. */
  static synchronized void watch() {
    for (int i = 0; i < creators.length; i++) {
      Supplier<? extends Message> creator = creators[i];
      if (creator != null && !(creator instanceof Telling)) {
        creators[i] = new Telling<Message>("message " + i, creator);
      }
    }
    Object[] classes = classes();
    for (int i = 0; i < classes.length; i++) {
      if (classes[i] instanceof Supplier<?> creator && !(creator instanceof Telling)) {
        classes[i] = new Telling<Object>("class " + i, creator);
      }
    }
  }

  private static Object[] classes() {
    try {
      Field field = ClassConfigurator.class.getDeclaredField("magicMap");
      field.setAccessible(true);
      return (Object[]) field.get(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("JGroups keeps its table of classes elsewhere", e);
    }
  }

  /** What was created since {@link #forget}. */
  static List<String> made() {
    return List.copyOf(MADE);
  }

  static void forget() {
    MADE.clear();
  }

  private record Telling<T>(String what, Supplier<? extends T> creator) implements Supplier<T> {
    @Override
    public T get() {
      MADE.add(what);
      return creator.get();
    }
  }

  /** The class that a stranger would like to have created; it records its creation. */
  static final class Prize implements Serializable {
    private static final long serialVersionUID = 7;

    static {
      MADE.add("the class of the prize is initialised");
    }

    Prize() {
      MADE.add("a prize is constructed");
    }

    private Object readResolve() {
      MADE.add("a prize is deserialised");
      return this;
    }
  }
}
