/** What an engine implements so that {@link io.cantle.Grid} finds it. */
package io.cantle.spi;
