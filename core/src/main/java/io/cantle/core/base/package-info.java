/**
 * What every package of the core needs: clocks, the environment a node runs in, and reading and
 * writing bytes. A type belongs here only if at least two packages use it. The package imports
 * nothing else of the core. Begin reading with {@link io.cantle.core.base.Environment}, which a
 * node is given from outside, and {@link io.cantle.core.base.Clock}.
 */
package io.cantle.core.base;
