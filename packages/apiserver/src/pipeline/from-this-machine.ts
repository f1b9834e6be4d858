// Detects requests from the server's own machine.
import { isLoopback } from "@orch/platform";
import type { ApiRequest } from "@orch/request";

/** Headers that proxies add to forwarded requests. */
const PASSED_ON = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** Whether a proxy that tells of itself has forwarded a request. */
export const wasForwarded = (headers: ApiRequest["headers"]): boolean =>
  Object.keys(headers).some((name) => PASSED_ON.test(name));

/**
 * Checks the remote address: loopback, or equal to the local address. A proxy on this machine that forwards bytes only
 * cannot be told from a client.
 */
export function isFromThisMachine({ headers, socket }: Pick<ApiRequest, "headers" | "socket">): boolean {
  const { remoteAddress: peer, localAddress: own } = socket;
  if (peer === undefined || wasForwarded(headers)) return false;
  return peer === own || isLoopback(peer.replace(/^::ffff:/, ""));
}
