package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.ListenerRegistration;
import io.cantle.MembershipEvent;
import io.cantle.MembershipEvent.EventsMissed;
import io.cantle.MembershipEvent.MemberJoined;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests how membership events are delivered. */
final class MembershipListenerTableTest {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final MembershipListenerTable table = new MembershipListenerTable(tasks::add);
  private final List<MembershipEvent> heard = new ArrayList<>();

  private static MembershipEvent event(int number) {
    return new MemberJoined("n" + number, "", List.of("n" + number), number);
  }

  private void runTasks() {
    for (Runnable task; (task = tasks.poll()) != null; ) {
      task.run();
    }
  }

  @Test
  void eachListenerHearsAllEventsOnceInOrder() {
    List<MembershipEvent> others = new ArrayList<>();
    ListenerRegistration _ = table.add(heard::add);
    ListenerRegistration _ = table.add(others::add);
    List<MembershipEvent> told = IntStream.range(0, 100).mapToObj(i -> event(i)).toList();
    told.forEach(table::publish);
    assertThat(heard).as("on the thread that publishes").isEmpty();
    runTasks();
    assertThat(heard).isEqualTo(told);
    assertThat(others).isEqualTo(told);
    table.publish(event(100));
    runTasks();
    assertThat(heard).hasSize(101);
  }

  @Test
  void listenerThatFailsHearsTheNextEventAndDoesNotEndOthers() {
    ListenerRegistration _ =
        table.add(
            event -> {
              throw new IllegalStateException("by the test");
            });
    List<Integer> counts = new ArrayList<>();
    ListenerRegistration _ =
        table.add(
            event -> {
              counts.add(event.voterCount());
              if (event.voterCount() == 1) {
                throw new IllegalStateException("by the test, at its first event");
              }
            });
    table.publish(event(1));
    table.publish(event(2));
    runTasks();
    assertThat(counts).containsExactly(1, 2);
  }

  @Test
  void slowListenerIsToldHowManyEventsItMissed() {
    ListenerRegistration _ = table.add(heard::add);
    int most = MembershipListenerTable.MAX_QUEUED_EVENTS;
    IntStream.range(0, most + 7).forEach(i -> table.publish(event(i)));
    runTasks();
    assertThat(heard).hasSize(most + 1);
    assertThat(heard.get(most - 1)).isEqualTo(event(most - 1));
    assertThat(heard.getLast()).isEqualTo(new EventsMissed(7, List.of("n" + (most + 6)), most + 6));
    table.publish(event(5));
    runTasks();
    assertThat(heard.getLast()).isEqualTo(event(5));
  }

  @Test
  void closedRegistrationHearsNothing() {
    ListenerRegistration registration = table.add(heard::add);
    table.publish(event(1));
    table.publish(event(2));
    registration.close();
    registration.close();
    runTasks();
    table.publish(event(3));
    runTasks();
    assertThat(heard).isEmpty();
  }

  @Test
  void closedTableDeliversNothing() {
    ListenerRegistration _ = table.add(heard::add);
    table.publish(event(1));
    table.close();
    runTasks();
    table.publish(event(2));
    runTasks();
    assertThat(heard).isEmpty();
  }
}
