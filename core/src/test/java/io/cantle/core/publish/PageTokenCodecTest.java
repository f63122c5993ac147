package io.cantle.core.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.cantle.ScanCursor;
import io.cantle.core.base.Output;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.scan.ScanFixture;
import io.cantle.core.wire.ScanTarget;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Tests the text of the cursor that leads from one page to the next. */
final class PageTokenCodecTest {
  private final ScanFixture rig = new ScanFixture(8).filled(1_000, 3);

  private String nextToken(ScanCursor cursor) {
    return rig.scanner
        .page(cursor, 10, in -> Map.entry(ScanFixture.key(in), in.readBlob().length))
        .next()
        .token();
  }

  private void refuses(String token, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nextToken(new ScanCursor(token)))
        .withMessageContaining(why);
  }

  @Test
  void invalidTokensAreRefusedWithTheReason() {
    String good = nextToken(ScanCursor.START);
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
    byte[] good = Base64.getUrlDecoder().decode(nextToken(ScanCursor.START));
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
    PageTokenCodec here = new PageTokenCodec(new UUID(1, 2), "here", 4, 8);
    SegmentCursor inside =
        new SegmentCursor(77, new byte[] {1, 2, 3}, SegmentCursor.CursorKind.AFTER);
    ScanCursor token = here.encode(new ScanTarget(3, inside));
    assertThat(here.decode(token)).isEqualTo(new ScanTarget(3, inside));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 3), "here", 4, 8).decode(token))
        .withMessageContaining("grid");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 3), "there", 4, 8).decode(token))
        .as("whatever grid that is in, as a local one is in its own")
        .withMessageContaining("another cache than \"there\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PageTokenCodec(new UUID(1, 2), "here", 4, 3).decode(token))
        .withMessageContaining("segment 3");
    assertThat(here.encode(new ScanTarget(8, SegmentCursor.START))).isEqualTo(ScanCursor.END);
  }
}
