package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.FunctionException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.scan.ScanFixture;
import io.cantle.core.scan.ScanStatus;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests pages, and the text of the cursor that leads from one to the next. */
final class PageReaderTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private ScanPage<String, Integer> page(ScanCursor cursor, int limit) {
    return page(rig, cursor, limit);
  }

  private static ScanPage<String, Integer> page(ScanFixture from, ScanCursor cursor, int limit) {
    ScanPage<String, Integer> page =
        from.scanner.page(
            cursor, limit, in -> Map.entry(ScanFixture.key(in), in.readBlob().length));
    from.assertNothingLeft();
    return page;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 100, 1_000, 100_000})
  void pagesCoverEverythingOnceWhileSegmentsMove(int limit) {
    List<String> found = new ArrayList<>();
    ScanCursor cursor = ScanCursor.START;
    for (int pages = 0; !cursor.atEnd(); pages++) {
      ScanPage<String, Integer> page = page(cursor, limit);
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(limit);
      page.entries().forEach(entry -> found.add(entry.getKey()));
      assertThat(page.next().token()).matches("[A-Za-z0-9_-]+");
      cursor = new ScanCursor(page.next().token());
      if (pages % 3 == 0) {
        rig.move();
      }
    }
    assertThat(found).containsExactlyInAnyOrderElementsOf(rig.keys());
  }

  @Test
  void ownerFailureIsThrownAndNotRetried() {
    rig.startsAtOnce = false;
    rig.clock.whileParked.add(
        () -> {
          Output answer = rig.messaging.newResponse(rig.messaging.self(), rig.lastRequest, 64);
          answer.writeByte(ScanStatus.FAILED);
          answer.writeString("self");
          ThrowableCodec.write(new IllegalStateException("no such thing"), answer);
          rig.messaging.send(rig.self, answer);
        });
    assertThatExceptionOfType(FunctionException.class)
        .isThrownBy(() -> page(ScanCursor.START, 10))
        .withMessageContaining("no such thing");
    assertThat(rig.sent).hasSize(1);
  }

  @Test
  void pageEndsAtItsByteLimit() {
    ScanFixture big = new ScanFixture(8).filled(50, 100_000);
    ScanCursor cursor = ScanCursor.START;
    int found = 0;
    while (!cursor.atEnd()) {
      ScanPage<String, Integer> page = page(big, cursor, 1_000);
      assertThat(page.entries()).hasSizeBetween(1, 10);
      found += page.entries().size();
      cursor = page.next();
    }
    assertThat(found).isEqualTo(50);
  }

  @Test
  void entryLongerThanAPageIsAPageOfItsOwn() {
    ScanFixture big = new ScanFixture(2).filled(5, 3 << 20);
    big.write("small", 1);
    ScanCursor cursor = ScanCursor.START;
    List<String> found = new ArrayList<>();
    while (!cursor.atEnd()) {
      ScanPage<String, Integer> page = page(big, cursor, 1_000);
      assertThat(page.entries()).hasSizeLessThanOrEqualTo(2);
      page.entries().forEach(entry -> found.add(entry.getKey()));
      cursor = page.next();
    }
    assertThat(found).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4", "small");
  }

  @Test
  void emptyCacheIsOneEmptyPage() {
    ScanPage<String, Integer> page = page(new ScanFixture(8), ScanCursor.START, 10);
    assertThat(page.entries()).isEmpty();
    assertThat(page.next()).isEqualTo(ScanCursor.END);
    assertThat(page(ScanCursor.END, 10).entries()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 100_001})
  void limitOutsideItsRangeIsRefused(int limit) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> page(ScanCursor.START, limit))
        .withMessageContaining(String.valueOf(limit));
  }

  private void refuses(String token, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> page(new ScanCursor(token), 10))
        .withMessageContaining(why);
  }

  @Test
  void invalidTokensAreRefusedWithTheReason() {
    String good = page(ScanCursor.START, 10).next().token();
    refuses("", "cut short");
    refuses("not a token!", "letters");
    refuses(good.substring(0, good.length() - 5), "cut short");
    refuses("C" + good.substring(1), "version");
    char[] changed = good.toCharArray();
    changed[30] = changed[30] == 'A' ? 'B' : 'A';
    refuses(new String(changed), "mistyped");
  }

  @Test
  void tokensWithTrailingBytesAreRefused() {
    byte[] good = Base64.getUrlDecoder().decode(page(ScanCursor.START, 10).next().token());
    Output longer = new Output(64);
    longer.write(good, 0, good.length - Integer.BYTES);
    longer.writeByte(0);
    CRC32C checksum = new CRC32C();
    checksum.update(longer.toByteArray());
    longer.writeInt((int) checksum.getValue());
    refuses(Base64.getUrlEncoder().withoutPadding().encodeToString(longer.toByteArray()), "longer");
  }

  @Test
  void tokensOfAnotherGridOrCacheAreRefused() {
    PageTokenCodec here = new PageTokenCodec(new UUID(1, 2), "here", 8);
    SegmentCursor inside =
        new SegmentCursor(77, new byte[] {1, 2, 3}, SegmentCursor.CursorKind.AFTER);
    ScanCursor token = here.encode(new PageTokenCodec.PagePosition(3, inside));
    assertThat(here.decode(token)).isEqualTo(new PageTokenCodec.PagePosition(3, inside));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 3), "here", 8).decode(token))
        .withMessageContaining("grid");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 3), "there", 8).decode(token))
        .as("whatever grid that is in, as a local one is in its own")
        .withMessageContaining("another cache than \"there\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 2), "here", 3).decode(token))
        .withMessageContaining("segment 3");
    assertThat(here.encode(new PageTokenCodec.PagePosition(8, SegmentCursor.START)))
        .isEqualTo(ScanCursor.END);
  }
}
