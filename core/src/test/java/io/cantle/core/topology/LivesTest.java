package io.cantle.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.HandClock;
import io.cantle.core.base.Input;
import io.cantle.core.base.World;
import io.cantle.core.transport.HandNetwork;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Which life of a voter's node is told something. */
final class LivesTest {
  private static final UUID NODE = new UUID(1, 1);
  private static final Member FORMER = new Member(new UUID(2, 1), NODE, "a");
  private static final Member PRESENT = new Member(new UUID(2, 2), NODE, "a");

  private static Lives lives() {
    Requests requests =
        new Requests(
            new HandNetwork().transport(HandNetwork.member("self")),
            new World(new HandClock(), Runnable::run, new Random(1)),
            new Requests.Handler() {
              @Override
              public void handle(Kind kind, Member from, long request, Input body) {
                throw new IllegalStateException("nobody sends anything");
              }

              @Override
              public void members(List<Member> members) {}
            });
    requests.start();
    return new Lives(requests);
  }

  private static Object value(Field field, Lives lives) {
    try {
      field.setAccessible(true);
      return field.get(lives);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoIsInSightAndWhoWasHeardOfLastAreTold() {
    Lives lives = lives();
    assertThat(lives.of(FORMER)).containsExactly(FORMER);
    lives.heard(PRESENT);
    assertThat(lives.of(FORMER)).containsExactly(PRESENT);
    lives.view(List.of(FORMER));
    assertThat(lives.of(FORMER)).containsExactlyInAnyOrder(FORMER, PRESENT);
    lives.adopted(Membership.NONE);
    assertThat(lives.of(FORMER)).containsExactly(FORMER);
  }

  @Test
  void whatIsReadWithoutTheLockIsReplacedAndNotChanged() {
    Lives lives = lives();
    lives.heard(PRESENT);
    lives.view(List.of(PRESENT));
    for (Field field : Lives.class.getDeclaredFields()) {
      if (field.getType() != Requests.class) {
        assertThat(Modifier.isVolatile(field.getModifiers())).as(field.getName()).isTrue();
        Object before = value(field, lives);
        lives.heard(FORMER);
        lives.view(List.of(FORMER));
        assertThat(value(field, lives)).as(field.getName()).isNotSameAs(before);
        lives.heard(PRESENT);
        lives.view(List.of(PRESENT));
      }
    }
  }

  @Test
  void whoReportsWithoutTheLockFindsThePresentLifeWhoeverElseIsHeard() throws InterruptedException {
    for (int round = 0; round < 500; round++) {
      Lives lives = lives();
      lives.heard(PRESENT);
      AtomicBoolean done = new AtomicBoolean();
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<Integer> missed =
          CompletableFuture.supplyAsync(
              () -> {
                int count = 0;
                while (!done.get()) {
                  count += lives.of(FORMER).contains(PRESENT) ? 0 : 1;
                  begun.countDown();
                }
                return count;
              });
      begun.await();
      for (int i = 0; i < 100; i++) {
        lives.heard(new Member(new UUID(3, i), new UUID(4, i), "b"));
      }
      done.set(true);
      assertThat(missed.join()).isZero();
    }
  }
}
