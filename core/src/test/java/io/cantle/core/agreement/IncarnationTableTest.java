package io.cantle.core.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.ownership.Membership;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which incarnation of a voter's node receives a message. */
final class IncarnationTableTest {
  private static final UUID NODE = new UUID(1, 1);
  private static final Member FORMER = new Member(new UUID(2, 1), NODE, "a");
  private static final Member PRESENT = new Member(new UUID(2, 2), NODE, "a");

  private static IncarnationTable newTable() {
    return new IncarnationTable(ManualNetwork.member("self"));
  }

  private static Object value(Field field, IncarnationTable incarnations) {
    try {
      field.setAccessible(true);
      return field.get(incarnations);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void visibleAndLastHeardIncarnationsAreAddressed() {
    IncarnationTable incarnations = newTable();
    assertThat(incarnations.addressesOf(FORMER)).containsExactly(FORMER);
    incarnations.recordHeard(PRESENT);
    assertThat(incarnations.addressesOf(FORMER)).containsExactly(PRESENT);
    incarnations.updateView(List.of(FORMER));
    assertThat(incarnations.addressesOf(FORMER)).containsExactlyInAnyOrder(FORMER, PRESENT);
    incarnations.onTopologyAdopted(Membership.NONE);
    assertThat(incarnations.addressesOf(FORMER)).containsExactly(FORMER);
  }

  @Test
  void stateReadWithoutTheLockIsReplacedNotMutated() {
    IncarnationTable incarnations = newTable();
    incarnations.recordHeard(PRESENT);
    incarnations.updateView(List.of(PRESENT));
    for (Field field : IncarnationTable.class.getDeclaredFields()) {
      if (field.getType() != Member.class) {
        assertThat(Modifier.isVolatile(field.getModifiers())).as(field.getName()).isTrue();
        Object before = value(field, incarnations);
        incarnations.recordHeard(FORMER);
        incarnations.updateView(List.of(FORMER));
        assertThat(value(field, incarnations)).as(field.getName()).isNotSameAs(before);
        incarnations.recordHeard(PRESENT);
        incarnations.updateView(List.of(PRESENT));
      }
    }
  }

  @Test
  void unlockedReaderFindsTheCurrentIncarnation() throws InterruptedException {
    for (int round = 0; round < 500; round++) {
      IncarnationTable incarnations = newTable();
      incarnations.recordHeard(PRESENT);
      AtomicBoolean done = new AtomicBoolean();
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<Integer> missed =
          CompletableFuture.supplyAsync(
              () -> {
                int count = 0;
                while (!done.get()) {
                  count += incarnations.addressesOf(FORMER).contains(PRESENT) ? 0 : 1;
                  begun.countDown();
                }
                return count;
              });
      begun.await();
      for (int i = 0; i < 100; i++) {
        incarnations.recordHeard(new Member(new UUID(3, i), new UUID(4, i), "b"));
      }
      done.set(true);
      assertThat(missed.join()).isZero();
    }
  }
}
