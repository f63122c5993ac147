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
 * Whatever JGroups makes because a number or a name on the wire says so, and objects that Java
 * deserialises: the tables that JGroups makes things from are replaced by ones that tell.
 */
final class Creations extends MessageFactory {
  private static final List<String> MADE = new CopyOnWriteArrayList<>();

  private Creations() {}

  /** Begins to watch; for the whole life of the JVM. */
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

  /** What was made since {@link #forget}. */
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

  /** What a stranger would like to have made: it tells when it is. */
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
