package io.cantle.core.node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanException;
import javax.management.MBeanInfo;
import javax.management.ReflectionException;

/**
 * A JMX bean that has attributes to read and nothing else. Their types are those that every tool
 * knows: long, double, boolean, {@code String} and arrays of it. It is a dynamic bean, so no
 * package has to be exported to the management of the JDK.
 *
 * <p><b>Threading:</b> attributes are added by one thread, before the bean is registered; any
 * thread reads.
 */
final class AttributeBean implements DynamicMBean {
  private record ReadableAttribute(MBeanAttributeInfo info, Supplier<?> value) {}

  private final String description;
  private final Map<String, ReadableAttribute> attributes = new LinkedHashMap<>();

  AttributeBean(String description) {
    this.description = description;
  }

  /** Adds an attribute; returns this bean. */
  <T> AttributeBean with(String name, Class<T> type, String text, Supplier<T> value) {
    attributes.put(
        name,
        new ReadableAttribute(
            new MBeanAttributeInfo(name, type.getName(), text, true, false, false), value));
    return this;
  }

  @Override
  public Object getAttribute(String name) throws AttributeNotFoundException, MBeanException {
    ReadableAttribute attribute = attributes.get(name);
    if (attribute == null) {
      throw new AttributeNotFoundException(
          "there is no attribute " + name + " but " + String.join(", ", attributes.keySet()));
    }
    try {
      return attribute.value.get();
    } catch (RuntimeException e) {
      // A tool need not have the exceptions of this library.
      throw new MBeanException(new IllegalStateException(e.getMessage()));
    }
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList found = new AttributeList();
    for (String name : names) {
      try {
        found.add(new Attribute(name, getAttribute(name)));
      } catch (AttributeNotFoundException | MBeanException e) {
        // By the contract of this method, what cannot be read is missing in the answer.
      }
    }
    return found;
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
  }

  @Override
  public AttributeList setAttributes(AttributeList wanted) {
    return new AttributeList();
  }

  @Override
  public Object invoke(String action, Object[] arguments, String[] signature)
      throws ReflectionException {
    throw new ReflectionException(new NoSuchMethodException(action), "there are no operations");
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    List<MBeanAttributeInfo> infos = new ArrayList<>();
    attributes.values().forEach(attribute -> infos.add(attribute.info));
    return new MBeanInfo(
        AttributeBean.class.getName(),
        description,
        infos.toArray(MBeanAttributeInfo[]::new),
        null,
        null,
        null);
  }
}
