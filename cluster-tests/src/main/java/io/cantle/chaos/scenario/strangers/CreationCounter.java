package io.cantle.chaos.scenario.strangers;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import jdk.jfr.consumer.RecordingStream;

/**
 * Counts what a node makes because bytes from the network say so. Three witnesses, none of which
 * the transport knows: the Java virtual machine records every deserialisation; the tables that
 * JGroups makes messages and classes from by their numbers are replaced by ones that count; and
 * {@link StrangersPrize} counts itself.
 *
 * <p>The class of members' addresses is excepted: JGroups makes it by its number whenever a member
 * tells of another.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CreationCounter {
  private static final String MEMBER_ADDRESS = "class 12";

  private final Map<String, LongAdder> made = new ConcurrentSkipListMap<>();

  @SuppressWarnings("resource") // It records for as long as the process lives.
  private CreationCounter() {
    RecordingStream recording = new RecordingStream();
    recording.enable("jdk.Deserialization");
    recording.onEvent("jdk.Deserialization", event -> count("deserialised"));
    recording.startAsync();
  }

  /**
   * Counts from now on.
   *
   * @throws ReflectiveOperationException if JGroups keeps its tables elsewhere
   */
  static CreationCounter start() throws ReflectiveOperationException {
    CreationCounter counter = new CreationCounter();
    counter.replace("org.jgroups.MessageFactory", "creators", "message ");
    counter.replace("org.jgroups.conf.ClassConfigurator", "magicMap", "class ");
    return counter;
  }

  private void replace(String type, String field, String what) throws ReflectiveOperationException {
    Field table = Class.forName(type).getDeclaredField(field);
    table.setAccessible(true);
    Object[] creators = (Object[]) table.get(null);
    for (int i = 0; i < creators.length; i++) {
      if (creators[i] instanceof Supplier<?> creator) {
        String kind = what + i;
        Supplier<Object> counting =
            () -> {
              count(kind);
              return creator.get();
            };
        creators[i] = counting;
      }
    }
  }

  private void count(String kind) {
    if (!kind.equals(MEMBER_ADDRESS)) {
      made.computeIfAbsent(kind, _ -> new LongAdder()).increment();
    }
  }

  /** How many were made, of all kinds. */
  long total() {
    return made.values().stream().mapToLong(LongAdder::sum).sum()
        + StrangersPrize.Counter.MADE.get();
  }

  /** What was made, for people. */
  String details() {
    return made + ", prizes " + StrangersPrize.Counter.MADE.get();
  }
}
