// Texts for failed webhook calls, with the wording of kube-apiserver and Go, which people and programs search for.
import type { ConnectionError, RawResponse } from "@orch/client";
import { isReason } from "@orch/machinery";
import { isObject, type JsonValue, readJson } from "@orch/schema";
import type { WebhookAddress } from "./webhook-address";

/** Texts by the error codes of the operating system, of TLS and of Node.js. */
const CAUSES: Readonly<Record<string, (at: Peer) => string>> = {
  ECONNREFUSED: ({ address }) => `dial tcp ${address}: connect: connection refused`,
  EHOSTUNREACH: ({ address }) => `dial tcp ${address}: connect: no route to host`,
  ENETUNREACH: ({ address }) => `dial tcp ${address}: connect: network is unreachable`,
  ETIMEDOUT: ({ address }) => `dial tcp ${address}: i/o timeout`,
  ENOTFOUND: ({ host }) => `dial tcp: lookup ${host}: no such host`,
  EAI_AGAIN: ({ host }) => `dial tcp: lookup ${host}: server misbehaving`,
  ECONNRESET: ({ hungUp }) => (hungUp ? "EOF" : "read: connection reset by peer"),
  EPIPE: () => "write: broken pipe",
  EPROTO: () => "tls: no TLS version or cipher suite in common with the peer",
  DEPTH_ZERO_SELF_SIGNED_CERT: () => UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: () => UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: () => "x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: () => "x509: certificate has expired or is not yet valid",
  INVALID_PURPOSE: () => "x509: certificate specifies an incompatible key usage",
  ERR_TLS_CERT_ALTNAME_INVALID: ({ host, reason }) => `x509: certificate is not valid for ${host}: ${reason}`,
  HPE_HEADER_OVERFLOW: () => "the answer's headers are too long",
};
const UNKNOWN_AUTHORITY = "x509: certificate signed by unknown authority";

interface Peer {
  readonly host: string;
  /** Destination of the connection. */
  readonly address: string;
  readonly hungUp: boolean;
  readonly reason: string;
}

interface SystemError extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly reason?: string;
}

export function failureWords(error: unknown, { url, target, service }: WebhookAddress): string {
  const own = error instanceof Error ? error : new Error(String(error));
  if (isConnectionError(own) && own.message.includes("before the answer was complete")) return "unexpected EOF";
  if (service !== undefined && isReason(own, "NotFound")) return `service ${JSON.stringify(service.name)} not found`;
  const cause = rootOf(own) as SystemError;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const address = cause.address === undefined ? target : `${bracketed(cause.address)}:${cause.port ?? ""}`;
  const hungUp = cause.message.includes("hang up") || cause.message.includes("before secure TLS");
  const words = CAUSES[cause.code ?? ""]?.({ host, address, hungUp, reason: cause.reason ?? "" });
  if (words !== undefined) return words;
  if (cause.code?.startsWith("HPE_") === true) return `malformed HTTP response: ${cause.message}`;
  return own.message;
}

/** Recognizes the error by its name, so that its class is loaded only when needed. */
export const isConnectionError = (error: unknown): error is ConnectionError =>
  error instanceof Error && error.name === "ConnectionError";

function rootOf(error: Error): Error {
  // Several addresses were tried. The first error represents all.
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return rootOf(error.errors[0]);
  return isConnectionError(error) && error.cause instanceof Error ? rootOf(error.cause) : error;
}

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address);

const STATUSES: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  409: "the server reported a conflict",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
/** Codes for which the text of the response is used. */
const OWN_WORDS: ReadonlySet<number> = new Set([403, 406, 415]);
const SHOWN_CHARACTERS = 1024;
/** A longer response is not parsed as a Status. */
const STATUS_MAX_BYTES = 32 * 1024;

/** Returns the text for an unsuccessful response. */
export function statusWords({ status, body }: RawResponse): string {
  const said = body.length > STATUS_MAX_BYTES ? undefined : statusMessage(body);
  if (said !== undefined) return said;
  const text = body.toString("utf8", 0, SHOWN_CHARACTERS).trim() || "unknown";
  if (OWN_WORDS.has(status)) return text;
  const known = STATUSES[status];
  if (known !== undefined) return known;
  if (status >= 500)
    return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

/** Returns the message of a Status with a failure. */
function statusMessage(body: Buffer): string | undefined {
  let read: JsonValue;
  try {
    read = readJson(body.toString("utf8"));
  } catch {
    return undefined;
  }
  if (!isObject(read) || read["kind"] !== "Status" || read["status"] === "Success") return undefined;
  const { message } = read;
  return typeof message === "string" && message !== "" ? message.slice(0, SHOWN_CHARACTERS) : undefined;
}
