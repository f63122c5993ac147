package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordTest {
  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")), RecordTest.class.getClassLoader());

  private record Flight(
      String flight,
      String origin,
      LocalDateTime departure,
      int delay,
      long distance,
      double speed,
      float load,
      short gate,
      byte terminal,
      char wing,
      boolean cancelled,
      @Nullable String note) {}

  record Empty() {}

  record Tagged(List<Integer> tags) {}

  record Pair<A, B>(A left, B right) {}

  record Tree(String name, List<Tree> children) {}

  record Lists(ArrayList<Integer> growing, List<Integer> fixed) {}

  record Checked(int positive) {
    Checked {
      if (positive <= 0) {
        throw new IllegalArgumentException("not positive: " + positive);
      }
    }
  }

  // Old and new versions of one class; the names have equal length so that bytes can be renamed.
  record PersonV1(String name, int age, Unknown1 extra) {}

  record PersonV2(long age, String name, boolean member, @Nullable List<String> tags, int size) {}

  record Unknown1(Colour1 colour, int number) {}

  enum Colour1 {
    RED
  }

  record NumberV1(byte a, short b, int c, int d, float e) {}

  record NumberV2(short a, int b, long c, double d, double e) {}

  record PlaceV1(String city, int gate) {}

  record PlaceV2(@Nullable String town, int door) {}

  record NarrowV1(long a) {}

  record NarrowV2(int a) {}

  enum StateV1 {
    OPEN,
    CLOSED
  }

  enum StateV2 {
    NEW,
    CLOSED
  }

  @Test
  void everyComponentRoundTrips() {
    Flight flight =
        new Flight(
            "UA1545",
            "EWR",
            LocalDateTime.of(2013, 1, 1, 5, 15),
            -2,
            1L << 40,
            3.5,
            0.5f,
            (short) -7,
            (byte) 3,
            'B',
            true,
            null);
    assertThat(roundTrip(flight)).isEqualTo(flight);
    assertThat(roundTrip(new Empty())).isEqualTo(new Empty());
    assertThat(roundTrip(new Pair<>("a", List.of(1)))).isEqualTo(new Pair<>("a", List.of(1)));
  }

  @Test
  void nestedAndLocalRecordsRoundTrip() {
    record Local(Pair<Integer, Empty> pair) {}
    Local local = new Local(new Pair<>(1, new Empty()));
    assertThat(roundTrip(local)).isEqualTo(local);
    Tree tree = new Tree("a", List.of(new Tree("b", List.of()), new Tree("c", List.of())));
    assertThat(roundTrip(tree)).isEqualTo(tree);
  }

  @Test
  void namesAreWrittenOncePerPayload() {
    int one = CODEC.encodeValue(List.of(new Pair<>(1, 2))).length;
    int two = CODEC.encodeValue(List.of(new Pair<>(1, 2), new Pair<>(1, 2))).length;
    assertThat(two - one).isEqualTo(2 + 2 + 2);
  }

  @Test
  void valuesKeepTheirListTypes() {
    Lists lists = new Lists(new ArrayList<>(List.of(1, 2)), List.of(3));
    Lists back = (Lists) roundTrip(lists);
    assertThat(back).isEqualTo(lists);
    back.growing().add(9);
    assertThatThrownBy(() -> back.fixed().add(9)).isInstanceOf(UnsupportedOperationException.class);
    byte[] key = CODEC.encodeKey(lists);
    assertThat(CODEC.decodeKey(key, 0, key.length)).isEqualTo(lists);
  }

  /** A list of another class would come back as one that a record may not take. */
  @Test
  void refusalOfAListSaysWhichListsAreTaken() {
    for (List<Integer> refused :
        List.of(
            Arrays.asList(1, 2),
            new ArrayList<>(List.of(1, 2)).subList(0, 1),
            Collections.nCopies(2, 1),
            List.of(1, 2).reversed())) {
      assertThatThrownBy(() -> CODEC.frozenOnly().encodeValue(new Tagged(refused)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll(
              refused.getClass().getTypeName(),
              "lists of these (made by List.of, List.copyOf or Stream.toList, or an ArrayList)");
      for (List<Integer> taken :
          List.of(List.copyOf(refused), refused.stream().toList(), new ArrayList<>(refused))) {
        Tagged tagged = new Tagged(taken);
        byte[] bytes = CODEC.frozenOnly().encodeValue(tagged);
        assertThat(CODEC.decodeValue(bytes, 0, bytes.length)).isEqualTo(tagged);
      }
    }
  }

  @Test
  void aDecodedListIsEncodedInTheSameFormAgain() {
    for (List<?> list : List.of(List.of(), Stream.of(1, null).toList(), List.of(1, 2, 3))) {
      byte[] bytes = CODEC.encodeValue(new Pair<>(1, list));
      Object back = CODEC.decodeValue(bytes, 0, bytes.length);
      Object again = roundTrip(back);
      assertThat(CODEC.encodeValue(again)).isEqualTo(CODEC.encodeValue(back));
    }
  }

  @Test
  void componentsAreMatchedByName() {
    byte[] old =
        rename(
            CODEC.encodeValue(new PersonV1("Ada", 36, new Unknown1(Colour1.RED, 1))),
            "PersonV1",
            "PersonV2");
    assertThat(CODEC.decodeValue(old, 0, old.length))
        .isEqualTo(new PersonV2(36, "Ada", false, null, 0));
  }

  @Test
  void renamedComponentIsReadAsOneThatTheWriterLacked() {
    byte[] old = rename(CODEC.encodeValue(new PlaceV1("Oslo", 7)), "PlaceV1", "PlaceV2");
    assertThat(CODEC.decodeValue(old, 0, old.length)).isEqualTo(new PlaceV2(null, 0));
  }

  @Test
  void skippedComponentNeedsNoClass() {
    byte[] old =
        rename(
            CODEC.encodeValue(
                new Pair<>(
                    new PersonV1("Ada", 36, new Unknown1(Colour1.RED, 1)),
                    new PersonV1("Bob", 7, new Unknown1(Colour1.RED, 2)))),
            "PersonV1",
            "PersonV2");
    byte[] gone = rename(rename(old, "Unknown1", "UnknownX"), "Colour1", "ColourX");
    assertThat(CODEC.decodeValue(gone, 0, gone.length))
        .isEqualTo(
            new Pair<>(
                new PersonV2(36, "Ada", false, null, 0), new PersonV2(7, "Bob", false, null, 0)));
  }

  @Test
  void numbersMayWiden() {
    byte[] old =
        rename(
            CODEC.encodeValue(new NumberV1((byte) -1, (short) 2, 3, 4, 0.5f)),
            "NumberV1",
            "NumberV2");
    assertThat(CODEC.decodeValue(old, 0, old.length))
        .isEqualTo(new NumberV2((short) -1, 2, 3, 4, 0.5));
  }

  @Test
  void numbersMayNotNarrow() {
    byte[] old = rename(CODEC.encodeValue(new NarrowV1(1)), "NarrowV1", "NarrowV2");
    assertThatThrownBy(() -> CODEC.decodeValue(old, 0, old.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("component 'a' of io.cantle.core.codec.RecordTest$NarrowV2")
        .hasMessageContaining("java.lang.Long");
  }

  @Test
  void enumConstantsAreMatchedByName() {
    byte[] closed = rename(CODEC.encodeValue(StateV1.CLOSED), "StateV1", "StateV2");
    assertThat(CODEC.decodeValue(closed, 0, closed.length)).isEqualTo(StateV2.CLOSED);
    byte[] open = rename(CODEC.encodeValue(StateV1.OPEN), "StateV1", "StateV2");
    assertThatThrownBy(() -> CODEC.decodeValue(open, 0, open.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("StateV2 has no constant OPEN");
  }

  @Test
  void constructorRefusalIsReportedWithItsReason() {
    byte[] bytes = CODEC.encodeValue(new Checked(3));
    bytes[bytes.length - 1] = 0;
    assertThatThrownBy(() -> CODEC.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("RecordTest$Checked")
        .hasMessageContaining("not positive: 0")
        .hasCauseInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void missingClassIsNamed() {
    byte[] bytes = rename(CODEC.encodeValue(new NarrowV1(1)), "NarrowV1", "NarrowVX");
    assertThatThrownBy(() -> CODEC.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("NarrowVX cannot be loaded on this node");
  }

  @Test
  void closedModuleMessageSaysWhatToOpen() throws Exception {
    Class<?> closed = Class.forName("jdk.internal.misc.ThreadTracker$ThreadRef");
    assertThatThrownBy(() -> new RecordSchema(closed))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("opens jdk.internal.misc")
        .hasMessageContaining("module-info of java.base");
  }

  private Object roundTrip(Object value) {
    byte[] bytes = CODEC.encodeValue(value);
    assertThat(bytes[0]).isEqualTo((byte) Codec.FROZEN_FORM);
    byte[] key = CODEC.encodeKey(value);
    assertThat(CODEC.decodeKey(key, 0, key.length)).isEqualTo(value);
    return CODEC.decodeValue(bytes, 0, bytes.length);
  }

  static byte[] rename(byte[] bytes, String from, String to) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    assertThat(text).contains(from);
    assertThat(to).hasSameSizeAs(from);
    return text.replace(from, to).getBytes(StandardCharsets.ISO_8859_1);
  }
}
