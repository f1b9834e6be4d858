// Incremental parser with the results of `readJson`: it parses a document of megabytes without blocking the event loop,
// and skips unneeded members without building their values.
import { DEPTH_MAX, literalValue } from "./exact-json";
import { jsonErrorAt } from "./json-error";
import { isObject, type JsonArray, type JsonObject, type JsonValue, setMember } from "./json-value";
import { mayBreakCharacters, replaceLoneSurrogates } from "./lone-surrogates";
import { endOfString } from "./value-count";

/** Members to leave out, by the names that lead to them. In a list they apply to each item. */
export interface OmittedMembers {
  readonly [member: string]: OmittedMembers | true;
}

/** Returns a parsed value without the omitted members. The rest is shared with the original. */
export function withoutMembers(value: JsonValue, omitted: OmittedMembers): JsonValue {
  if (Array.isArray(value)) return value.map((item) => withoutMembers(item, omitted));
  if (!isObject(value)) return value;
  const left: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = value[name] as JsonValue;
    const below = Object.hasOwn(omitted, name) ? omitted[name] : undefined;
    if (below !== true) setMember(left, name, below === undefined ? member : withoutMembers(member, below));
  }
  return left;
}

/** Limits of a step, by values and by bytes: a few milliseconds. */
const STEP_VALUES = 4096;
const STEP_BYTES = 128 * 1024;

/** Strings of more bytes are read in pieces of this size. */
const PIECE_BYTES = 128 * 1024;

type State = "value" | "first" | "after" | "text" | "skipping" | "end";

interface Frame {
  readonly container: JsonObject | JsonArray;
  readonly omitted: OmittedMembers | undefined;
  /** Name of the member that is being read. */
  key: string;
}

export class JsonInSteps {
  private at = 0;
  private state: State = "value";
  private readonly frames: Frame[] = [];
  private frame: Frame | undefined;
  private result: JsonValue | undefined;
  /** Number of open containers in the skipped member. */
  private skipDepth = 0;
  /** End of the long string that is being read, and its pieces so far. */
  private textEnd = 0;
  private pieces: string[] = [];

  /** @param json UTF-8 */
  constructor(
    private readonly json: Buffer,
    private readonly omitted: OmittedMembers | undefined = undefined,
  ) {}

  /**
   * Parses one step.
   * @returns whether the value is complete
   * @throws JsonError or SyntaxError for invalid JSON, nesting that is too deep, or a number beyond the range of
   * doubles
   */
  step(): boolean {
    const end = this.at + STEP_BYTES;
    for (let values = 0; values < STEP_VALUES && this.at < end; values += 1) {
      if (this.state === "end") return this.ended();
      this.advance(end);
    }
    return this.state === "end" && this.ended();
  }

  /** Returns the value. Available once `step` has returned true. */
  get value(): JsonValue {
    if (this.result === undefined) throw new Error("the value has not been read to its end");
    return this.result;
  }

  private advance(end: number): void {
    switch (this.state) {
      case "value":
        this.readValue();
        break;
      case "first":
        this.readFirst();
        break;
      case "after":
        this.readAfter();
        break;
      case "text":
        this.readPiece();
        break;
      case "skipping":
        this.skip(end);
        break;
      case "end":
    }
  }

  private readValue(): void {
    switch (this.skipBlanks()) {
      case OPEN_OBJECT:
        this.open({});
        break;
      case OPEN_LIST:
        this.open([]);
        break;
      case QUOTE:
        this.readText();
        break;
      default:
        this.place(this.literal());
    }
  }

  private open(container: JsonObject | JsonArray): void {
    if (this.frames.length === DEPTH_MAX) throw this.failure("depth", `nested deeper than ${DEPTH_MAX} levels`);
    const { frame } = this;
    const omitted =
      frame === undefined ? this.omitted : Array.isArray(frame.container) ? frame.omitted : this.omittedBelow(frame);
    this.at += 1;
    this.place(container);
    this.frame = { container, omitted, key: "" };
    this.frames.push(this.frame);
    this.state = "first";
  }

  private omittedBelow({ omitted, key }: Frame): OmittedMembers | undefined {
    if (omitted === undefined || !Object.hasOwn(omitted, key)) return undefined;
    const below = omitted[key];
    return below === true ? undefined : below;
  }

  private place(value: JsonValue): void {
    const { frame } = this;
    if (frame === undefined) {
      this.result = value;
      this.state = "end";
      return;
    }
    const { container } = frame;
    if (Array.isArray(container)) container.push(value);
    else setMember(container, frame.key, value);
    this.state = "after";
  }

  private readFirst(): void {
    const { container } = this.frame as Frame;
    const isList = Array.isArray(container);
    if (this.skipBlanks() === (isList ? CLOSE_LIST : CLOSE_OBJECT)) this.close();
    else if (isList) this.state = "value";
    else this.readKey();
  }

  private readAfter(): void {
    const isList = Array.isArray((this.frame as Frame).container);
    const found = this.skipBlanks();
    if (found === COMMA) {
      this.at += 1;
      if (isList) this.state = "value";
      else this.readKey();
    } else if (found === (isList ? CLOSE_LIST : CLOSE_OBJECT)) this.close();
    else throw this.failure("syntax", `expected "," or "${isList ? "]" : "}"}"`);
  }

  private close(): void {
    this.at += 1;
    this.frames.pop();
    this.frame = this.frames.at(-1);
    this.state = this.frame === undefined ? "end" : "after";
  }

  private readKey(): void {
    if (this.skipBlanks() !== QUOTE) throw this.failure("syntax", "expected a key in double quotes");
    const frame = this.frame as Frame;
    frame.key = this.string(this.closingQuote(this.at));
    if (this.skipBlanks() !== COLON) throw this.failure("syntax", 'expected ":" after the key');
    this.at += 1;
    const { omitted, key } = frame;
    const isOmitted = omitted !== undefined && Object.hasOwn(omitted, key) && omitted[key] === true;
    this.state = isOmitted ? "skipping" : "value";
    this.skipDepth = 0;
  }

  /** Skips an omitted member without parsing its content. */
  private skip(end: number): void {
    const { json } = this;
    while (this.at < end) {
      switch (json[this.at]) {
        case QUOTE:
          this.at = this.closingQuote(this.at);
          break;
        case OPEN_OBJECT:
        case OPEN_LIST:
          this.skipDepth += 1;
          break;
        case CLOSE_OBJECT:
        case CLOSE_LIST:
          if (this.skipDepth === 0) {
            this.state = "after";
            return;
          }
          this.skipDepth -= 1;
          break;
        case COMMA:
          if (this.skipDepth === 0) {
            this.state = "after";
            return;
          }
          break;
        case undefined:
          throw this.failure("syntax", "the text ends inside of a value");
      }
      this.at += 1;
    }
  }

  private readText(): void {
    const end = this.closingQuote(this.at);
    if (end - this.at <= PIECE_BYTES) {
      this.place(this.string(end));
      return;
    }
    this.at += 1;
    this.textEnd = end;
    this.pieces = [];
    this.state = "text";
  }

  private readPiece(): void {
    const end = this.pieceEnd();
    this.pieces.push(unescaped(this.json.toString("utf8", this.at, end)));
    this.at = end;
    if (end < this.textEnd) return;
    this.at += 1;
    const text = this.pieces.join("");
    this.pieces = [];
    this.place(replaceLoneSurrogates(text));
  }

  /**
   * Returns the end of a piece between two characters: neither within an escape sequence nor within a UTF-8 sequence.
   */
  private pieceEnd(): number {
    const { json, at, textEnd } = this;
    let end = at + PIECE_BYTES;
    if (end >= textEnd) return textEnd;
    for (let back = end - 1; back >= end - ESCAPE_MAX; back -= 1) {
      if (json[back] !== BACKSLASH) continue;
      let first = back;
      while (first > at && json[first - 1] === BACKSLASH) first -= 1;
      if ((back - first) % 2 === 0) end = back;
      break;
    }
    while (((json[end] as number) & 0xc0) === 0x80) end -= 1;
    return end;
  }

  /** Reads a string. @param end position of the closing quote */
  private string(end: number): string {
    const text = this.json.toString("utf8", this.at + 1, end);
    this.at = end + 1;
    const read = unescaped(text);
    return mayBreakCharacters(text) ? replaceLoneSurrogates(read) : read;
  }

  private closingQuote(start: number): number {
    const end = endOfString(this.json, start);
    if (end >= this.json.length) throw this.failure("syntax", "a string that is not closed");
    return end;
  }

  private literal(): JsonValue {
    const { json } = this;
    const start = this.at;
    while (this.at < json.length && !ENDS_LITERAL[json[this.at] as number]) this.at += 1;
    return literalValue(json.toString("latin1", start, this.at), (message) => this.failure("range", message));
  }

  private ended(): true {
    if (this.skipBlanks() !== undefined) throw this.failure("syntax", "text goes on after the end of the value");
    return true;
  }

  private skipBlanks(): number | undefined {
    const { json } = this;
    for (;;) {
      const code = json[this.at];
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.at += 1;
    }
  }

  private failure(reason: "syntax" | "depth" | "range", message: string): Error {
    return jsonErrorAt(reason, message, this.json.toString("latin1"), this.at);
  }
}

const unescaped = (text: string): string => (NEEDS_READING.test(text) ? (JSON.parse(`"${text}"`) as string) : text);

/** Bytes of the longest escape sequence. */
const ESCAPE_MAX = 6;
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** Matches escape sequences and control characters; the latter are invalid in JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are meant
const NEEDS_READING = /[\\\u0000-\u001f]/;

const ENDS_LITERAL = Array.from({ length: 256 }, (_, code) => ` \t\n\r,:"[]{}`.includes(String.fromCharCode(code)));
