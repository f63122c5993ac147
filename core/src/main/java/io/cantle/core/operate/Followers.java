package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.Output;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.replica.Taken;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;

/**
 * The half of writes of those who are not the primary: they apply what it has ordered, acknowledge
 * to it and tell the origin.
 *
 * <p><b>Threading:</b> any thread; nothing waits.
 */
public final class Followers {
  private final Requests requests;
  private final TopologyKeeper topologies;
  private final Replicas replicas;
  private final Acks acks;

  /** The others' half of writes, over these replicas. */
  public Followers(Requests requests, TopologyKeeper topologies, Replicas replicas, Acks acks) {
    this.requests = requests;
    this.topologies = topologies;
    this.replicas = replicas;
    this.acks = acks;
  }

  /** The primary hands on writes. */
  public void came(Member from, Input in) {
    if (!topologies.current().charter().used()) {
      topologies.touched();
    }
    int cache = in.readCount(Integer.MAX_VALUE);
    long hashSeed = topologies.current().hashSeed();
    List<Arrival> waiting = List.of();
    Output now = requests.message(Kind.ACK, 0, 32);
    int begin = now.position();
    while (in.remaining() > 0) {
      int segment = in.readCount(Integer.MAX_VALUE);
      int epoch = in.readCount(Integer.MAX_VALUE);
      long committed = in.readVarint();
      Item.Notice notice = Item.Notice.read(in);
      Item.Read item = Item.read(in, epoch, hashSeed, notice);
      Replica replica = replicas.find(cache, segment);
      Taken taken = replica == null ? null : replica.replicated(epoch, committed, List.of(item));
      if (replica != null && taken != null) {
        if (replica.holdsLater()) {
          waiting = waiting.isEmpty() ? new ArrayList<>() : waiting;
          waiting.add(new Arrival(replica, epoch, notice, taken));
        } else {
          tell(from, replica, epoch, notice, taken, now);
        }
      }
    }
    if (!waiting.isEmpty()) {
      tellOnceHeld(from, waiting, now);
    } else if (now.position() > begin) {
      requests.post(from, now);
    }
  }

  /** A write that was taken, and perhaps others that had waited for it. */
  private record Arrival(Replica replica, int epoch, Item.Notice notice, Taken taken) {}

  private void tell(
      Member primary, Replica replica, int epoch, Item.Notice notice, Taken taken, Output now) {
    taken.items().forEach(done -> tellOrigin(epoch, done));
    if (notice.kind() == Item.Notice.Kind.NONE) {
      Acks.write(now, replica, epoch, taken.applied());
    } else {
      acks.soon(primary, replica, epoch, taken.applied());
    }
  }

  /** Whatever came in one message is told of when all of it is on disk. */
  private void tellOnceHeld(Member primary, List<Arrival> arrivals, Output now) {
    int begin = now.position();
    Replicas.whenHeld(
        arrivals.stream().map(Arrival::replica).toList(),
        () -> {
          for (Arrival its : arrivals) {
            tell(primary, its.replica, its.epoch, its.notice, its.taken, now);
          }
          if (now.position() > begin) {
            requests.post(primary, now);
          }
        });
  }

  private void tellOrigin(int epoch, Item.Read done) {
    Item.Notice notice = done.notice();
    if (notice.kind() != Item.Notice.Kind.NONE && done.item() instanceof Item.Write write) {
      Result result = notice.kind() == Item.Notice.Kind.RESULT ? write.result() : null;
      Command command = write.command();
      requests.post(
          command.origin(),
          Answers.held(
              requests, command.request(), epoch, notice.place(), notice.expected(), result));
    }
  }
}
