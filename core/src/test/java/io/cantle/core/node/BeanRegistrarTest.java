package io.cantle.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cantle.Cache;
import io.cantle.CacheConfig;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.AttributeNotFoundException;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** Tests the JMX beans of a node and its caches. */
final class BeanRegistrarTest {
  private static final String NODE_BEAN = "io.cantle:type=Node,grid=\"test\",node=\"single\"";

  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

  private static String cacheBean(String name) {
    return cacheBean(name, "distributed");
  }

  private static String cacheBean(String name, String mode) {
    return "io.cantle:type=Cache,grid=\"test\",node=\"single\",name=%s,mode=%s"
        .formatted(ObjectName.quote(name), mode);
  }

  private Object attribute(String bean, String name) throws JMException {
    return server.getAttribute(new ObjectName(bean), name);
  }

  private Set<ObjectName> beans() throws JMException {
    return server.queryNames(new ObjectName("io.cantle:grid=\"test\",*"), null);
  }

  @Test
  void nodeAndItsCachesHaveBeansUntilTheyAreRemoved() throws JMException {
    BeanRegistrar registrar = new BeanRegistrar();
    try (SingleNode single = new SingleNode()) {
      Cache<String, Integer> early = single.node.cache("early");
      registrar.install(single.node);
      single.node.cache("odd, name=*?");
      single.node.cache("local", CacheConfig.local()).put("a", 1);
      early.put("a", 1);
      early.get("a");
      assertThat(attribute(cacheBean("early"), "Puts")).isEqualTo(1L);
      assertThat(attribute(cacheBean("early"), "Hits")).isEqualTo(1L);
      assertThat(attribute(cacheBean("early"), "HitRate")).isEqualTo(1.0);
      assertThat(attribute(cacheBean("early"), "PutMeasured")).isEqualTo(1L);
      assertThat(attribute(cacheBean("local", "local"), "OwnedEntries")).isEqualTo(1L);
      assertThat(attribute(cacheBean("odd, name=*?"), "Puts")).isEqualTo(0L);
      assertThat(attribute(NODE_BEAN, "Members")).isEqualTo(new String[] {"single"});
      assertThat(attribute(NODE_BEAN, "Settled")).isEqualTo(true);
      assertThat(attribute(NODE_BEAN, "LostSegments")).isEqualTo(0L);
      assertThatThrownBy(() -> attribute(NODE_BEAN, "Nothing"))
          .isInstanceOf(AttributeNotFoundException.class)
          .hasMessageContaining("Settled");
    }
    registrar.remove();
    assertThat(beans()).isEmpty();
  }

  @Test
  void everyAttributeCanBeReadAndHasTheTypeItSays() throws JMException {
    BeanRegistrar registrar = new BeanRegistrar();
    try (SingleNode single = new SingleNode()) {
      registrar.install(single.node);
      single.node.cache("read");
      for (String bean : List.of(NODE_BEAN, cacheBean("read"))) {
        MBeanAttributeInfo[] attributes = server.getMBeanInfo(new ObjectName(bean)).getAttributes();
        assertThat(attributes).hasSizeGreaterThan(10);
        for (MBeanAttributeInfo one : attributes) {
          assertThat(attribute(bean, one.getName()).getClass().getName())
              .as(one.getName())
              .isEqualTo(one.getType());
          assertThat(one.getDescription()).isNotBlank();
        }
        String[] names =
            Arrays.stream(attributes).map(MBeanAttributeInfo::getName).toArray(String[]::new);
        assertThat(server.getAttributes(new ObjectName(bean), names)).hasSize(names.length);
      }
    }
    registrar.remove();
  }

  @Test
  void gridsOfTheSameNameDoNotClash() throws JMException {
    BeanRegistrar one = new BeanRegistrar();
    BeanRegistrar two = new BeanRegistrar();
    try (SingleNode first = new SingleNode();
        SingleNode second = new SingleNode()) {
      one.install(first.node);
      two.install(second.node);
      first.node.cache("same").put("a", 1);
      second.node.cache("same");
      assertThat(beans())
          .extracting(ObjectName::toString)
          .containsExactlyInAnyOrder(
              Stream.of(NODE_BEAN, cacheBean("same"))
                  .flatMap(name -> Stream.of(name, name + ",number=2"))
                  .toArray(String[]::new));
      assertThat(attribute(cacheBean("same"), "Puts")).isEqualTo(1L);
      assertThat(attribute(cacheBean("same") + ",number=2", "Puts")).isEqualTo(0L);
      one.remove();
      assertThat(beans()).hasSize(2);
    }
    two.remove();
    assertThat(beans()).isEmpty();
  }

  /** The order in which they are opened must not decide which is which. */
  @Test
  void localCacheAndOneOfTheGridOfTheSameNameAreToldApart() throws JMException {
    BeanRegistrar registrar = new BeanRegistrar();
    try (SingleNode grid = new SingleNode();
        SingleNode behind = new SingleNode()) {
      registrar.install(grid.node);
      behind.node.node().cacheMetrics.tellThrough(grid.node.node().cacheMetrics);
      behind.node.cache("same", CacheConfig.local()).put("a", 1);
      grid.node.cache("same", CacheConfig.distributed());
      assertThat(attribute(cacheBean("same", "local"), "Puts")).isEqualTo(1L);
      assertThat(attribute(cacheBean("same", "distributed"), "Puts")).isEqualTo(0L);
    }
    registrar.remove();
  }

  /** It is a convenience, and the node has joined already. */
  @Test
  void serverThatFailsDoesNotKeepANodeFromWorking() {
    MBeanServer failing =
        (MBeanServer)
            Proxy.newProxyInstance(
                BeanRegistrarTest.class.getClassLoader(),
                new Class<?>[] {MBeanServer.class},
                (_, _, _) -> {
                  throw new JMRuntimeException("the container refuses beans");
                });
    BeanRegistrar registrar = new BeanRegistrar(() -> failing);
    try (SingleNode single = new SingleNode()) {
      registrar.install(single.node);
      single.node.cache("works").put("a", 1);
      assertThat(single.node.cache("works").get("a")).isEqualTo(1);
    }
    registrar.remove();
  }

  @Test
  void beanOfACacheThatIsForgottenIsGone() throws Exception {
    BeanRegistrar registrar = new BeanRegistrar();
    CountDownLatch unregistered = new CountDownLatch(1);
    NotificationListener listener =
        (notification, _) -> {
          if (notification.getType().equals(MBeanServerNotification.UNREGISTRATION_NOTIFICATION)) {
            unregistered.countDown();
          }
        };
    try (SingleNode single = new SingleNode()) {
      registrar.install(single.node);
      single.node.cache("gone").put("a", 1);
      server.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, null);
      single.node.node().cacheMetrics.forget("gone", 0);
      single.node.node().cacheMetrics.forget("gone", 0);
      assertThat(unregistered.await(10, TimeUnit.SECONDS)).isTrue();
      server.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener);
      assertThat(server.isRegistered(new ObjectName(cacheBean("gone")))).isFalse();
      assertThat(single.node.cache("gone").statistics().puts()).as("begun anew").isZero();
      assertThat(attribute(cacheBean("gone"), "Puts")).isEqualTo(0L);
    }
    registrar.remove();
  }

  @Test
  void closedRegistrarRegistersNothing() throws JMException {
    BeanRegistrar registrar = new BeanRegistrar();
    try (SingleNode single = new SingleNode()) {
      registrar.install(single.node);
      registrar.remove();
      single.node.cache("late");
      assertThat(beans()).isEmpty();
    }
  }
}
