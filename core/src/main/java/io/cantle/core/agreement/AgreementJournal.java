package io.cantle.core.agreement;

import io.cantle.core.base.Environment;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.base.StableStore;
import io.cantle.core.ownership.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The durable record of what a node has agreed to: the topology it acts by, the ballot it has
 * promised to obey, and the topology it has accepted. A statement that rests on this record is sent
 * only once the record is on disk, so that the node keeps its word after a restart.
 *
 * <p>A node without a store keeps no record: after a restart it is another node.
 *
 * <p><b>Threading:</b> guarded by the lock of {@code TopologyDriver}; actions that wait for a
 * record run with that lock held.
 */
public final class AgreementJournal {
  /** The name of the record in the stable store. */
  public static final String RECORD_NAME = "agreement";

  private static final int FORMAT_VERSION = 1;

  /**
   * The most actions that wait for one record. Further ones are dropped, and are requested again.
   */
  private static final int MAX_PENDING_ACTIONS = 1_000;

  /**
   * The contents of the record.
   *
   * @param promisedBallot the ballot this node obeys
   * @param acceptedBallot the ballot in which it last accepted a topology
   * @param acceptedTopology the topology it accepted, unless it knows that one to be decided
   * @param currentTopology the topology it acts by
   */
  public record AgreementRecord(
      Ballot promisedBallot,
      Ballot acceptedBallot,
      @Nullable Topology acceptedTopology,
      Topology currentTopology) {
    /** The record of a node that has never been in a grid. */
    static final AgreementRecord EMPTY =
        new AgreementRecord(Ballot.NONE, Ballot.NONE, null, Topology.NONE);

    /**
     * The topologies of which one is the last decided, as far as this voter can know: the one it
     * acts by, then the later one it has accepted, if any.
     */
    public List<Topology> lastTopologies() {
      Topology accepted = acceptedTopology;
      boolean mayBeDecided =
          accepted != null
              && accepted.gridId().equals(currentTopology.gridId())
              && accepted.number() > currentTopology.number();
      return mayBeDecided ? List.of(currentTopology, accepted) : List.of(currentTopology);
    }

    /** The bytes of the record on disk. */
    public byte[] encode() {
      Output out = new Output(1_024);
      out.writeByte(FORMAT_VERSION);
      promisedBallot.write(out);
      acceptedBallot.write(out);
      out.writeOptional(acceptedTopology, topology -> topology.write(out));
      out.writeOptional(
          currentTopology.isFounded() ? currentTopology : null, topology -> topology.write(out));
      return out.toByteArray();
    }

    private static AgreementRecord read(Input in) {
      in.requireFormat(FORMAT_VERSION);

      Ballot promised = Ballot.read(in);
      Ballot acceptedIn = Ballot.read(in);
      Topology accepted = in.readOptional(Topology::read);
      Topology current = in.readBoolean() ? Topology.read(in) : Topology.NONE;
      return new AgreementRecord(promised, acceptedIn, accepted, current);
    }
  }

  private final StableStore stableStore;
  private final Environment environment;
  private final Object lock;
  private final AgreementRecord foundRecord;
  private byte @Nullable [] lastBytes;
  private @Nullable List<Runnable> pendingActions;
  private Topology savedTopology;

  private long recordCount;
  private long savedRecordNumber;

  /**
   * Reads the record of an earlier incarnation of this node.
   *
   * @throws IllegalStateException if the record cannot be read
   */
  AgreementJournal(StableStore stableStore, Environment environment, Object lock) {
    this.stableStore = stableStore;
    this.environment = environment;
    this.lock = lock;
    lastBytes = stableStore.find(RECORD_NAME);
    foundRecord = read(stableStore);
    savedTopology = foundRecord.currentTopology;
  }

  /**
   * Reads the record in a stable store; an empty one if there is none.
   *
   * @throws IllegalStateException if the record cannot be read
   */
  public static AgreementRecord read(StableStore stableStore) {
    byte[] bytes = stableStore.find(RECORD_NAME);
    try {
      return bytes == null ? AgreementRecord.EMPTY : AgreementRecord.read(new Input(bytes));
    } catch (MalformedException e) {
      throw new IllegalStateException(
          "what this node has noted of its grid cannot be read: "
              + e.getMessage()
              + "; start the release that wrote it, or give the node another store",
          e);
    }
  }

  /** Whether the record outlives this process. */
  public boolean isDurable() {
    return stableStore.isDurable();
  }

  /** The record that an earlier incarnation of this node left. */
  public AgreementRecord foundRecord() {
    return foundRecord;
  }

  /**
   * The number of the topology this node may say it has adopted. Other nodes rely on it as on a
   * promise.
   */
  public long announceableNumber(Topology current) {
    if (!isDurable()) {
      return current.number();
    }
    return savedTopology.gridId().equals(current.gridId())
        ? Math.min(savedTopology.number(), current.number())
        : 0;
  }

  /** How many records this incarnation has handed to the stable store. */
  public long recordCount() {
    return recordCount;
  }

  /** Replaces the record, and runs an action once the new record is on disk. */
  public void save(AgreementRecord record, Runnable onSaved) {
    if (!isDurable()) {
      onSaved.run();
      return;
    }
    byte[] bytes = record.encode();
    List<Runnable> pending = pendingActions;
    if (!Arrays.equals(bytes, lastBytes)) {
      List<Runnable> due = new ArrayList<>(List.of(onSaved));
      lastBytes = bytes;
      pendingActions = due;
      long number = ++recordCount;
      stableStore.save(
          RECORD_NAME,
          bytes,
          () -> environment.threads().execute(() -> onSaved(number, record, due)));
    } else if (pending == null) {
      onSaved.run();
    } else if (pending.size() < MAX_PENDING_ACTIONS) {
      pending.add(onSaved);
    }
  }

  @SuppressWarnings("ReferenceEquality") // Whether it is the last record that is on disk now.
  private void onSaved(long number, AgreementRecord record, List<Runnable> due) {
    synchronized (lock) {
      if (number > savedRecordNumber) {
        // Records are saved in order, but their completions may run in another order.
        savedRecordNumber = number;
        savedTopology = record.currentTopology;
      }
      if (pendingActions == due) {
        pendingActions = null;
      }
      due.forEach(Runnable::run);
    }
  }
}
