package io.cantle.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.Input;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Transport;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MembershipNotifierTest {
  private final List<Member> first = List.of(new Member(new UUID(1, 1), "a"));
  private final List<Member> second = List.of(new Member(new UUID(1, 2), "b"));
  private final List<List<Member>> heard = new CopyOnWriteArrayList<>();
  private final CountDownLatch both = new CountDownLatch(2);

  /** Leaves its thread interrupted. */
  private final class InterruptingReceiver implements Transport.Receiver {
    @Override
    public void receive(Member from, Input message) {}

    @Override
    public void onMembersChanged(List<Member> members) {
      heard.add(members);
      both.countDown();
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void deliversInOrderEvenIfItsThreadIsInterrupted() throws InterruptedException {
    MembershipNotifier notifier = new MembershipNotifier(new InterruptingReceiver(), "node");
    notifier.deliver(first);
    notifier.deliver(second);
    notifier.awaitFirst();
    both.await();
    notifier.close();
    notifier.deliver(first);
    assertThat(heard).containsExactly(first, second);
  }

  @Test
  void closingOnAnInterruptedThreadDoesNotInterruptTheReceiver() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    List<Boolean> interrupts = new CopyOnWriteArrayList<>();
    Transport.Receiver waiting =
        new Transport.Receiver() {
          @Override
          public void receive(Member from, Input message) {}

          @Override
          public void onMembersChanged(List<Member> members) {
            begun.countDown();
            try {
              goOn.await();
              interrupts.add(false);
            } catch (InterruptedException e) {
              interrupts.add(true);
            }
          }
        };
    MembershipNotifier notifier = new MembershipNotifier(waiting, "node");
    notifier.deliver(first);
    begun.await();
    List<Boolean> flagKept = new CopyOnWriteArrayList<>();
    Thread closer =
        Thread.ofVirtual()
            .start(
                () -> {
                  Thread.currentThread().interrupt();
                  notifier.close();
                  flagKept.add(Thread.interrupted());
                });
    // It has used up its flag once it waits for the receiver.
    while (closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    goOn.countDown();
    closer.join();
    assertThat(interrupts).containsExactly(false);
    assertThat(flagKept).containsExactly(true);
  }

  @Test
  void closesWithoutEverHavingDelivered() throws InterruptedException {
    MembershipNotifier notifier = new MembershipNotifier(new InterruptingReceiver(), "node");
    notifier.close();
    notifier.awaitFirst();
    assertThat(heard).isEmpty();
  }
}
