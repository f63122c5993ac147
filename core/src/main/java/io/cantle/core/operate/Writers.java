package io.cantle.core.operate;

import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.Slice;
import io.cantle.core.base.World;
import io.cantle.core.codec.Codec;
import io.cantle.core.container.Entry;
import io.cantle.core.replica.Acks;
import io.cantle.core.replica.Command;
import io.cantle.core.replica.CommitNotices;
import io.cantle.core.replica.Effect;
import io.cantle.core.replica.Item;
import io.cantle.core.replica.Replica;
import io.cantle.core.replica.Replica.Outcome;
import io.cantle.core.replica.Replicas;
import io.cantle.core.replica.Result;
import io.cantle.core.segment.KeyHash;
import io.cantle.core.topology.TopologyKeeper;
import io.cantle.core.transport.Kind;
import io.cantle.core.transport.Member;
import io.cantle.core.transport.Requests;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The owners' half of operations: a primary decides and hands on, the others apply, acknowledge to
 * the primary and tell the origin.
 *
 * <p><b>Threading:</b> any thread; nothing waits. Bulk messages are carried out on virtual threads.
 */
public final class Writers {
  /** The most keys in one bulk message. */
  static final int MAX_BULK = 1_024;

  /** How many bulk messages are worked on at once; more are refused and sent again. */
  private static final int MAX_BULKS = 256;

  private final Requests requests;
  private final TopologyKeeper topologies;
  private final World world;
  private final Replicas replicas;
  private final CommitNotices notices;
  private final Acks acks;
  private final Functions functions;
  private final AtomicInteger bulks = new AtomicInteger();

  /** The owners' half, over these replicas. */
  public Writers(
      Requests requests,
      TopologyKeeper topologies,
      World world,
      Replicas replicas,
      CommitNotices notices,
      Acks acks,
      Codec codec) {
    this.requests = requests;
    this.topologies = topologies;
    this.world = world;
    this.replicas = replicas;
    this.notices = notices;
    this.acks = acks;
    this.functions = new Functions(world.threads(), new UserCode(codec));
  }

  // ------------------------------------------------------------------ reads

  /** Somebody reads a key here. */
  public void readCame(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    boolean wantsValue = in.readBoolean();
    Slice key = Slice.read(in);
    topologies.whenAdopted(
        topologyNumber, () -> answerRead(from, request, cache, segment, wantsValue, key));
  }

  private void answerRead(
      Member from, long request, int cache, int segment, boolean wantsValue, Slice key) {
    Replica replica = replicas.find(cache, segment);
    if (replica == null) {
      requests.post(from, Answers.refused(requests, request, 0));
      return;
    }
    long hash = hash(key);
    Replica.Peek peek = replica.peek(hash, key.bytes(), key.offset(), key.length());
    switch (peek.status()) {
      case CLEAN ->
          requests.post(from, Answers.found(requests, request, Found.of(peek.entry()), wantsValue));
      case REFUSED -> requests.post(from, Answers.refused(requests, request, 0));
      case DIRTY -> {
        Runnable refuse = () -> requests.post(from, Answers.refused(requests, request, 0));
        if (replica.state().leads() && peek.entry() != null) {
          acks.whenCommitted(
              replica,
              peek.epoch(),
              peek.entry().index(),
              () -> answerRead(from, request, cache, segment, wantsValue, key),
              refuse);
        } else {
          refuse.run();
        }
      }
    }
  }

  // ------------------------------------------------------------------ writes at the primary

  /** Somebody writes a key here. */
  public void writeCame(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int segment = in.readCount(Integer.MAX_VALUE);
    int epoch = in.readCount(Integer.MAX_VALUE);
    long sequence = in.readVarint();
    long lowest = sequence - in.readVarint();
    Command command = new Command(from.id(), sequence, lowest, request);
    Slice key = Slice.read(in);
    Operation operation = Operation.read(in);
    topologies.whenAdopted(
        topologyNumber, () -> write(from, cache, segment, epoch, command, key, operation));
  }

  void write(
      Member origin,
      int cache,
      int segment,
      int epoch,
      Command command,
      Slice key,
      Operation operation) {
    Replica replica = replicas.find(cache, segment);
    long request = command.request();
    Runnable refuse = () -> requests.post(origin, Answers.refused(requests, request, epoch));
    if (replica == null || !topologies.current().members().contains(origin)) {
      refuse.run();
      return;
    }
    topologies.written();
    Decision decision = new Decision(operation, key);
    Outcome outcome = execute(replica, epoch, command, key, decision);
    if (!decision.open) {
      answer(replica, origin, epoch, request, outcome);
      return;
    }
    Functions.Work work =
        new Functions.Work(
            key,
            operation,
            settled -> execute(replica, epoch, command, key, settled),
            ended -> answer(replica, origin, epoch, request, ended),
            (seen, thrown) -> failed(replica, origin, epoch, request, seen, thrown),
            refuse);
    functions.start(topologies.current().gridId(), replica, work);
  }

  private void answer(Replica replica, Member origin, int epoch, long request, Outcome outcome) {
    Runnable overtaken = () -> requests.post(origin, Answers.overtaken(requests, request, epoch));
    switch (outcome) {
      case Outcome.Refused() -> requests.post(origin, Answers.refused(requests, request, epoch));
      case Outcome.Ignored() -> {}
      case Outcome.Answer(int in, long index, Result result) ->
          acks.whenCommitted(
              replica,
              in,
              index,
              () -> requests.post(origin, Answers.result(requests, request, epoch, result)),
              overtaken);
      case Outcome.Written written -> handOn(replica, origin, request, written, overtaken);
    }
  }

  private void failed(
      Replica replica, Member origin, int epoch, long request, Outcome seen, Throwable thrown) {
    if (seen instanceof Outcome.Answer(int in, long index, Result ignored)) {
      acks.whenCommitted(
          replica,
          in,
          index,
          () -> requests.post(origin, Answers.failed(requests, request, epoch, thrown)),
          () -> requests.post(origin, Answers.refused(requests, request, epoch)));
    }
  }

  /** What an operation does to what is there, unless that takes code of the user's. */
  private static final class Decision implements Function<@Nullable Entry, Effect> {
    private final Operation operation;
    private final Slice key;
    boolean open;

    Decision(Operation operation, Slice key) {
      this.operation = operation;
      this.key = key;
    }

    @Override
    public Effect apply(@Nullable Entry found) {
      Effect effect = operation.decide(key, found);
      open = effect == null;
      return effect == null ? Effect.none(Result.ABSENT) : effect;
    }
  }

  private Outcome execute(
      Replica replica,
      int epoch,
      Command command,
      Slice key,
      Function<@Nullable Entry, Effect> decision) {
    return replica.execute(
        epoch, command, hash(key), key.bytes(), key.offset(), key.length(), decision);
  }

  private void handOn(
      Replica replica, Member origin, long request, Outcome.Written written, Runnable overtaken) {
    Replica.State state = written.state();
    List<Member> others = state.others();
    Item item = written.item();
    if (others.isEmpty()) {
      requests.post(origin, Answers.result(requests, request, state.epoch(), item.result()));
      return;
    }
    notices.due();
    boolean mine = origin.equals(requests.self());
    if (mine) {
      replica.whenCommitted(
          state.epoch(),
          item.index(),
          () ->
              requests.post(
                  origin, Answers.result(requests, request, state.epoch(), item.result())),
          overtaken);
    }
    for (int place = 0; place < others.size(); place++) {
      Item.Notice notice = mine ? Item.Notice.NONE : notice(place, others.size());
      Output out = requests.message(Kind.REPLICATE, 0, item.sizeBytes() + 64);
      out.writeVarint(replica.cache());
      writeItem(out, replica, written, notice, place);
      requests.post(others.get(place), out);
    }
  }

  private static Item.Notice notice(int place, int expected) {
    Item.Notice.Kind kind = place == 0 ? Item.Notice.Kind.RESULT : Item.Notice.Kind.HELD;
    return new Item.Notice(kind, place, expected);
  }

  private static void writeItem(
      Output out, Replica replica, Outcome.Written written, Item.Notice notice, int place) {
    out.writeVarint(replica.segment());
    out.writeVarint(written.state().epoch());
    out.writeVarint(written.committed());
    notice.write(out);
    // A joiner may lack the entry that is replaced.
    boolean backup = place < written.state().backups();
    written.item().write(out, backup && written.resultIsPrevious());
  }

  // ------------------------------------------------------------------ writes at the others

  /** The primary hands on writes. */
  public void replicateCame(Member from, Input in) {
    topologies.written();
    int cache = in.readCount(Integer.MAX_VALUE);
    long hashSeed = topologies.current().hashSeed();
    Output now = requests.message(Kind.ACK, 0, 32);
    int begin = now.position();
    while (in.remaining() > 0) {
      int segment = in.readCount(Integer.MAX_VALUE);
      int epoch = in.readCount(Integer.MAX_VALUE);
      long committed = in.readVarint();
      Item.Notice notice = Item.Notice.read(in);
      Item.Read item = Item.read(in, epoch, hashSeed, notice);
      Replica replica = replicas.find(cache, segment);
      Replica.Taken taken =
          replica == null ? null : replica.replicated(epoch, committed, List.of(item));
      if (replica != null && taken != null) {
        taken.items().forEach(done -> tellOrigin(epoch, done));
        if (notice.kind() == Item.Notice.Kind.NONE) {
          Acks.write(now, replica, epoch, taken.applied());
        } else {
          acks.soon(from, replica, epoch, taken.applied());
        }
      }
    }
    if (now.position() > begin) {
      requests.post(from, now);
    }
  }

  private void tellOrigin(int epoch, Item.Read done) {
    Item.Notice notice = done.notice();
    if (notice.kind() != Item.Notice.Kind.NONE) {
      Result result = notice.kind() == Item.Notice.Kind.RESULT ? done.item().result() : null;
      Command command = done.item().command();
      requests.post(
          command.origin(),
          Answers.held(
              requests, command.request(), epoch, notice.place(), notice.expected(), result));
    }
  }

  // ------------------------------------------------------------------ many writes at once

  /** One write of a bulk message. */
  record BulkItem(
      int segment, int epoch, long sequence, long lowest, Slice key, Operation operation) {
    void write(Output out) {
      out.writeVarint(segment);
      out.writeVarint(epoch);
      out.writeVarint(sequence);
      out.writeVarint(sequence - lowest);
      key.write(out);
      operation.write(out);
    }

    static BulkItem read(Input in) {
      int segment = in.readCount(Integer.MAX_VALUE);
      int epoch = in.readCount(Integer.MAX_VALUE);
      long sequence = in.readVarint();
      long lowest = sequence - in.readVarint();
      return new BulkItem(segment, epoch, sequence, lowest, Slice.read(in), readOperation(in));
    }

    private static Operation readOperation(Input in) {
      Operation operation = Operation.read(in);
      if (operation instanceof Apply || operation instanceof Compare) {
        throw new MalformedException("code of the user's does not come in bulk");
      }
      return operation;
    }
  }

  /** Somebody writes many keys here. */
  public void bulkCame(Member from, long request, Input in) {
    long topologyNumber = in.readLong();
    int cache = in.readCount(Integer.MAX_VALUE);
    int count = in.readCount(MAX_BULK);
    List<BulkItem> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      items.add(BulkItem.read(in));
    }
    topologies.whenAdopted(topologyNumber, () -> startBulk(from, request, cache, items));
  }

  private void startBulk(Member from, long request, int cache, List<BulkItem> items) {
    if (bulks.incrementAndGet() > MAX_BULKS) {
      bulks.decrementAndGet();
      Bulk none = new Bulk(from, request, items.size());
      for (int position = 0; position < items.size(); position++) {
        none.refused(position);
      }
      return;
    }
    world
        .threads()
        .execute(
            () -> {
              try {
                bulk(from, request, cache, items);
              } finally {
                bulks.decrementAndGet();
              }
            });
  }

  /** Answers with the positions of those that were refused. */
  void bulk(Member origin, long request, int cache, List<BulkItem> items) {
    topologies.written();
    Bulk bulk = new Bulk(origin, request, items.size());
    TreeMap<Member, Output> messages = new TreeMap<>();
    boolean known = topologies.current().members().contains(origin);
    for (int i = 0; i < items.size(); i++) {
      int position = i;
      BulkItem item = items.get(i);
      Replica replica = known ? replicas.find(cache, item.segment()) : null;
      if (replica == null) {
        bulk.refused(position);
        continue;
      }
      Command command = new Command(origin.id(), item.sequence(), item.lowest(), 0);
      Decision decision = new Decision(item.operation(), item.key());
      switch (execute(replica, item.epoch(), command, item.key(), decision)) {
        case Outcome.Refused() -> bulk.refused(position);
        case Outcome.Ignored() -> bulk.done();
        case Outcome.Answer(int epoch, long index, Result result) ->
            acks.whenCommitted(replica, epoch, index, bulk::done, () -> bulk.refused(position));
        case Outcome.Written written -> {
          List<Member> others = written.state().others();
          for (int place = 0; place < others.size(); place++) {
            Output out = messages.computeIfAbsent(others.get(place), member -> new Output(4_096));
            writeItem(out, replica, written, Item.Notice.NONE, place);
          }
          replica.whenCommitted(
              written.state().epoch(),
              written.item().index(),
              bulk::done,
              () -> bulk.refused(position));
        }
      }
    }
    notices.due();
    messages.forEach(
        (member, body) -> {
          Output out = requests.message(Kind.REPLICATE, 0, body.position() + 16);
          out.writeVarint(cache);
          out.write(body.array(), 0, body.position());
          requests.send(member, out);
        });
  }

  private final class Bulk {
    private final Member origin;
    private final long request;
    private final AtomicInteger open;
    private final List<Integer> refused = new ArrayList<>();

    Bulk(Member origin, long request, int count) {
      this.origin = origin;
      this.request = request;
      this.open = new AtomicInteger(count);
    }

    void refused(int position) {
      synchronized (refused) {
        refused.add(position);
      }
      done();
    }

    void done() {
      if (open.decrementAndGet() == 0) {
        Output out = requests.answer(request, 16 + refused.size() * 2);
        out.writeVarint(refused.size());
        refused.forEach(out::writeVarint);
        requests.post(origin, out);
      }
    }
  }

  private long hash(Slice key) {
    return KeyHash.hash(topologies.current().hashSeed(), key.bytes(), key.offset(), key.length());
  }
}
