package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import javax.management.Attribute;
import org.junit.jupiter.api.Test;

/** Tests what a tool reads that asks for several attributes at once. */
final class AttributeBeanTest {
  @Test
  void attributesThatAreReadTogetherAreOfOneMoment() {
    AtomicLong moments = new AtomicLong();
    AttributeBean<Long> bean =
        new AttributeBean<>("a counter", moments::incrementAndGet)
            .with("Now", Long.class, "the moment", now -> now)
            .with("Twice", Long.class, "twice that", now -> 2 * now);
    assertThat(bean.getAttributes(new String[] {"Twice", "None", "Now"}))
        .containsExactly(new Attribute("Twice", 2L), new Attribute("Now", 1L));
    assertThat(moments).hasValue(1);
  }

  @Test
  void attributeThatCannotBeReadHidesNoOther() {
    AttributeBean<Long> bean =
        new AttributeBean<>("a counter", () -> 5L)
            .with("First", Long.class, "the first", now -> now)
            .with("Broken", Long.class, "it fails", AttributeBeanTest::fail)
            .with("Last", Long.class, "the last", now -> now);
    assertThat(bean.getAttributes(new String[] {"First", "Broken", "Last"}))
        .containsExactly(new Attribute("First", 5L), new Attribute("Last", 5L));
  }

  private static Long fail(Long now) {
    throw new IllegalStateException("not " + now);
  }
}
