package io.cantle.core.node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
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
 * <p>Attributes that are read together are of the same moment, and their figures are taken once.
 *
 * <p><b>Threading:</b> attributes are added by one thread, before the bean is registered; any
 * thread reads.
 *
 * @param <F> the figures that the attributes show
 */
final class AttributeBean<F> implements DynamicMBean {
  private record ReadableAttribute<F>(MBeanAttributeInfo info, Function<F, ?> value) {}

  private final String description;
  private final Supplier<F> figures;
  private final Map<String, ReadableAttribute<F>> attributes = new LinkedHashMap<>();

  /**
   * Creates a bean without attributes.
   *
   * @param figures takes the figures of the present moment
   */
  AttributeBean(String description, Supplier<F> figures) {
    this.description = description;
    this.figures = figures;
  }

  /** Adds an attribute, which is a part of the figures; returns this bean. */
  <T> AttributeBean<F> with(String name, Class<T> type, String text, Function<F, T> value) {
    attributes.put(
        name,
        new ReadableAttribute<>(
            new MBeanAttributeInfo(name, type.getName(), text, true, false, false), value));
    return this;
  }

  @Override
  public Object getAttribute(String name) throws AttributeNotFoundException, MBeanException {
    ReadableAttribute<F> attribute = attributes.get(name);
    if (attribute == null) {
      throw new AttributeNotFoundException(
          "there is no attribute " + name + " but " + String.join(", ", attributes.keySet()));
    }
    try {
      return attribute.value.apply(figures.get());
    } catch (RuntimeException e) {
      // A tool need not have the exceptions of this library.
      throw new MBeanException(new IllegalStateException(e.getMessage()));
    }
  }

  /** {@inheritDoc} By its contract, what cannot be read is missing in the answer. */
  @Override
  public AttributeList getAttributes(String[] names) {
    AttributeList found = new AttributeList();
    F now;
    try {
      now = figures.get();
    } catch (RuntimeException e) {
      // The node is being closed, and its beans are about to go.
      return found;
    }
    for (String name : names) {
      ReadableAttribute<F> attribute = attributes.get(name);
      if (attribute != null) {
        addIfReadable(found, name, attribute, now);
      }
    }
    return found;
  }

  private static <F> void addIfReadable(
      AttributeList found, String name, ReadableAttribute<F> attribute, F now) {
    try {
      found.add(new Attribute(name, attribute.value.apply(now)));
    } catch (RuntimeException e) {
      // It is missing, and the others are not.
    }
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
