package io.cantle.core.stream;

import io.cantle.core.container.Decoded;
import io.cantle.core.container.Entry;
import java.io.Serializable;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry as an owner shows it to the stages of a stream: key and value are decoded when they are
 * asked for, since many streams look at one of them only. It travels as a {@link StreamEntry}.
 *
 * <p><b>Threading:</b> any thread.
 */
final class EntryView implements Map.Entry<Object, Object>, Serializable {
  private static final long serialVersionUID = 1;

  private final transient Decoded decoded;
  private final transient Entry entry;

  EntryView(Decoded decoded, Entry entry) {
    this.decoded = decoded;
    this.entry = entry;
  }

  /** The stored bytes behind. */
  Entry entry() {
    return entry;
  }

  @Override
  public Object getKey() {
    return decoded.key(entry);
  }

  @Override
  public Object getValue() {
    return decoded.value(entry);
  }

  @Override
  public Object setValue(Object newValue) {
    throw new UnsupportedOperationException(
        "an entry of a stream cannot be set; put the key into the cache instead");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Map.Entry<?, ?> that
        && getKey().equals(that.getKey())
        && getValue().equals(that.getValue());
  }

  @Override
  public int hashCode() {
    return getKey().hashCode() ^ getValue().hashCode();
  }

  @Override
  public String toString() {
    return getKey() + "=" + getValue();
  }

  /** The codec asks for this when a view hides somewhere inside a result. */
  private Object writeReplace() {
    return new StreamEntry<>(getKey(), getValue());
  }
}
