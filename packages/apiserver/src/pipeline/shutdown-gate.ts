// Moves clients on: while the server stops, new requests are refused; now and then, and at the end, a client is asked to connect
// anew, so that load spreads over the replicas. A connection that there was no room for is kept for those who watch over the server.
import type { Http2ServerResponse } from "node:http2";
import { tooManyRequests } from "@orch/machinery";
import { isProbe } from "./probes";
import type { ApiResponse, Middleware } from "./request-context";

export interface ShutdownGate {
  /** Serving; draining: served, and each connection is given up after its request; refusing: new requests are sent elsewhere. */
  readonly state: "serving" | "draining" | "refusing";
  /** Share of HTTP/2 requests after which the client is sent on. */
  readonly goawayChance: number;
}

export function shutdownGate(deps: { readonly gate: ShutdownGate; random(): number }): Middleware {
  const { gate } = deps;
  return (request, response, next) => {
    const { info, connection } = request.context;
    if (connection.surplus && !isProbe(info.path)) {
      sendOn(response);
      throw tooManyRequests("the server has no room for another connection, please try again later", {
        retryAfterSeconds: 1,
      });
    }
    if (gate.state !== "serving") {
      sendOn(response);
      if (gate.state === "refusing" && !isProbe(info.path)) {
        throw tooManyRequests("the server is shutting down, please try again", { retryAfterSeconds: 1 });
      }
    } else if (
      gate.goawayChance > 0 &&
      request.httpVersionMajor === 2 &&
      !info.longRunning &&
      deps.random() < gate.goawayChance
    ) {
      sendOn(response);
    }
    next();
  };
}

/** HTTP/1.1 says it in a header; an HTTP/2 connection ends once its streams have. */
function sendOn(response: ApiResponse): void {
  if (response.req.httpVersionMajor < 2) response.setHeader("Connection", "close");
  else (response as unknown as Http2ServerResponse).stream.session?.close();
}
