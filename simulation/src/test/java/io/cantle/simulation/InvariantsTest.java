package io.cantle.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.simulation.Insight.Held;
import io.cantle.simulation.Insight.Part;
import io.cantle.simulation.Scenario.Seat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class InvariantsTest {
  private final List<Hand> nodes = new ArrayList<>(List.of(new Hand(1), new Hand(2)));
  private final List<String> wrong = new ArrayList<>();
  private final Invariants invariants =
      new Invariants(
          () ->
              nodes.stream()
                  .map(n -> new Invariants.Node(n.id, "n" + n.number, n.seat, n))
                  .toList(),
          wrong::add);

  /** A node whose state is set by hand; one segment. */
  private static final class Hand implements Insight {
    private final int number;
    private final UUID id;
    private long topology = 5;
    private long hash = 7;
    private boolean leased = true;
    private Seat seat = Seat.USUAL;
    private int leads;
    private long answerBytes;
    private Part part = Part.OWNER;
    private List<Held> held = List.of(new Held(bytes(1), bytes(10), 1, 1, false));

    Hand(int number) {
      this.number = number;
      this.id = new UUID(0, number);
    }

    @Override
    public List<UUID> voters() {
      return List.of();
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
    public UUID grid() {
      return new UUID(0, 1);
    }

    @Override
    public long topologyHash() {
      return hash;
    }

    @Override
    public boolean leased() {
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
    public Part part(int segment) {
      return part;
    }

    @Override
    public List<UUID> owners(int segment) {
      return List.of(new UUID(0, 1), new UUID(0, 2));
    }

    @Override
    public List<Held> held(int segment) {
      return held;
    }

    @Override
    public int segmentOf(int key) {
      return 0;
    }

    @Override
    public @Nullable Held find(int key) {
      return held.stream().filter(entry -> entry.key().equals(bytes(key))).findAny().orElse(null);
    }

    @Override
    public List<Kept> kept(int key) {
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
  void oneLeaderAndEqualCopiesAreRight() {
    nodes.getFirst().leads = 3;
    invariants.checkLeaders();
    invariants.checkVersions();
    invariants.checkVersions();
    invariants.checkAcknowledged(1, 10);
    assertThat(wrong).isEmpty();
    assertThat(invariants.differences()).isEmpty();
  }

  @Test
  void twoLeadersWithLeasesAreFound() {
    nodes.getFirst().leads = 3;
    nodes.getLast().leads = 4;
    invariants.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("both with a lease");
  }

  @Test
  void formerLeaderWithoutLeaseIsRight() {
    nodes.getFirst().leads = 3;
    nodes.getFirst().leased = false;
    nodes.getLast().leads = 4;
    invariants.checkLeaders();
    assertThat(wrong).isEmpty();
  }

  @Test
  void twoTopologiesOfOneNumberAreFound() {
    nodes.getLast().hash = 8;
    invariants.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("is not that of others");
  }

  @Test
  void topologyThatGoesBackIsFound() {
    invariants.checkLeaders();
    nodes.getLast().topology = 4;
    invariants.checkLeaders();
    assertThat(wrong).singleElement().asString().contains("went back from topology 5 to 4");
  }

  @Test
  void versionThatGoesBackIsFound() {
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(11), 2, 1, false));
    invariants.checkVersions();
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(10), 1, 9, false));
    invariants.checkVersions();
    assertThat(wrong).singleElement().asString().contains("went back in segment 0");
  }

  @Test
  void versionOfWhoWasNoOwnerInBetweenMayGoBack() {
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(11), 2, 1, false));
    invariants.checkVersions();
    nodes.getLast().part = Part.JOINER;
    nodes.getLast().topology = 6;
    invariants.checkLeaders();
    nodes.getLast().part = Part.OWNER;
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(10), 1, 9, false));
    invariants.checkVersions();
    assertThat(wrong).isEmpty();
  }

  @Test
  void acknowledgedWriteMissingAtAnOwnerIsFound() {
    nodes.getFirst().held = List.of(new Held(bytes(1), bytes(11), 1, 2, false));
    invariants.checkAcknowledged(1, 11);
    assertThat(wrong).singleElement().asString().contains("n2 owns segment 0");
  }

  @Test
  void acknowledgedWriteReplacedAtAnOwnerIsRight() {
    nodes.getFirst().held = List.of(new Held(bytes(1), bytes(11), 1, 2, false));
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(12), 1, 3, false));
    invariants.checkAcknowledged(1, 11);
    assertThat(wrong).isEmpty();
  }

  @Test
  void copiesThatDifferAreFound() {
    nodes.getLast().held = List.of(new Held(bytes(1), bytes(10), 1, 2, false));
    assertThat(invariants.differences()).singleElement().asString().contains("differ in segment 0");
  }

  @Test
  void leftoversAreFound() {
    nodes.getLast().part = Part.NONE;
    assertThat(invariants.differences()).singleElement().asString().contains("no owner of");
  }

  @Test
  void memoryThatIsNotGivenBackIsFound() {
    nodes.getLast().answerBytes = 17;
    assertThat(invariants.differences())
        .singleElement()
        .asString()
        .isEqualTo("n2 has 17 bytes reserved for answers");
  }

  @Test
  void anOwnerWithoutCapacityIsFound() {
    nodes.getLast().seat = new Seat(0, "");
    assertThat(invariants.differences())
        .singleElement()
        .asString()
        .isEqualTo("n2 has no capacity and owns segment 0");
  }

  @Test
  void copiesThatAreTogetherOnARackAreFound() {
    nodes.forEach(node -> node.seat = new Seat(1, "left"));
    assertThat(invariants.differences()).as("there is no other rack").isEmpty();
    nodes.getLast().seat = new Seat(1, "right");
    assertThat(invariants.differences()).isEmpty();
    Hand third = new Hand(3);
    third.part = Part.NONE;
    third.held = List.of();
    nodes.add(third);
    assertThat(invariants.differences()).isEmpty();
    nodes.getLast().seat = new Seat(1, "right");
    nodes.get(1).seat = new Seat(1, "left");
    assertThat(invariants.differences())
        .singleElement()
        .asString()
        .startsWith("segment 0 is on 1 of 2 racks");
  }
}
