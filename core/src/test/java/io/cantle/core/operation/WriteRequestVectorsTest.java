package io.cantle.core.operation;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.Operation.Replace;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that requests to write keep their bytes. */
final class WriteRequestVectorsTest {
  private static final ByteSlice KEY = slice("key");
  private static final ByteSlice VALUE = slice("value");

  private static ByteSlice slice(String text) {
    return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static WriteRequest write(Operation operation) {
    return new WriteRequest(42, 1, 300, 9, 7, 2, 5, 1_000, 998, KEY, operation);
  }

  private static BulkWriteItem item(int segment, Operation operation) {
    return new BulkWriteItem(segment, 9, 9, 1_000, 1_000, KEY, operation);
  }

  private static MessageVectors.Reader reader(MessageKind kind) {
    return kind == MessageKind.WRITE ? WriteRequest::read : BulkWriteRequest::read;
  }

  @Test
  void requestsHaveTheBytesOfTheirVectorsAndNoOthersAreRead() {
    List<Message> messages =
        List.of(
            write(new Put(VALUE, false)),
            write(new Put(VALUE, true)),
            write(new PutIfAbsent(VALUE)),
            write(new RemoveEntry(false)),
            write(new RemoveEntry(true)),
            write(new Replace(VALUE)),
            write(new CompareAndSet(slice("before"), VALUE)),
            write(new CompareAndSet(slice("before"), null)),
            write(ExpiringWrite.of(new Put(VALUE, false), new Lifetime(60_000, 1_000))),
            new BulkWriteRequest(
                42, 1, 5, List.of(item(300, new Put(VALUE, true)), item(0, new RemoveEntry(true)))),
            new BulkWriteRequest(0, 0, 0, List.of()));
    WireFormatPage.checkFields(messages.getFirst());
    WireFormatPage.checkFields(messages.get(messages.size() - 2), BulkWriteItem.class);
    MessageVectors.check("write-vectors.txt", messages, WriteRequestVectorsTest::reader);
  }

  @Test
  void requestsOfTheBuildBeforeTheRecordsAreReadAndWrittenAgain() {
    Stream.of(MessageKind.WRITE, MessageKind.BULK_WRITE)
        .flatMap(kind -> MessageVectors.captured(kind).stream())
        .forEach(line -> MessageVectors.checkReadAndWritten(line, WriteRequestVectorsTest::reader));
  }
}
