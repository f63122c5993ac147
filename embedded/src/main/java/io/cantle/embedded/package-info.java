/** Brings core and the JGroups transport together, for {@link io.cantle.Grid} to find. */
package io.cantle.embedded;
