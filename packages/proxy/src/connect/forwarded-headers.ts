// Filters the headers of a request for a backend. Source: RFC 9110, section 7.6.1.
import { isImpersonationHeader, withoutTokens } from "@orch/auth";
import { isIdentityHeader, type TrustedHeaders } from "@orch/extensions";
import type { ApiRequest } from "@orch/request";
import { connectionHeaders, HOP_BY_HOP, pairs } from "./raw-headers";

/**
 * Whether a header is meant for this server alone: credentials, impersonation, and cookies, which a browser sends to
 * all ports of a host.
 */
const isOnlyForUs = (key: string): boolean => ONLY_FOR_US.test(key) || isImpersonationHeader(key);
const ONLY_FOR_US = /^(?:authorization|cookie2?|expect|x-forwarded-(?:uri|host|proto))$/;

/**
 * Returns the headers of a plain request, without those for body framing.
 * @param trusted additional headers by which a front proxy may name a user; the client may not send them
 */
export function requestHeaders(request: ApiRequest, trusted: TrustedHeaders): string[] {
  const named = connectionHeaders(request.rawHeaders);
  return forwarded(request, trusted, (name) => HOP_BY_HOP.has(name) || named.has(name));
}

/** Returns the headers of an upgrade request as the client wrote them. */
export function upgradeHeaders(request: ApiRequest, trusted: TrustedHeaders): string[] {
  return forwarded(request, trusted, () => false);
}

/** The offered protocols may include a bearer token. */
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
