// The token that stands for the rest of a chunked list: the version of its first chunk, and the key to go on from. Opaque to
// clients, and the same on every server. Source: facts, http.md "Chunking".
import type { Vocabulary } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import type { StatusError } from "../errors/status-error";

/** Where in which snapshot a list goes on. */
export interface ContinuePoint {
  /** "latest" after the snapshot expired: the rest is then of another version than the chunks before. */
  readonly resourceVersion: number | "latest";
  /** Relative to the list's prefix. The next chunk begins at the first key that is not less. */
  readonly startKey: string;
}

const LATEST = -1;

/** @param lastKey of the chunk, relative to the list's prefix; the next one begins right after it */
export function encodeContinueToken(
  point: { readonly resourceVersion: number | "latest"; readonly lastKey: string },
  vocabulary: Vocabulary,
): string {
  const rv = point.resourceVersion === "latest" ? LATEST : point.resourceVersion;
  // NUL sorts before everything, so that nothing fits between a key and the same key with it.
  const content = { v: version(vocabulary), rv, start: `${point.lastKey}\0` };
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** A token that goes on from the place of an expired one, at the latest version: what the 410 offers. */
export function renewContinueToken(point: ContinuePoint, vocabulary: Vocabulary): string {
  const content = { v: version(vocabulary), rv: LATEST, start: point.startKey };
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}

/** @throws StatusError BadRequest (400) for what this interface did not make */
export function decodeContinueToken(token: string, vocabulary: Vocabulary): ContinuePoint {
  const { v, rv, start } = contentOf(token);
  if (v !== version(vocabulary)) throw notValid(`unknown version ${JSON.stringify(v)} of the encoding`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0 || rv < LATEST) {
    throw notValid("it holds no resource version");
  }
  if (typeof start !== "string" || start === "") throw notValid("it holds no key to start from");
  if (!isCleanPath(start)) throw notValid("its key is not a clean path");
  return { resourceVersion: rv === LATEST ? "latest" : rv, startKey: start };
}

interface Content {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
}

function contentOf(token: string): Content {
  // Node decodes leniently: what it would skip is refused here.
  if (!/^[A-Za-z0-9_-]+$/.test(token)) throw notValid("it is not base64url text without padding");
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
  } catch {
    throw notValid("it does not hold JSON");
  }
  if (typeof content !== "object" || content === null) throw notValid("it does not hold a JSON object");
  return content;
}

/** No part is empty, `.` or `..`: a key made of it stays below the list's prefix. */
const isCleanPath = (key: string): boolean =>
  key.split("/").every((part) => part !== "" && part !== "." && part !== "..");

const version = (vocabulary: Vocabulary): string => `${vocabulary.groups.meta}/v1`;

const notValid = (why: string): StatusError =>
  badRequest(BAD_REQUEST_TEXT.invalidContinueToken(`continue key is not valid: ${why}`));
