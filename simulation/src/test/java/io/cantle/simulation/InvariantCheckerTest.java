package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.NodeInspection.HeldEntry;
import io.cantle.simulation.NodeInspection.ReplicaPart;
import io.cantle.simulation.SeedScenario.SimulatedCapacity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class InvariantCheckerTest {
  private final List<FakeInspection> nodes =
      new ArrayList<>(List.of(new FakeInspection(1), new FakeInspection(2)));
  private final List<String> wrong = new ArrayList<>();
  private final InvariantChecker invariantChecker =
      new InvariantChecker(
          () ->
              nodes.stream()
                  .map(n -> new InvariantChecker.InspectedNode(n.id, "n" + n.number, n.seat, n))
                  .toList(),
          wrong::add);

  /** The inspection of a node whose state is set by hand; it has one segment. */
  private static final class FakeInspection implements NodeInspection {
    private final int number;
    private final UUID id;
    private long topology = 5;
    private long hash = 7;
    private boolean leased = true;
    private SimulatedCapacity seat = SimulatedCapacity.DEFAULT;
    private int leads;
    private long answerBytes;
    private List<String> boundExcess = List.of();
    private int since;
    private ReplicaPart part = ReplicaPart.OWNER;
    private List<UUID> owners = List.of(new UUID(0, 1), new UUID(0, 2));
    private List<UUID> holders = List.of();
    private List<HeldEntry> held = List.of(new HeldEntry(bytes(1), bytes(10), 1, 1, false));

    FakeInspection(int number) {
      this.number = number;
      this.id = new UUID(0, number);
    }

    @Override
    public List<UUID> voters() {
      return List.of();
    }

    @Override
    public List<String> boundExcess() {
      return boundExcess;
    }

    @Override
    public long answerBytes() {
      return answerBytes;
    }

    @Override
    public long topologyNumber() {
      return topology;
    }

    @Override
    public UUID gridId() {
      return new UUID(0, 1);
    }

    @Override
    public long topologyHash() {
      return hash;
    }

    @Override
    public boolean hasLease() {
      return leased;
    }

    @Override
    public int segmentCount() {
      return 1;
    }

    @Override
    public int leads(int segment) {
      return leads;
    }

    @Override
    public ReplicaPart partOf(int segment) {
      return part;
    }

    @Override
    public int sinceEpoch(int segment) {
      return since;
    }

    @Override
    public List<UUID> owners(int segment) {
      return owners;
    }

    @Override
    public List<UUID> settledHolders(int segment) {
      return holders;
    }

    @Override
    public List<HeldEntry> heldEntries(int segment) {
      return held;
    }

    @Override
    public int segmentOf(int key) {
      return 0;
    }

    @Override
    public @Nullable HeldEntry find(int key) {
      return held.stream().filter(entry -> entry.key().equals(bytes(key))).findAny().orElse(null);
    }

    @Override
    public List<KeptValue> keptValues(int key) {
      return List.of();
    }

    @Override
    public List<String> feedViolations() {
      return List.of();
    }

    @Override
    public List<String> unsteadySegments() {
      return List.of();
    }

    @Override
    public List<String> destroyedRemains() {
      return List.of();
    }

    @Override
    public List<String> feedDifferences() {
      return List.of();
    }

    @Override
    public List<UUID> members() {
      return List.of(id);
    }

    @Override
    public ByteBuffer valueOf(int key, long value) {
      return bytes((int) value);
    }
  }

  private static ByteBuffer bytes(int value) {
    return ByteBuffer.wrap(new byte[] {(byte) value});
  }

  @Test
  void oneLeaderAndEqualReplicasAreAccepted() {
    nodes.getFirst().leads = 3;
    invariantChecker.checkLeaders();
    invariantChecker.checkVersions();
    invariantChecker.checkVersions();
    invariantChecker.checkAcknowledged(1, 10);
    assertThat(wrong).isEmpty();
    assertThat(invariantChecker.differences()).isEmpty();
  }

  @Test
  void twoLeadersWithLeasesAreFound() {
    nodes.getFirst().leads = 3;
    nodes.getLast().leads = 4;
    invariantChecker.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("both with a lease");
  }

  @Test
  void formerLeaderWithoutLeaseIsAccepted() {
    nodes.getFirst().leads = 3;
    nodes.getFirst().leased = false;
    nodes.getLast().leads = 4;
    invariantChecker.checkLeaders();
    assertThat(wrong).isEmpty();
  }

  @Test
  void twoTopologiesOfOneNumberAreFound() {
    nodes.getLast().hash = 8;
    invariantChecker.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("is not that of others");
  }

  @Test
  void decreasingTopologyNumberIsFound() {
    invariantChecker.checkLeaders();
    nodes.getLast().topology = 4;
    invariantChecker.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("went back from topology 5 to 4");
  }

  /** It was excluded and received the segment anew, both between two checks. */
  @Test
  void nodeThatBeganAnewMayKnowLess() {
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(11), 2, 1, false));
    invariantChecker.checkVersions();
    nodes.getLast().since = 3;
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(10), 1, 9, false));
    invariantChecker.checkVersions();
    assertThat(wrong).isEmpty();
  }

  @Test
  void decreasingVersionIsFound() {
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(11), 2, 1, false));
    invariantChecker.checkVersions();
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(10), 1, 9, false));
    invariantChecker.checkVersions();
    assertThat(wrong).singleElement().asString().contains("went back in segment 0");
  }

  @Test
  void versionMayDecreaseAfterLosingOwnership() {
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(11), 2, 1, false));
    invariantChecker.checkVersions();
    nodes.getLast().part = ReplicaPart.JOINER;
    nodes.getLast().topology = 6;
    invariantChecker.checkLeaders();
    nodes.getLast().part = ReplicaPart.OWNER;
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(10), 1, 9, false));
    invariantChecker.checkVersions();
    assertThat(wrong).isEmpty();
  }

  @Test
  void acknowledgedWriteMissingAtAnOwnerIsFound() {
    nodes.getFirst().held = List.of(new HeldEntry(bytes(1), bytes(11), 1, 2, false));
    invariantChecker.checkAcknowledged(1, 11);
    assertThat(wrong).singleElement().asString().contains("n2 owns segment 0");
  }

  @Test
  void acknowledgedWriteReplacedAtAnOwnerIsAccepted() {
    nodes.getFirst().held = List.of(new HeldEntry(bytes(1), bytes(11), 1, 2, false));
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(12), 1, 3, false));
    invariantChecker.checkAcknowledged(1, 11);
    assertThat(wrong).isEmpty();
  }

  @Test
  void acknowledgedWriteWithoutSecondCopyIsFound() {
    scatter();
    nodes.getFirst().held = List.of(new HeldEntry(bytes(1), bytes(11), 1, 2, false));
    invariantChecker.checkAcknowledged(1, 11);
    assertThat(wrong).singleElement().asString().startsWith("no holder of segment 0 has the");
  }

  @Test
  void acknowledgedWriteMissingAtThePrimaryOfItsHolderIsFound() {
    scatter();
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(11), 1, 2, false));
    invariantChecker.checkAcknowledged(1, 11);
    assertThat(wrong).singleElement().asString().startsWith("n1 owns segment 0");
  }

  @Test
  void acknowledgedWriteWithSecondCopyOrNodeGoneIsAccepted() {
    scatter();
    nodes.getFirst().held = List.of(new HeldEntry(bytes(1), bytes(11), 1, 2, false));
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(12), 1, 3, false));
    invariantChecker.checkAcknowledged(1, 11);
    nodes.removeLast();
    invariantChecker.checkAcknowledged(1, 11);
    assertThat(wrong).isEmpty();
  }

  /** Makes the first node the primary of a scattered segment, and the other its holder. */
  private void scatter() {
    nodes.getLast().part = ReplicaPart.HOLDER;
    for (FakeInspection node : nodes) {
      node.owners = List.of(new UUID(0, 1));
      node.holders = List.of(new UUID(0, 2));
    }
  }

  @Test
  void differingReplicasAreFound() {
    nodes.getLast().held = List.of(new HeldEntry(bytes(1), bytes(10), 1, 2, false));
    assertThat(invariantChecker.differences())
        .singleElement()
        .asString()
        .contains("differ in segment 0");
  }

  @Test
  void leftoversAreFound() {
    nodes.getLast().part = ReplicaPart.NONE;
    assertThat(invariantChecker.differences()).singleElement().asString().contains("no owner of");
  }

  @Test
  void moreThanTheBoundIsFound() {
    nodes.getLast().boundExcess = List.of("3 entries, and may hold 2");
    assertThat(invariantChecker.differences())
        .containsExactly("n2 holds 3 entries, and may hold 2");
  }

  @Test
  void unreleasedMemoryIsFound() {
    nodes.getLast().answerBytes = 17;
    assertThat(invariantChecker.differences())
        .singleElement()
        .asString()
        .isEqualTo("n2 has 17 bytes reserved for answers");
  }

  @Test
  void anOwnerWithoutCapacityIsFound() {
    nodes.getLast().seat = new SimulatedCapacity(0, "");
    assertThat(invariantChecker.differences())
        .singleElement()
        .asString()
        .isEqualTo("n2 has no capacity and owns segment 0");
  }

  @Test
  void replicasOnOneRackAreFound() {
    nodes.forEach(node -> node.seat = new SimulatedCapacity(1, "left"));
    assertThat(invariantChecker.differences()).as("there is no other rack").isEmpty();
    nodes.getLast().seat = new SimulatedCapacity(1, "right");
    assertThat(invariantChecker.differences()).isEmpty();
    FakeInspection third = new FakeInspection(3);
    third.part = ReplicaPart.NONE;
    third.held = List.of();
    nodes.add(third);
    assertThat(invariantChecker.differences()).isEmpty();
    nodes.getLast().seat = new SimulatedCapacity(1, "right");
    nodes.get(1).seat = new SimulatedCapacity(1, "left");
    assertThat(invariantChecker.differences())
        .singleElement()
        .asString()
        .startsWith("segment 0 is on 1 of 2 racks");
  }
}
