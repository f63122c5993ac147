package io.cantle.core.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.FunctionException;
import io.cantle.ScanCursor;
import io.cantle.ScanPage;
import io.cantle.core.base.Output;
import io.cantle.core.codec.ThrowableCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests pages, from the first to the last. */
final class PageClientTest {
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
          answer.write(ThrowableCodec.toBytes(new IllegalStateException("no such thing")));
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
}
