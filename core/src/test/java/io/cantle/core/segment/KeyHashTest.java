package io.cantle.core.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyHashTest {

  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  /**
   * The length, then the hashes with the seeds 0, 1 and golden, of the bytes 3, 10, 17 and so on.
   */
  private static final long[][] VECTORS = {
    {0, 0x2D06800538D394C2L, 0x4DC5B0CC826F6703L, 0x602B0E2CD6662C8BL},
    {1, 0x83E4E2CA690D8FCFL, 0x5397E4992A7D4334L, 0x9FA1FF60F7931E84L},
    {3, 0x451E19C0D9104EE2L, 0xD30DB963C9F95A23L, 0xC5BDDA924E5E125DL},
    {4, 0xC1A25A299A759BD4L, 0x9459C5AFD165F3A5L, 0x8323E0FB0D29D938L},
    {8, 0x406C734018D1B9DCL, 0xBEC367557FBE3F89L, 0x03A9AB061E6483B2L},
    {9, 0x48DB3779554092D4L, 0xE49B23F432485DC4L, 0x2AE6BF94226252ECL},
    {16, 0x4F40F8B2A5F78DBAL, 0x55DF959E210017EFL, 0xC5919DB16F99B1F3L},
    {17, 0x79E1288E8E22CB87L, 0x2EB790A38AE71ADCL, 0xA5E35DC68BFA0424L},
    {32, 0x57B05F33767FEE5CL, 0x71AB35E277862329L, 0x36DE187601708CD3L},
    {128, 0x0A035C82C194FC97L, 0xB63EE7F903EFDF54L, 0x859AF81696977C4CL},
    {129, 0xF8EEFFBDB5B1AD4EL, 0x021A6236DC07F64CL, 0x196F2AA30EED11A5L},
    {240, 0xE1773398CF09F394L, 0x39A5D52D5BFE73A8L, 0x279486B097E44C45L},
    {241, 0xAB864A2C9FCF133FL, 0x56C31EF26C0E016EL, 0xC290F9D834A76FB1L},
    {256, 0x825A00527F87CBC3L, 0x53D85D361A48AB3AL, 0xCB0D671B21F69F61L},
    {1000, 0x1A6C4DC0E631AD21L, 0x37C0A91A4252C4E4L, 0xAE57C89EC171FDBDL},
  };

  @Test
  void isFrozen() {
    for (long[] vector : VECTORS) {
      int length = (int) vector[0];
      byte[] bytes = new byte[length + 8];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (i * 7 + 3);
      }
      // The vectors start at the fourth byte of the pattern.
      assertThat(KeyHash.hash(0, bytes, 3, length)).as("length %s", length).isEqualTo(vector[1]);
      assertThat(KeyHash.hash(1, bytes, 3, length)).as("length %s", length).isEqualTo(vector[2]);
      assertThat(KeyHash.hash(GOLDEN, bytes, 3, length))
          .as("length %s", length)
          .isEqualTo(vector[3]);
    }
  }

  @Test
  void isThePublishedFunction() {
    assertThat(hash(0, "")).isEqualTo(0x2D06800538D394C2L);
    assertThat(hash(0, "a")).isEqualTo(0xE6C632B61E964E1FL);
    assertThat(hash(0, "abc")).isEqualTo(0x78AF5F94892F3950L);
  }

  @Test
  void cachesOneHasherPerSeed() {
    Random random = new Random(5);
    long[] seeds = random.longs(100).toArray();
    long[] hashes = Arrays.stream(seeds).map(seed -> hash(seed, "key")).toArray();
    assertThat(Arrays.stream(hashes).distinct().count()).isEqualTo(100);
    for (int round = 0; round < 1000; round++) {
      int i = random.nextInt(seeds.length);
      assertThat(hash(seeds[i], "key")).isEqualTo(hashes[i]);
    }
  }

  @Test
  void takesTheSegmentFromTheLowHalf() {
    assertThat(KeyHash.segment(0xFFFF_FFFF_0000_0000L, 256)).isZero();
    assertThat(KeyHash.segment(0x0000_0000_FFFF_FFFFL, 256)).isEqualTo(255);
    assertThat(KeyHash.segment(0x0000_0000_8000_0000L, 256)).isEqualTo(128);
    assertThat(KeyHash.segment(0x0000_0000_7FFF_FFFFL, 256)).isEqualTo(127);
    assertThat(KeyHash.segment(-1, 1)).isZero();
    assertThat(KeyHash.segment(-1, 65_536)).isEqualTo(65_535);
    assertThat(KeyHash.segment(0xABCD_EF01_5555_5555L, 3)).isZero();
    assertThat(KeyHash.segment(0xABCD_EF01_5555_5556L, 3)).isEqualTo(1);
  }

  @Test
  void spreadsKeysEvenlyOverAnyNumberOfSegments() {
    for (int count : new int[] {1, 3, 10, 256, 1000}) {
      int[] sizes = new int[count];
      int keys = count * 1000;
      for (int key = 0; key < keys; key++) {
        sizes[KeyHash.segment(hash(42, "user:" + key), count)]++;
      }
      // Each size is about Poisson with mean 1000; 190 is six standard deviations.
      assertThat(Arrays.stream(sizes).min().orElseThrow()).isGreaterThan(810);
      assertThat(Arrays.stream(sizes).max().orElseThrow()).isLessThan(1190);
    }
  }

  @Test
  void refusesASegmentCountBeyondTheLimit() {
    assertThatThrownBy(() -> KeyHash.segment(1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("segment count 0 is not within 1..65536");
    assertThatThrownBy(() -> KeyHash.segment(1, 65_537))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65537");
  }

  private static long hash(long seed, String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return KeyHash.hash(seed, bytes, 0, bytes.length);
  }
}
