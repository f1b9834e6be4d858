// A byte stream in the binary messages of a WebSocket, through which SPDY is tunneled. Source: KEP-4006.
import { Duplex } from "node:stream";
import type { Clock } from "@orch/platform";
import { WebSocketConnection } from "./web-socket";

/** @param head bytes that arrived with the answer to the handshake */
export function tunneled(socket: Duplex, head: Buffer, clock: Clock): Duplex {
  const stream: Duplex = new Duplex({
    read: () => connection.resume(),
    write: (piece: Buffer, _encoding, done) => connection.send([piece], done),
    final: (done) => {
      connection.close();
      done();
    },
    destroy: (error, done) => {
      connection.destroy();
      done(error);
    },
  });
  const connection = new WebSocketConnection(
    socket,
    head,
    {
      part: (data) => stream.destroyed || stream.push(data),
      closed: (error) => {
        if (error === undefined) stream.push(null);
        else stream.destroy(error);
      },
    },
    clock,
  );
  return stream;
}
