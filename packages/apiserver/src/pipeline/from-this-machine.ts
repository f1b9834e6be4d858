// Whether a request was sent on the server's own machine.
import { isLoopback } from "../tls/serving-names";
import type { ApiRequest } from "./request-context";

/** What proxies add to requests that they pass on. */
const PASSED_ON = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/**
 * By the connection's other end: the machine's own loopback, or the very address that the server was reached at. A proxy on this
 * machine that passes on bytes alone cannot be told from a client.
 */
export function isFromThisMachine({ headers, socket }: Pick<ApiRequest, "headers" | "socket">): boolean {
  const { remoteAddress: peer, localAddress: own } = socket;
  if (peer === undefined || Object.keys(headers).some((name) => PASSED_ON.test(name))) return false;
  return peer === own || isLoopback(peer.replace(/^::ffff:/, ""));
}
