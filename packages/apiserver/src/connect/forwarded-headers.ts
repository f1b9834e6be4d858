// What of a request's and an answer's head goes on to the other side. Heads are names and values in turn, as they were written.
// Source: facts, apiserver-hooks.md "Plain proxying"; RFC 9110, 7.6.1.
import type { ApiRequest } from "../pipeline/request-context";

type RawHeaders = readonly string[];

/** They speak of one connection, and not of what is sent over it. */
const HOP_BY_HOP = new Set([
  "connection",
  "proxy-connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What proves who the client is, or whom it speaks for, is meant for this server alone. */
const ONLY_FOR_US = /^(?:authorization|impersonate-.*|expect|x-forwarded-(?:uri|host|proto))$/;

const OF_BROWSERS = /^access-control-allow-(?:credentials|headers|methods|origin)$/;

/** Head of a plain request, without what says how its body is framed. */
export function requestHeaders(request: ApiRequest): string[] {
  const named = connectionHeaders(request.headers.connection);
  return forwarded(request, (name) => HOP_BY_HOP.has(name) || named.has(name));
}

/** Head of a request for an upgrade, which the other side is to see as the client wrote it. */
export function upgradeHeaders(request: ApiRequest): string[] {
  return forwarded(request, () => false);
}

function forwarded(request: ApiRequest, stays: (name: string) => boolean): string[] {
  const { rawHeaders, socket, context } = request;
  const headers: string[] = [];
  const forwardedFor: string[] = [];
  const { host } = context;
  if (host !== "") headers.push("Host", host);
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (key === "x-forwarded-for") forwardedFor.push(value);
    else if (key !== "host" && !key.startsWith(":") && !ONLY_FOR_US.test(key) && !stays(key)) headers.push(name, value);
  }
  if (socket.remoteAddress !== undefined) forwardedFor.push(socket.remoteAddress);
  headers.push("X-Forwarded-For", forwardedFor.join(", "), "X-Forwarded-Uri", context.info.path);
  if (host !== "") headers.push("X-Forwarded-Host", host);
  headers.push("X-Forwarded-Proto", "https");
  return headers;
}

/** Head of an answer, but for what this server says of every answer itself. */
export function answerHeaders(raw: RawHeaders, rewrite: (name: string, value: string) => string | undefined) {
  const headers = new Map<string, string | string[]>();
  const connection = pairs(raw).find(([name]) => name.toLowerCase() === "connection");
  const named = connectionHeaders(connection?.[1]);
  for (const [name, sent] of pairs(raw)) {
    const key = name.toLowerCase();
    if (HOP_BY_HOP.has(key) || named.has(key) || OF_BROWSERS.test(key)) continue;
    const value = rewrite(key, sent);
    if (value === undefined) continue;
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]);
  }
  return Object.fromEntries(headers);
}

function connectionHeaders(value: string | undefined): ReadonlySet<string> {
  return new Set((value ?? "").split(",").map((name) => name.trim().toLowerCase()));
}

function pairs(raw: RawHeaders): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) found.push([raw[at] ?? "", raw[at + 1] ?? ""]);
  return found;
}
