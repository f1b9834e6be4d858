// What of a request's head goes on to the other side. Source: facts, apiserver-hooks.md "Plain proxying"; RFC 9110, 7.6.1.
import { isImpersonationHeader, withoutTokens } from "@orch/auth";
import { isIdentityHeader, type TrustedHeaders } from "@orch/extensions";
import type { ApiRequest } from "../pipeline/request-context";
import { connectionHeaders, HOP_BY_HOP, pairs } from "./raw-headers";

/**
 * Whether a header is meant for this server alone: it proves who the client is, or whom it speaks for. A browser sends the cookies of all
 * servers of this server's name.
 */
const isOnlyForUs = (key: string): boolean => ONLY_FOR_US.test(key) || isImpersonationHeader(key);
const ONLY_FOR_US = /^(?:authorization|cookie2?|expect|x-forwarded-(?:uri|host|proto))$/;

/**
 * Head of a plain request, without what says how its body is framed.
 * @param trusted headers by which a front proxy may tell a user, beside those that it does by default: the client does not
 */
export function requestHeaders(request: ApiRequest, trusted: TrustedHeaders): string[] {
  const named = connectionHeaders(request.rawHeaders);
  return forwarded(request, trusted, (name) => HOP_BY_HOP.has(name) || named.has(name));
}

/** Head of a request for an upgrade, which the other side is to see as the client wrote it. */
export function upgradeHeaders(request: ApiRequest, trusted: TrustedHeaders): string[] {
  return forwarded(request, trusted, () => false);
}

/** A token may be among the protocols that a page offers. */
function protocolHeader(name: string, offered: string): string[] {
  const others = withoutTokens(offered);
  return others === "" ? [] : [name, others];
}

function forwarded(request: ApiRequest, trusted: TrustedHeaders, stays: (name: string) => boolean): string[] {
  const { rawHeaders, socket, context } = request;
  const headers: string[] = [];
  const forwardedFor: string[] = [];
  const { host } = context;
  if (host !== "") headers.push("Host", host);
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (isIdentityHeader(name, trusted)) continue;
    if (key === "x-forwarded-for") forwardedFor.push(value);
    else if (key === "sec-websocket-protocol") headers.push(...protocolHeader(name, value));
    else if (key !== "host" && !key.startsWith(":") && !isOnlyForUs(key) && !stays(key)) headers.push(name, value);
  }
  if (socket.remoteAddress !== undefined) forwardedFor.push(socket.remoteAddress);
  headers.push("X-Forwarded-For", forwardedFor.join(", "), "X-Forwarded-Uri", context.info.path);
  if (host !== "") headers.push("X-Forwarded-Host", host);
  headers.push("X-Forwarded-Proto", "https");
  return headers;
}
