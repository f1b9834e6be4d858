// Tokenizer for what JSON.parse does not report: the position of syntax errors, and duplicate keys. Much slower than
// JSON.parse, so it runs only when a problem is known to exist.
import { type DecodeProblem, PROBLEMS_MAX, pathText } from "./decode-problem";
import { type JsonError, jsonErrorAt } from "./json-error";

interface Frame {
  /** Keys seen so far; undefined for an array. */
  readonly keys: Set<string> | undefined;
  /** Path step of the value being read. */
  step: string | number;
}

const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

type Token =
  | { readonly kind: "mark"; readonly text: string; readonly offset: number }
  | { readonly kind: "string"; readonly text: string; readonly offset: number }
  | { readonly kind: "literal"; readonly offset: number }
  | { readonly kind: "end"; readonly offset: number };

export interface JsonScan {
  /** The first error; absent for a valid text. */
  readonly error?: JsonError;
  /** Duplicate keys and the given unknown fields in the order of the text, each path once, up to the maximum. */
  readonly problems: readonly DecodeProblem[];
}

/**
 * Scans a text.
 * @param maxDepth maximum nesting; the scan ends where it is exceeded
 * @param unknown paths of unknown fields. Keys in their values, and their own repetitions, are not reported
 */
export function scanJson(text: string, maxDepth: number, unknown: readonly string[] = []): JsonScan {
  const scanner = new JsonScanner(text, maxDepth, unknown);
  try {
    scanner.run();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { error: jsonErrorAt(error.reason, error.message, text, error.offset), problems: scanner.problems };
  }
  return { problems: scanner.problems };
}

/** Returns the part of a key or path after its last dot. */
const lastPart = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

/** Maximum number of steps in all formatted paths. Deep texts may repeat keys several hundred thousand times. */
const PATH_STEPS_MAX = 300_000;

class Malformed extends Error {
  constructor(
    message: string,
    readonly offset: number,
    readonly reason: JsonError["reason"] = "syntax",
  ) {
    super(message);
  }
}

class JsonScanner {
  readonly problems: DecodeProblem[] = [];
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly unknown: ReadonlySet<string>;
  /** Ends of unknown paths: only keys with one of them need their path compared. */
  private readonly unknownEnds: ReadonlySet<string>;
  private readonly reported = new Set<string>();
  private readonly open: Frame[] = [];
  /** Number of open frames at the unknown field whose value is being read. */
  private unknownDepth = Number.POSITIVE_INFINITY;
  /** Steps of all paths formatted so far. */
  private pathSteps = 0;
  private offset = 0;

  constructor(text: string, maxDepth: number, unknown: readonly string[]) {
    this.text = text;
    this.maxDepth = maxDepth;
    this.unknown = new Set(unknown);
    this.unknownEnds = new Set(unknown.map(lastPart));
  }

  run(): void {
    this.value(this.next());
    while (this.open.length > 0) this.afterValue(this.open.at(-1) as Frame);
    const rest = this.next();
    if (rest.kind !== "end") throw new Malformed("text goes on after the end of the value", rest.offset);
  }

  /** Reads a scalar, or opens an object or array and continues to its first value, if any. */
  private value(first: Token): void {
    let token = first;
    while (token.kind === "mark" && (token.text === "{" || token.text === "[")) {
      const frame: Frame = { keys: token.text === "{" ? new Set() : undefined, step: 0 };
      if (this.open.length === this.maxDepth) {
        throw new Malformed(`nested deeper than ${this.maxDepth} levels`, token.offset, "depth");
      }
      this.open.push(frame);
      const inner = this.next();
      if (inner.kind === "mark" && inner.text === (frame.keys ? "}" : "]")) {
        this.open.pop();
        return;
      }
      token = frame.keys ? this.key(frame, frame.keys, inner) : inner;
    }
    if (token.kind === "mark" || token.kind === "end") throw this.unexpected("a value", token);
  }

  /** Continues after a value: a comma leads to the next one, the closing mark ends the frame. */
  private afterValue(frame: Frame): void {
    const token = this.next();
    const close = frame.keys ? "}" : "]";
    if (token.kind === "mark" && token.text === close) {
      this.open.pop();
    } else if (token.kind === "mark" && token.text === ",") {
      if (frame.keys) this.value(this.key(frame, frame.keys, this.next()));
      else {
        frame.step = (frame.step as number) + 1;
        this.value(this.next());
      }
    } else {
      throw this.unexpected(`"," or "${close}"`, token);
    }
  }

  /** Reads a key and its colon. Returns the next token. */
  private key(frame: Frame, keys: Set<string>, token: Token): Token {
    if (token.kind !== "string") throw this.unexpected("a key in double quotes", token);
    const key = JSON.parse(token.text) as string;
    frame.step = key;
    this.examine(key, keys.has(key));
    keys.add(key);
    const colon = this.next();
    if (colon.kind !== "mark" || colon.text !== ":") throw this.unexpected('":" after the key', colon);
    return this.next();
  }

  private examine(key: string, isRepeated: boolean): void {
    const depth = this.open.length;
    if (depth > this.unknownDepth || this.problems.length >= PROBLEMS_MAX) return;
    this.unknownDepth = Number.POSITIVE_INFINITY;
    if (!isRepeated && !this.unknownEnds.has(lastPart(key))) return;
    this.pathSteps += depth;
    if (this.pathSteps > PATH_STEPS_MAX) return;
    const path = pathText(this.open.map(({ step }) => step));
    const isUnknown = this.unknown.has(path);
    if (isUnknown) this.unknownDepth = depth;
    if ((!isUnknown && !isRepeated) || this.reported.has(path)) return;
    this.reported.add(path);
    this.problems.push({ kind: isUnknown ? "unknownField" : "duplicateField", path });
  }

  private next(): Token {
    const text = this.text;
    let offset = this.offset;
    while (isBlank(text.charCodeAt(offset))) offset++;
    if (offset >= text.length) return { kind: "end", offset };
    const first = text[offset] as string;
    if ("{}[],:".includes(first)) {
      this.offset = offset + 1;
      return { kind: "mark", text: first, offset };
    }
    return first === '"' ? this.string(offset) : this.literal(offset);
  }

  private string(offset: number): Token {
    const end = endOfString(this.text, offset);
    if (end < 0) throw new Malformed("a string that is not closed", offset);
    const text = this.text.slice(offset, end + 1);
    if (!isWellFormed(text)) throw new Malformed("a string with a wrong escape or a control character", offset);
    this.offset = end + 1;
    return { kind: "string", text, offset };
  }

  private literal(offset: number): Token {
    LITERAL.lastIndex = offset;
    if (!LITERAL.test(this.text)) throw new Malformed(`unexpected ${this.shown(offset)}`, offset);
    this.offset = LITERAL.lastIndex;
    return { kind: "literal", offset };
  }

  private unexpected(expected: string, token: Token): Malformed {
    const found = token.kind === "end" ? "the text ends" : `found ${this.shown(token.offset)}`;
    return new Malformed(`expected ${expected}, ${found}`, token.offset);
  }

  private shown(offset: number): string {
    return JSON.stringify(/^.\w{0,19}/su.exec(this.text.slice(offset, offset + 21))?.[0] ?? "");
  }
}

const BACKSLASH = 0x5c;

/** Returns the offset of the closing quote of the string that opens at `start`, or -1. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

function isWellFormed(quoted: string): boolean {
  try {
    JSON.parse(quoted);
    return true;
  } catch {
    return false;
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
