import org.jspecify.annotations.NullMarked;

/** What users of Cantle compile against. */
@NullMarked
module io.cantle {
  requires static org.jspecify;
}
