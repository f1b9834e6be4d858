// Requests that ask for an upgrade come as an event of their own, without a response. Here each is given one, so that they go
// through the same steps as all others, and are answered by them unless somebody takes the connection over.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";

/** A connection on which HTTP is over. */
export interface UpgradedConnection {
  readonly socket: Duplex;
  /** What has come in after the request's head. */
  readonly head: Buffer;
  /** Somebody answers on it past the response. */
  isTaken?: boolean;
}

/** @param Response of the application; see http-classes.ts */
export function upgradeListener(
  Response: typeof ServerResponse,
  listener: (request: ApiRequest, response: ApiResponse) => void,
): (request: ApiRequest, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    const response = new Response(request) as ApiResponse;
    socket.on("error", ignore);
    request.socket.setTimeout(0);
    request.upgraded = { socket, head };
    // The connection is of no use for further requests: nobody reads them.
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.on("finish", () => request.socket.destroySoon());
    listener(request, response);
  };
}

function ignore(): void {}

/** Whether more than a head was sent: of no use to those who are to answer an upgrade, nor within their reach. */
export function announcesBody({ headers }: ApiRequest): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}
