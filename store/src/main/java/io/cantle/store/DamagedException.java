package io.cantle.store;

import java.io.IOException;

/**
 * Thrown when a file does not hold what was written to it and acknowledged. Nothing is repaired,
 * because it is not known what else is lost: fetch the affected segments from other owners.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class DamagedException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient FileDamage damage;

  /** Reports a damage. */
  public DamagedException(FileDamage damage) {
    super(
        "%s is damaged at offset %s%s: %s"
            .formatted(
                damage.file(),
                damage.offset(),
                damage.segment().isEmpty() ? "" : ", " + damage.owner(),
                damage.description()));
    this.damage = damage;
  }

  /** Reports a damage that belongs to no particular segment. */
  public DamagedException(String file, long offset, String description) {
    this(FileDamage.of(file, offset, description));
  }

  /** The file, the first place in it that is wrong, the segment if known, and what is wrong. */
  public FileDamage damage() {
    return damage;
  }
}
