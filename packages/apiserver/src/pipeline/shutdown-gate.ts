// Moves clients to other replicas: refuses new requests during shutdown, and occasionally asks a client to reconnect,
// so that load spreads over the replicas. A connection beyond the connection limit serves health probes only.
import type { Http2ServerResponse } from "node:http2";
import { tooManyRequests } from "@orch/machinery";
import type { ApiResponse, Middleware } from "@orch/request";
import { isProbe } from "./probes";

export interface ShutdownGate {
  /**
   * serving: normal operation; draining: requests are served, and each connection closes after its request; refusing:
   * new requests are refused.
   */
  readonly state: "serving" | "draining" | "refusing";
  /** Share of HTTP/2 requests that are answered with GOAWAY. */
  readonly goawayChance: number;
}

export function shutdownGate(deps: { readonly gate: ShutdownGate; random(): number }): Middleware {
  const { gate } = deps;
  return (request, response, next) => {
    const { info, connection } = request.context;
    if (connection.surplus && !isProbe(info.path)) {
      sendOn(response);
      throw tooManyRequests("the server has reached its maximum number of connections, please try again later", {
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

/** Asks the client to reconnect. HTTP/1.1 uses a header; an HTTP/2 connection ends after its streams. */
function sendOn(response: ApiResponse): void {
  if (response.req.httpVersionMajor < 2) response.setHeader("Connection", "close");
  else (response as unknown as Http2ServerResponse).stream.session?.close();
}
