// Moves clients on: while the server stops, new requests are refused; now and then, and at the end, a client is asked to connect
// anew, so that load spreads over the replicas.
import type { Http2ServerResponse } from "node:http2";
import { serviceUnavailable } from "@orch/machinery";
import type { ApiResponse, Middleware } from "./request-context";

export interface ShutdownGate {
  /** Serving; draining: connections are given up after their request; closed: new requests are refused too. */
  readonly state: "serving" | "draining" | "closed";
  /** Share of HTTP/2 requests after which the client is sent on. */
  readonly goawayChance: number;
}

export function shutdownGate(deps: { readonly gate: ShutdownGate; random(): number }): Middleware {
  const { gate } = deps;
  return (request, response, next) => {
    const { info } = request.context;
    if (gate.state !== "serving") {
      sendOn(response);
      if (gate.state === "closed" && !info.longRunning) throw serviceUnavailable("apiserver is shutting down", 1);
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
  if (response.req.httpVersionMajor === 1) response.setHeader("Connection", "close");
  else (response as unknown as Http2ServerResponse).stream.session?.close();
}
