package io.cantle.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import java.net.URI;
import java.time.DayOfWeek;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ValueEncodingTest {
  private static final Codec CODEC =
      new Codec(
          ClassAllowList.of(List.of("io.cantle.core.codec")),
          ValueEncodingTest.class.getClassLoader());

  record Basket(String owner, Map<String, Integer> items) {}

  private static final class Node {
    int number;
    @Nullable Node next;

    Node(int number) {
      this.number = number;
    }
  }

  /** Fields whose types are all interfaces, so their classes are not declared anywhere. */
  private static final class Vague {
    Comparable<?> comparable = "x";
    CharSequence text = "y";
    Iterable<?> many = List.of(1);
  }

  enum Size {
    SMALL,
    LARGE,
    TOO_LARGE_FOR_ANY_SHELF
  }

  @Test
  void lengthOfTextsAndArraysIsKnownBefore() {
    for (Object value : List.of("", "text", "t".repeat(200), new byte[0], new byte[20_000])) {
      assertThat(CODEC.encodeValue(value)).hasSize(Codec.expectedBytes(value));
    }
    for (String text : List.of("t", "t".repeat(200))) {
      assertThat(CODEC.encodeKey(text)).hasSize(Codec.expectedBytes(text));
    }
    assertThat(CODEC.decodeValue(CODEC.encodeValue("\u00fc"), 0, 5)).isEqualTo("\u00fc");
  }

  @Test
  void scalarsAndRecordsUseTheFrozenForm() {
    for (Object value : List.of("text", 1, 2L, true, 'c', Size.LARGE, List.of(1, "a"))) {
      assertThat(CODEC.encodeValue(value)[0]).isEqualTo((byte) Codec.FROZEN_FORM);
      assertThat(roundTrip(value)).isEqualTo(value);
    }
  }

  @Test
  @SuppressWarnings("JdkObsolete")
  void otherTypesUseTheObjectForm() {
    List<Object> values =
        List.of(
            new Basket("ada", Map.of("pear", 2)),
            Map.of(1, "a", 2, "b"),
            Map.entry("a", 1),
            Set.of(1, 2, 3),
            new LinkedHashMap<>(Map.of("a", List.of(1))),
            new LinkedList<>(Arrays.asList(1, null)),
            Arrays.asList(1, 2),
            new TreeMap<>(Map.of(1, 2)),
            new TreeSet<>(Comparator.<Integer>reverseOrder()),
            EnumSet.of(Size.LARGE),
            new EnumMap<>(Map.of(Size.SMALL, 1)),
            new ConcurrentHashMap<>(Map.of(1, 2)),
            Optional.of(Size.LARGE),
            Optional.empty(),
            BitSet.valueOf(new long[] {5}),
            URI.create("http://localhost/x"),
            Locale.GERMANY,
            Collections.unmodifiableMap(new TreeMap<>(Map.of(1, DayOfWeek.FRIDAY))),
            new Basket("bob", new TreeMap<>(Map.of("x", 1))));
    for (Object value : values) {
      assertThat(CODEC.encodeValue(value)[0]).as("%s", value).isEqualTo((byte) Codec.OBJECT_FORM);
      assertThat(roundTrip(value)).isEqualTo(value).hasSameClassAs(value);
    }
    assertThat((long[]) roundTrip(new long[] {1, 2})).containsExactly(1, 2);
    assertThat((String[]) roundTrip(new String[] {"a", null})).containsExactly("a", null);
    assertThat((Integer[]) roundTrip(new Integer[20_000])).hasSize(20_000).containsOnlyNulls();
    assertThat(roundTrip(new ArrayDeque<>(List.of(1, 2)))).hasToString("[1, 2]");
    IntSummaryStatistics statistics = new IntSummaryStatistics();
    statistics.accept(7);
    assertThat(roundTrip(statistics)).hasToString(statistics.toString());
  }

  @Test
  void enumConstantsInObjectsAreMatchedByName() {
    // A number would have the same length for both, and mean another constant after an insertion.
    assertThat(CODEC.encodeValue(Map.of("a", Size.TOO_LARGE_FOR_ANY_SHELF)).length)
        .isGreaterThan(CODEC.encodeValue(Map.of("a", Size.SMALL)).length + 5);
  }

  @Test
  void cyclicAndSharedObjectsRoundTrip() {
    Node one = new Node(1);
    one.next = new Node(2);
    one.next.next = one;
    Node back = (Node) roundTrip(one);
    assertThat(back.number).isEqualTo(1);
    Node second = Objects.requireNonNull(back.next);
    assertThat(second.number).isEqualTo(2);
    assertThat(second.next).isSameAs(back);
    Vague vague = (Vague) roundTrip(new Vague());
    assertThat(vague.comparable).isEqualTo("x");
    assertThat(vague.text).isEqualTo("y");
    assertThat(vague.many).isEqualTo(List.of(1));
  }

  @Test
  void objectDepthIsLimited() {
    assertThat(roundTrip(chain(900))).isInstanceOf(Node.class);
    byte[] bytes = CODEC.encodeValue(chain(1_500));
    assertThatThrownBy(() -> CODEC.decodeValue(bytes, 0, bytes.length))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("depth");
    assertThatThrownBy(() -> CODEC.encodeValue(chain(500_000)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMutableListStaysMutable() {
    @SuppressWarnings("unchecked")
    List<Integer> back = (List<Integer>) roundTrip(new ArrayList<>(List.of(1)));
    back.add(2);
    assertThat(back).containsExactly(1, 2);
  }

  @Test
  void refusedValueLeavesTheOutputUnchanged() {
    Output out = new Output(16);
    out.writeByte(9);
    Codec strict =
        new Codec(ClassAllowList.of(List.of()), ValueEncodingTest.class.getClassLoader());
    for (Object value :
        List.of(new Basket("a", Map.of()), List.of(Size.SMALL), new Node(1), new Object[] {this})) {
      assertThatThrownBy(() -> strict.encodeValue(value, out))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("GridConfig.allowing")
          .hasMessageContaining("io.cantle.core.codec");
      assertThat(out.position()).isEqualTo(1);
    }
  }

  @Test
  void contentOfAnArrayEndsItsEncoding() {
    for (int length : new int[] {0, 1, 127, 128, 20_000, 3_000_000}) {
      byte[] array = new byte[length];
      Arrays.fill(array, (byte) -1);
      byte[] bytes = CODEC.encodeValue(array);
      int begin = Codec.beginOfArray(index -> bytes[index], bytes.length);
      assertThat(Arrays.copyOfRange(bytes, begin, bytes.length)).isEqualTo(array);
    }
    for (Object other : List.of("text", 12, List.of(new byte[3]), new HashMap<>())) {
      byte[] bytes = CODEC.encodeValue(other);
      assertThat(Codec.beginOfArray(index -> bytes[index], bytes.length)).isEqualTo(-1);
    }
    // What is read while it changes may be anything.
    assertThat(Codec.beginOfArray(index -> (byte) -1, 0)).isEqualTo(-1);
    byte[] endless = {1, 12, -1, -1, -1};
    assertThat(Codec.beginOfArray(index -> endless[index], 5)).isEqualTo(5);
  }

  @Test
  void unknownFormsAndEmptyBytesAreMalformed() {
    assertThatThrownBy(() -> CODEC.decodeValue(new byte[] {77, 1}, 0, 2))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("77");
    assertThatThrownBy(() -> CODEC.decodeValue(new byte[0], 0, 0))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> CODEC.decodeValue(new byte[] {Codec.OBJECT_FORM}, 0, 1))
        .isInstanceOf(MalformedException.class);
  }

  private static Node chain(int length) {
    Node first = new Node(0);
    for (int i = 1; i < length; i++) {
      Node node = new Node(i);
      node.next = first;
      first = node;
    }
    return first;
  }

  private Object roundTrip(Object value) {
    byte[] bytes = CODEC.encodeValue(value);
    byte[] around = new byte[bytes.length + 7];
    System.arraycopy(bytes, 0, around, 4, bytes.length);
    return CODEC.decodeValue(around, 4, bytes.length);
  }
}
