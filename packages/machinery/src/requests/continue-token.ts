// Continue token of a paged list: the resource version of its first page, and the key to continue from. Opaque to
// clients, and valid on every server. Source: staging/src/k8s.io/apiserver/pkg/storage/continue.go; "Retrieving large
// results sets in chunks" in Kubernetes API concepts.
import type { Vocabulary } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import type { StatusError } from "../errors/status-error";

/** Position at which a list continues, and its snapshot. */
export interface ContinuePoint {
  /** "latest" after the snapshot expired: the remaining items are then of another version than the earlier pages. */
  readonly resourceVersion: number | "latest";
  /** Relative to the list's prefix. The next page begins at the first key greater than or equal to it. */
  readonly startKey: string;
  /** The order of the list, as the client asked for it; absent for a list in the order of the keys. */
  readonly sortedBy?: string;
}

const LATEST = -1;

/**
 * Encodes a continue token.
 * @param point lastKey: last key of the page, relative to the list's prefix; the next page begins right after it
 */
export function encodeContinueToken(
  point: {
    readonly resourceVersion: number | "latest";
    readonly lastKey: string;
    readonly sortedBy?: string | undefined;
  },
  vocabulary: Vocabulary,
): string {
  const rv = point.resourceVersion === "latest" ? LATEST : point.resourceVersion;
  const { sortedBy } = point;
  // The key with NUL appended is the immediate successor of the key.
  const content = { v: version(vocabulary), rv, start: `${point.lastKey}\0`, ...(sortedBy && { sortedBy }) };
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/**
 * Encodes a token that continues at the position of an expired one, at the latest resource version. It is offered in
 * the 410 response.
 */
export function renewContinueToken(point: ContinuePoint, vocabulary: Vocabulary): string {
  const content = { v: version(vocabulary), rv: LATEST, start: point.startKey };
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/**
 * Decodes a continue token.
 * @throws StatusError BadRequest (400) for a malformed token
 */
export function decodeContinueToken(token: string, vocabulary: Vocabulary): ContinuePoint {
  const { v, rv, start, sortedBy } = contentOf(token);
  if (v !== version(vocabulary)) throw notValid(`unknown version ${JSON.stringify(v)} of the encoding`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0 || rv < LATEST) {
    throw notValid("it contains no resource version");
  }
  if (typeof start !== "string" || start === "") throw notValid("it contains no start key");
  if (!isCleanPath(start)) throw notValid("its start key is not a clean path");
  if (sortedBy !== undefined && typeof sortedBy !== "string") throw notValid("its order is not a text");
  return {
    resourceVersion: rv === LATEST ? "latest" : rv,
    startKey: start,
    ...(sortedBy === undefined ? {} : { sortedBy }),
  };
}

interface Content {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
  readonly sortedBy?: unknown;
}

function contentOf(token: string): Content {
  // Node.js ignores invalid base64url characters; they are refused here.
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw notValid("it is not base64url text without padding");
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw notValid("its content is not JSON");
  }
  if (typeof content !== "object" || content === null) throw notValid("its content is not a JSON object");
  return content;
}

/** Reports whether no segment is empty, `.` or `..`, so that the key stays below the list's prefix. */
const isCleanPath = (key: string): boolean =>
  key.split("/").every((part) => part !== "" && part !== "." && part !== "..");

const version = (vocabulary: Vocabulary): string => `${vocabulary.groups.meta}/v1`;

const notValid = (why: string): StatusError =>
  badRequest(BAD_REQUEST_TEXT.invalidContinueToken(`continue key is not valid: ${why}`));
