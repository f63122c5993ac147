/**
 * The service that an engine implements so that {@link io.cantle.Grid} finds it. It is exported to
 * Cantle's own modules only; users never call it. It imports the public API alone.
 */
package io.cantle.spi;
