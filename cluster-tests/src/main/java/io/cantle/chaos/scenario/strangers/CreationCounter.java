package io.cantle.chaos.scenario.strangers;

import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.RecordingStream;

/**
 * Counts what a node makes because bytes from the network say so. Two witnesses, neither of which
 * the transport knows: the Java virtual machine records every deserialisation, and {@link
 * StrangersPrize} counts itself.
 *
 * <p><b>Threading:</b> any thread.
 */
final class CreationCounter {
  private final AtomicLong deserialized = new AtomicLong();

  private CreationCounter() {}

  /** Counts from now on. */
  @SuppressWarnings("resource") // It records for as long as the process lives.
  static CreationCounter start() {
    CreationCounter counter = new CreationCounter();
    RecordingStream recording = new RecordingStream();
    recording.enable("jdk.Deserialization");
    recording.onEvent("jdk.Deserialization", _ -> counter.deserialized.incrementAndGet());
    recording.startAsync();
    return counter;
  }

  /** How many were made. */
  long total() {
    return deserialized.get() + StrangersPrize.Counter.MADE.get();
  }

  /** What was made, for people. */
  String details() {
    return "deserialised " + deserialized + ", prizes " + StrangersPrize.Counter.MADE.get();
  }
}
