import org.jspecify.annotations.NullMarked;

/** The network of a grid: the transport port on Netty. It is the only module that knows Netty. */
@NullMarked
@SuppressWarnings("module") // What is exported to is built after this module.
module io.cantle.network {
  requires static com.google.errorprone.annotations;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires transitive io.cantle.core;
  requires static org.jspecify;

  exports io.cantle.network to
      io.cantle.embedded;
}
