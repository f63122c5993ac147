package io.cantle.core.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMRuntimeException;
import javax.management.MBeanRegistrationException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Registers the JMX beans of a node: one for the node, and one for each cache that is opened on it.
 * They are named {@code io.cantle:type=Node,grid="g",node="n"} and {@code
 * io.cantle:type=Cache,grid="g",node="n",name="c",mode=distributed}; the mode tells a local cache
 * from one of the grid that has its name. If the name is taken, as by another local grid in this
 * process, {@code number=2} is added, and so on.
 *
 * <p>Beans are a convenience: a node whose beans cannot be registered logs that and works.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class BeanRegistrar {
  private static final System.Logger LOG = System.getLogger(BeanRegistrar.class.getName());

  /** The most beans of one name. */
  private static final int MAX_NUMBER = 1_000;

  private final Supplier<MBeanServer> servers;
  private final ReentrantLock lock = new ReentrantLock();

  /** The names of the registered beans, by what they show. */
  @GuardedBy("lock")
  private final Map<Object, ObjectName> names = new HashMap<>();

  @GuardedBy("lock")
  private boolean closed;

  /** Creates a registrar without beans, for the server of this process. */
  public BeanRegistrar() {
    this(ManagementFactory::getPlatformMBeanServer);
  }

  /** Creates a registrar without beans, for another server. */
  BeanRegistrar(Supplier<MBeanServer> servers) {
    this.servers = servers;
  }

  /** Registers the beans of a node that has joined, now and with each cache that is opened. */
  public void install(NodeGrid grid) {
    Node shown = grid.node();
    register(shown, shown, "Node", "", BeanDescription.beanOf(shown));
    shown.cacheMetrics.setListeners(
        metrics ->
            register(
                shown,
                metrics,
                "Cache",
                ",name=%s,mode=%s"
                    .formatted(
                        ObjectName.quote(metrics.cacheName()),
                        metrics.mode().name().toLowerCase(Locale.ROOT)),
                BeanDescription.beanOf(metrics)),
        this::unregister);
  }

  private void register(Node node, Object key, String type, String more, AttributeBean<?> bean) {
    String name =
        "io.cantle:type=%s,grid=%s,node=%s%s"
            .formatted(
                type,
                ObjectName.quote(node.config.name()),
                ObjectName.quote(node.messaging.self().name()),
                more);
    lock.lock();
    try {
      if (!closed) {
        names.put(key, register(name, bean));
      }
    } catch (JMException | JMRuntimeException | SecurityException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the JMX bean " + name + " cannot be registered; everything else works",
          e);
    } finally {
      lock.unlock();
    }
  }

  private ObjectName register(String name, AttributeBean<?> bean) throws JMException {
    MBeanServer server = servers.get();
    for (int number = 1; ; number++) {
      try {
        ObjectName tried = new ObjectName(number == 1 ? name : name + ",number=" + number);
        server.registerMBean(bean, tried);
        return tried;
      } catch (InstanceAlreadyExistsException e) {
        if (number == MAX_NUMBER) {
          throw e;
        }
      }
    }
  }

  private void unregister(Object key) {
    lock.lock();
    try {
      ObjectName name = names.remove(key);
      if (name != null) {
        servers.get().unregisterMBean(name);
      }
    } catch (InstanceNotFoundException e) {
      // The application has removed it.
    } catch (MBeanRegistrationException | JMRuntimeException | SecurityException e) {
      LOG.log(System.Logger.Level.WARNING, "a JMX bean cannot be unregistered", e);
    } finally {
      lock.unlock();
    }
  }

  /** Unregisters all beans, of a node that is closed. */
  public void remove() {
    lock.lock();
    try {
      closed = true;
      Object[] keys = names.keySet().toArray();
      for (Object key : keys) {
        unregister(key);
      }
    } finally {
      lock.unlock();
    }
  }
}
