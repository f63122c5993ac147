package io.cantle.core.replica;

import io.cantle.core.container.Entry;
import io.cantle.core.container.EntryObjects;
import io.cantle.core.persistence.ReplicaStore;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rules by which a primary executes commands: which it refuses, which it has executed before,
 * and what a command writes.
 *
 * <p><b>Threading:</b> guarded by the lock of the replica.
 */
final class CommandRules {
  private static final CommandOutcome REFUSED = new CommandOutcome.Refused();
  private static final CommandOutcome FORGOTTEN = new CommandOutcome.Forgotten();
  private static final CommandOutcome IN_DOUBT = new CommandOutcome.InDoubt();
  private static final CommandOutcome IGNORED = new CommandOutcome.Ignored();

  private final ReplicaData data;
  private final ReplicaLog log;
  private final CommitTracker commitTracker;
  private final ReplicaEviction eviction;
  private final ObjectReplacement objectReplacement;
  private final Function<OrderedWrite, WriteRoute> applyWrite;

  /**
   * Creates the rules of a replica.
   *
   * @param applyWrite applies a write that this primary has made, and says where it goes
   */
  CommandRules(
      ReplicaData data,
      ReplicaLog log,
      CommitTracker commitTracker,
      ReplicaEviction eviction,
      Function<OrderedWrite, WriteRoute> applyWrite) {
    this.data = data;
    this.log = log;
    this.commitTracker = commitTracker;
    this.eviction = eviction;
    this.objectReplacement = new ObjectReplacement(data);
    this.applyWrite = applyWrite;
  }

  /**
   * Executes a command. A write that is returned has been applied.
   *
   * @param mayWrite whether this node may still write, for a grid whose members continue when they
   *     are cut off. It is asked after the write got its stamp, so that a pause in between cannot
   *     make this write the later one
   * @param epoch the epoch in which the sender believes the segment to be
   * @param decision decides what to do to the entry found
   */
  ExecuteResult execute(
      ReplicaState state,
      BooleanSupplier mayWrite,
      int epoch,
      CommandId command,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      CommandDecision decision) {
    SessionTable sessions = data.sessions();
    // The message handler may have waited since it let the command in, so this check counts.
    if (state.epoch() != epoch || !sessions.isLive(command.session())) {
      return FORGOTTEN;
    }
    if (!state.isActivePrimary()) {
      return refuse(state, command);
    }
    if (!sessions.admit(command) || sessions.isRefused(command, epoch)) {
      return IGNORED;
    }
    SessionTable.KnownResult known = sessions.find(command.session(), command.sequence(), epoch);
    if (known != null) {
      return new CommandOutcome.ResultOnly(
          epoch, known.epoch() == epoch ? known.index() : 0, known.result());
    }
    if (sessions.mayHaveForgotten(command)) {
      return IN_DOUBT;
    }
    ReplicaStore.WriteAdmission admission = writeAdmission();
    if (admission == ReplicaStore.WriteAdmission.DELAYED) {
      return refuse(state, command);
    }
    Entry found = data.find(hash, key, keyOffset, keyLength);
    data.markUsed(found);
    boolean unseen = found == null || (found.isTombstone() && !decision.seesTombstones());
    if (found != null && !unseen && found.isEvicted() && !decision.ignoresValue()) {
      return new ExecuteResult.ValueEvicted(found);
    }
    CommandEffect effect = decision.decide(found == null || unseen ? null : found.snapshot());
    byte[] bytes = effect.bytes();
    if (bytes == null) {
      long index = found == null || found.epoch() < epoch ? 0 : found.index();
      if (effect.isDecided()) {
        // The same message may arrive twice, and must not have an effect later that it did not
        // have now.
        sessions.recordAnswered(command, epoch, index, effect.result());
      }
      return new CommandOutcome.ResultOnly(epoch, index, effect.result());
    }
    if (admission == ReplicaStore.WriteAdmission.NONE
        || (admission == ReplicaStore.WriteAdmission.REMOVALS_ONLY && !effect.isRemoval())) {
      return refuse(state, command, WriteRefusal.DISK_FULL);
    }
    Entry entry = newEntry(state, hash, bytes, keyLength, effect, decision, found);
    if (data.isStamped() && !mayWrite.getAsBoolean()) {
      return refuse(state, command);
    }
    // A merge decides for both sides of a partition, and cannot be refused.
    WriteRefusal noRoom =
        effect.isRemoval() || decision.seesTombstones()
            ? null
            : eviction.refusal(state.others(), found, entry);
    if (noRoom != null) {
      return refuse(state, command, noRoom);
    }
    keepWritten(decision, effect, found, entry);
    OrderedWrite.CommandWrite item = new OrderedWrite.CommandWrite(entry, command, effect.result());
    WriteRoute route = applyWrite.apply(item);
    return new CommandOutcome.Written(
        item, effect.isResultPrevious(), commitTracker.announce(), state, route);
  }

  /**
   * Executes a command as {@link DirectExecution} says.
   *
   * @return the result; null if nothing was done
   */
  @Nullable OperationResult executeDirectly(
      ReplicaState state,
      BooleanSupplier mayWrite,
      long hash,
      byte[] key,
      int keyOffset,
      int keyLength,
      CommandDecision decision) {
    if (!state.isActivePrimary()
        || state.isScattered()
        || !commitTracker.isSoleWriter()
        || writeAdmission() != ReplicaStore.WriteAdmission.ALL) {
      return null;
    }
    Entry found = data.find(hash, decision.keyObject(), key, keyOffset, keyLength);
    data.markUsed(found);
    boolean unseen = found == null || found.isTombstone();
    if (found != null && !unseen && found.isEvicted() && !decision.ignoresValue()) {
      return null;
    }
    CommandEffect effect = decision.decide(found == null || unseen ? null : found.snapshot());
    byte[] bytes = effect.bytes();
    if (bytes == null) {
      // A command that writes nothing has read the entry, and some reads are recorded.
      return effect.isDecided() && !data.hasExpiringEntries() ? effect.result() : null;
    }
    Entry entry = newEntry(state, hash, bytes, keyLength, effect, decision, found);
    if ((data.isStamped() && !mayWrite.getAsBoolean())
        || (!effect.isRemoval() && eviction.refusal(state.others(), found, entry) != null)) {
      return null;
    }
    keepWritten(decision, effect, found, entry);
    // Committed first, so that no reader finds a dirty entry.
    commitTracker.advanceTo(entry.index());
    if (found != null && objectReplacement.replace(found, entry)) {
      log.noteReplacedObject();
    } else {
      log.applyCommitted(found, entry);
    }
    data.purgeTombstones(state, commitTracker);
    return effect.result();
  }

  /** As {@link DirectExecution#replaceObject}. */
  @Nullable Object replaceObject(
      ReplicaState state, Object key, Entry entry, Object value, int valueBytes) {
    if (!state.isActivePrimary() || !commitTracker.isSoleWriter()) {
      return null;
    }
    long index = log.applied() + 1;
    // Committed first, so that no reader finds a dirty entry. If nothing is replaced, it is the
    // next write that has this index.
    commitTracker.advanceTo(index);
    Object before = objectReplacement.replace(key, entry, value, valueBytes, state.epoch(), index);
    if (before != null) {
      log.noteReplacedObject();
    }
    return before;
  }

  private ReplicaStore.WriteAdmission writeAdmission() {
    ReplicaDurability durability = data.durability();
    return durability == null ? ReplicaStore.WriteAdmission.ALL : durability.writeAdmission();
  }

  /** The entry that an effect writes, with the next index of the epoch. */
  private Entry newEntry(
      ReplicaState state,
      long hash,
      byte[] bytes,
      int keyLength,
      CommandEffect effect,
      CommandDecision decision,
      @Nullable Entry found) {
    EntryObjects objects = effect.isRemoval() ? null : data.objectsOf(decision, bytes, keyLength);
    if (objects != null) {
      return Entry.ofObjects(
          hash,
          objects.withKeyOf(found),
          keyLength,
          state.epoch(),
          log.applied() + 1,
          data.nextStamp(effect),
          data.expiryTimeFor(effect.lifetime()));
    }
    return Entry.of(
        hash,
        bytes,
        keyLength,
        state.epoch(),
        log.applied() + 1,
        effect.isRemoval(),
        data.nextStamp(effect),
        data.expiryTimeFor(effect.lifetime()));
  }

  private void keepWritten(
      CommandDecision decision, CommandEffect effect, @Nullable Entry found, Entry entry) {
    Object written = effect.isRemoval() ? null : decision.writtenObject();
    if (written != null) {
      data.keepWritten(entry, decision.keyObject(), written, found);
    }
  }

  /**
   * Refuses an attempt of a command in the epoch it was sent in. Returns {@link
   * CommandOutcome.Refused}, or {@link CommandOutcome.Forgotten} if it may have been executed.
   */
  CommandOutcome refuse(ReplicaState state, int epoch, CommandId command) {
    return state.epoch() == epoch && data.sessions().isLive(command.session())
        ? refuse(state, command)
        : FORGOTTEN;
  }

  private CommandOutcome refuse(ReplicaState state, CommandId command, WriteRefusal refusal) {
    data.heapCount().countRefusal(refusal);
    return refuse(state, command) instanceof CommandOutcome.Refused
        ? new CommandOutcome.NoRoom(refusal)
        : FORGOTTEN;
  }

  private CommandOutcome refuse(ReplicaState state, CommandId command) {
    SessionTable sessions = data.sessions();
    if (sessions.find(command.session(), command.sequence(), state.epoch()) != null) {
      return FORGOTTEN;
    }
    sessions.refuse(command, state.epoch());
    return REFUSED;
  }
}
