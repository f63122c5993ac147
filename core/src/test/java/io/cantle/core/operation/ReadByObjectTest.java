package io.cantle.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.cantle.CacheConfig;
import io.cantle.WhenCut;
import io.cantle.core.base.ByteSlice;
import io.cantle.core.call.CacheResolver;
import io.cantle.core.container.Container;
import io.cantle.core.container.Entry;
import io.cantle.core.container.HeapContainer;
import io.cantle.core.container.Lifetime;
import io.cantle.core.operation.Operation.ExpiringWrite;
import io.cantle.core.operation.Operation.Put;
import io.cantle.core.operation.Operation.RemoveEntry;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.ownership.Topology;
import io.cantle.core.persistence.NodeStore;
import io.cantle.core.replica.ManualReplica;
import io.cantle.core.replica.SessionId;
import io.cantle.core.transport.ManualNetwork;
import io.cantle.core.transport.Member;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests reads by the object of a key, which is not encoded. */
final class ReadByObjectTest {
  private static final CacheDefinition ONE =
      new CacheDefinition("one", CacheConfig.distributed().segments(1));
  private static final ByteSlice BYTES = ByteSlice.of(ManualReplica.bytes("k"));
  private static final String KEY = "the object of k";

  private final Member second = ManualNetwork.member("second");
  private final AtomicInteger replacements = new AtomicInteger();
  private final OperationFixture node =
      new OperationFixture(Runnable::run, 1, NodeStore.NONE, this::checking);
  private final CacheResolver cacheResolver = new CacheResolver(node.driver, node.clock, ONE);
  private final LocalReader reader = new LocalReader(cacheResolver, node.context);
  private final LocalWriter writer =
      new LocalWriter(
          cacheResolver, node.context, node.writeHandler(new ConflictResolver(WhenCut.stop())));

  private @Nullable Object findNow() {
    return reader.findValue(KEY);
  }

  /** A container that checks that a value is forgotten before another takes its place. */
  private Container checking() {
    HeapContainer heap = new HeapContainer();
    return (Container)
        Proxy.newProxyInstance(
            Container.class.getClassLoader(),
            new Class<?>[] {Container.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("put")) {
                Entry entry = (Entry) arguments[0];
                Entry present = heap.get(entry.hash(), entry.bytes(), 0, entry.keyLength());
                if (present != null) {
                  replacements.incrementAndGet();
                  assertThat(findNow()).isNull();
                }
              }
              try {
                return method.invoke(heap, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void write(Operation operation, @Nullable Object value) {
    assertThat(writer.write(BYTES, KEY, operation, value)).isNotNull();
  }

  private void put(String value) {
    write(new Put(ByteSlice.of(ManualReplica.bytes(value)), false), value);
  }

  /** The first read makes a table, the second remembers the value. */
  private @Nullable Object findTwice() {
    reader.find(BYTES.toByteArray(), KEY);
    reader.find(BYTES.toByteArray(), KEY);
    return reader.findValue(KEY);
  }

  @Test
  void valueIsFoundOnceItWasReadByItsBytes() {
    node.formGrid(ONE, node.self);
    put("value");
    assertThat(reader.findValue(KEY)).isNull();
    assertThat(findTwice()).isEqualTo("value");
    assertThat(reader.findValue(new String(KEY.toCharArray()))).isEqualTo("value");
    assertThat(reader.findValue("another")).isNull();
  }

  @Test
  void nothingIsFoundOnceTheEntryWasReplacedOrRemoved() {
    node.formGrid(ONE, node.self);
    put("value");
    assertThat(findTwice()).isEqualTo("value");
    put("next");
    assertThat(reader.findValue(KEY)).isNull();
    assertThat(findTwice()).isEqualTo("next");
    long admission = node.driver.current().membership().admissionNumber(node.self);
    node.write(
        new SessionId(node.self.id(), admission), 1, "k", "by a session", Lifetime.UNLIMITED);
    assertThat(findTwice()).as("nobody has decoded it").isNull();
    put("last");
    assertThat(findTwice()).isEqualTo("last");
    write(new RemoveEntry(false), null);
    assertThat(findTwice()).isNull();
    assertThat(replacements).hasValue(4);
  }

  @Test
  void valueWithoutASharedObjectIsNotFound() {
    node.formGrid(ONE, node.self);
    write(new Put(ByteSlice.of(ManualReplica.bytes("array")), false), null);
    assertThat(findTwice()).isNull();
  }

  @Test
  void entryThatExpiresIsNotFound() {
    node.formGrid(ONE, node.self);
    Put put = new Put(ByteSlice.of(ManualReplica.bytes("value")), false);
    write(ExpiringWrite.of(put, new Lifetime(60_000, 0)), "value");
    assertThat(findTwice()).isNull();
  }

  @Test
  void nothingIsFoundWithoutALease() {
    node.formGrid(ONE, node.self);
    put("value");
    assertThat(findTwice()).isEqualTo("value");
    node.driver.abandon();
    assertThat(reader.findValue(KEY)).isNull();
  }

  @Test
  void nothingIsFoundInAReplicaThatHasBackupsOrWasDropped() {
    node.formGrid(ONE, node.self);
    put("value");
    assertThat(findTwice()).isEqualTo("value");
    node.formNext(ONE, 2, node.self, second);
    assertThat(reader.findValue(KEY)).isNull();
    node.replicas.leaveGrid(Topology.NONE);
    assertThat(reader.findValue(KEY)).isNull();
  }
}
