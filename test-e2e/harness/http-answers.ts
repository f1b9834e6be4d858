// A strict HTTP/1.1 response parser: a lenient one would hide faults of the server. Source: RFC 9112.

interface RawAnswer {
  readonly code: number;
  /** Headers by lower-case name; the last of several values. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface ReadAnswers {
  /** Includes interim responses (1xx). */
  readonly answers: readonly RawAnswer[];
  /** An incomplete response. */
  readonly rest: string;
  /** Text that is not HTTP; undefined when there is none. */
  readonly wrong: string | undefined;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [^\r\n]*$/;
const FIELD = /^([!#$%&'*+\-.^_`|~\w]+):[ \t]*([^\r\n\0]*?)[ \t]*$/;

/**
 * @param text latin1
 * @param toHead some responses may answer HEAD and have no body: taken so when another response follows the headers, or
 * nothing
 */
export function readAnswers(text: string, toHead = false): ReadAnswers {
  const answers: RawAnswer[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0) {
      const begins = "HTTP/1.1 ".startsWith(text.slice(at, at + 9)) || text.startsWith("HTTP/1.1 ", at);
      return { answers, rest: text.slice(at), wrong: begins ? undefined : `no answer begins so: ${quoted(text, at)}` };
    }
    const [line = "", ...fields] = text.slice(at, end).split("\r\n");
    const code = Number(STATUS_LINE.exec(line)?.[1]);
    if (Number.isNaN(code)) return { answers, rest: "", wrong: `no status line: ${quoted(text, at)}` };
    const headers = new Map<string, string>();
    for (const field of fields) {
      const [, name, value = ""] = FIELD.exec(field) ?? [];
      if (name === undefined) return { answers, rest: "", wrong: `no header: ${JSON.stringify(field)}` };
      headers.set(name.toLowerCase(), value);
    }
    const from = end + 4;
    const follows = text.slice(from, from + 9);
    const without =
      code < 200 || code === 204 || code === 304 || (toHead && (follows === "" || follows === "HTTP/1.1 "));
    const body = without ? { to: from, body: "" } : bodyOf(text, from, headers);
    if (typeof body === "string") return { answers, rest: "", wrong: body };
    if (body === undefined) return { answers, rest: text.slice(at), wrong: undefined };
    answers.push({ code, headers, body: body.body });
    at = body.to;
  }
  return { answers, rest: "", wrong: undefined };
}

type Body = { readonly to: number; readonly body: string };

/** @returns undefined for an incomplete body; a text that describes a fault */
function bodyOf(text: string, from: number, headers: ReadonlyMap<string, string>): Body | string | undefined {
  const coding = headers.get("transfer-encoding");
  const length = headers.get("content-length");
  if (coding !== undefined) {
    if (length !== undefined) return "both Transfer-Encoding and Content-Length";
    return coding === "chunked" ? chunksOf(text, from) : `Transfer-Encoding ${coding}`;
  }
  if (length === undefined) return headers.get("connection") === "close" ? undefined : "an answer without an end";
  if (!/^\d+$/.test(length)) return `Content-Length ${length}`;
  const to = from + Number(length);
  return to > text.length ? undefined : { to, body: text.slice(from, to) };
}

function chunksOf(text: string, from: number): Body | string | undefined {
  let at = from;
  let body = "";
  for (;;) {
    const end = text.indexOf("\r\n", at);
    if (end < 0) return undefined;
    const size = text.slice(at, end);
    if (!/^[\da-f]+$/i.test(size)) return `no chunk: ${quoted(text, at)}`;
    const begin = end + 2;
    const to = begin + Number.parseInt(size, 16);
    if (to + 2 > text.length) return undefined;
    if (text.slice(to, to + 2) !== "\r\n") return `a chunk that does not end: ${quoted(text, to)}`;
    body += text.slice(begin, to);
    at = to + 2;
    if (size === "0") return { to: at, body };
  }
}

const quoted = (text: string, at: number): string => JSON.stringify(text.slice(at, at + 80));
