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
}
