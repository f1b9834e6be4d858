// Refuses writes and streams that pages of other origins make a browser send: a browser adds its client certificate to them,
// and asks the server for consent to some of them only. Source: Fetch Metadata Request Headers (W3C); RFC 6455, section
// 10.2; docs/authentication.md, "Browsers".
import { READING_METHODS } from "@orch/http-server";
import { StatusError } from "@orch/machinery";
import type { ApiRequest, Middleware } from "@orch/request";
import { wasForwarded } from "./from-this-machine";

type Headers = ApiRequest["headers"];

const HARMLESS: readonly string[] = [...READING_METHODS, "OPTIONS"];
/** Begin of the name of every browser. Programs send other names, and some of them any origin. */
const BROWSER = /^Mozilla\//;
/** Characters of the origin in the message. */
const ORIGIN_LENGTH_MAX = 256;

/** @param origins regular expressions of the origins whose pages may use the API (`--cors-allowed-origins`) */
export function crossSite(origins: readonly RegExp[]): Middleware {
  return (request, _response, next) => {
    const { headers, context } = request;
    const { origin = "" } = headers;
    const isHarmless = request.upgraded === undefined && HARMLESS.includes(context.info.method);
    if (isHarmless || !isOfOtherPage(headers, context.host) || origins.some((allowed) => allowed.test(origin))) {
      next();
      return;
    }
    const page = JSON.stringify(origin.slice(0, ORIGIN_LENGTH_MAX));
    throw new StatusError(
      "Forbidden",
      `a page of the origin ${page} must not change objects or open streams: --cors-allowed-origins lists the origins that may`,
    );
  };
}

/** Reports whether a page of this server, such as the console, sent the request. No page can set the header itself. */
export const isOfOwnPage = (headers: Headers): boolean => headers["sec-fetch-site"] === "same-origin";

function isOfOtherPage(headers: Headers, host: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "cross-site" || site === "same-site";
  // Browsers tell of WebSockets the origin alone. A credential in a header is not the browser's own, and a proxy, whose
  // certificate it may be, has pages of its own.
  const { origin, authorization, "user-agent": agent = "", "sec-websocket-protocol": protocols = "" } = headers;
  if (origin === undefined || !BROWSER.test(agent) || authorization !== undefined || wasForwarded(headers))
    return false;
  return !protocols.includes(BEARER) && hostOf(origin) !== host.toLowerCase();
}

/** Part of the subprotocol by which pages send a token. */
const BEARER = "base64url.bearer.";

/** Returns the host and port of an origin; "" for one that hides them. */
const hostOf = (origin: string): string => /^https?:\/\/([^/]*)$/i.exec(origin)?.[1]?.toLowerCase() ?? "";
