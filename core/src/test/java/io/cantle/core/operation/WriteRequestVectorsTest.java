package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.core.base.ByteSlice;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Output;
import io.cantle.core.base.Version;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.ApplyFunction;
import io.cantle.core.operation.Operation.CompareAndSet;
import io.cantle.core.operation.Operation.CompareVersionAndSet;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.PutIfAbsent;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.operation.Operation.Replace;
import io.cantle.core.ownership.PartitionHandling;
import io.cantle.core.partition.DivergencePoint;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.MessageVectors;
import io.cantle.core.wire.WireFormatPage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that requests to write keep their bytes. */
final class WriteRequestVectorsTest {
  private static final ByteSlice KEY = slice("key");
  private static final FunctionChain CALLERS = new FunctionChain(List.of(7L, 0x1122334455667788L));
  private static final ByteSlice VALUE = slice("value");
  private static final UUID GRID = new UUID(1, 2);

  private static ByteSlice slice(String text) {
    return ByteSlice.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static WriteRequest write(Operation operation) {
    return new WriteRequest(42, 1, 300, 9, 7, 2, 5, 1_000, 998, KEY, operation);
  }

  private static ConflictMerge merge(@Nullable ByteSlice value) {
    DivergencePoint divergence = new DivergencePoint(5, new Version(4, 300), 77);
    return new ConflictMerge(GRID, 3, PartitionHandling.MAJORITY, true, divergence, 88, value);
  }

  private static int code(Operation operation) {
    Output out = new Output(64);
    operation.write(out);
    return out.array()[0];
  }

  private static BulkWriteItem item(int segment, Operation operation) {
    return new BulkWriteItem(segment, 9, 9, 3, 1_000, 1_000, KEY, operation);
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
            write(new CompareVersionAndSet(new Version(7, 1_000), VALUE)),
            write(new CompareVersionAndSet(new Version(7, 1_000), null)),
            write(
                new ApplyFunction(
                    ApplyFunction.FunctionKind.MERGE, slice("function"), VALUE, CALLERS)),
            write(merge(VALUE)),
            write(merge(null)),
            write(new DivergenceProbe(GRID, 3, new UUID(3, 4))),
            write(ExpiringWrite.of(new Put(VALUE, false), new Lifetime(60_000, 1_000))),
            new BulkWriteRequest(
                42, 1, 5, List.of(item(300, new Put(VALUE, true)), item(0, new RemoveEntry(true)))),
            new BulkWriteRequest(0, 0, 0, List.of()));
    List<Operation> operations =
        messages.stream()
            .filter(message -> message.kind() == MessageKind.WRITE)
            .map(message -> ((WriteRequest) message).operation())
            .toList();
    assertThat(operations.stream().map(operation -> operation.getClass().getName()))
        .containsAll(
            Stream.of(Operation.class.getPermittedSubclasses()).map(Class::getName).toList());
    assertThat(operations.stream().map(WriteRequestVectorsTest::code))
        .containsAll(IntStream.rangeClosed(1, 15).boxed().toList());
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
