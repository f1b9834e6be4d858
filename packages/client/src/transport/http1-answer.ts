// Parser of HTTP/1.1 responses: bounded heads, and bodies framed by their headers. Strict wherever two parsers could
// disagree on the end of a response. Source: RFC 9112, sections 4 to 7.

/** Headers that are used. Repeated values are joined by commas. */
interface HeardHeaders {
  connection?: string;
  "content-length"?: string;
  "keep-alive"?: string;
  location?: string;
  "retry-after"?: string;
  "transfer-encoding"?: string;
  warning?: string;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<HeardHeaders>;
  /** Whether another response may follow on the connection. */
  readonly persists: boolean;
}

export interface AnswerSink {
  head(head: AnswerHead): void;
  /**
   * Receives the bytes from `start` to before `end` of the input buffer, which is reused afterwards. Copying is left to
   * the receiver, because pieces may be of one byte.
   */
  piece(data: Buffer, start: number, end: number): void;
  /** The response is complete. */
  end(): void;
}

/** The input is not valid HTTP. Its codes have the prefix of those of the Node.js parser. */
export class MalformedAnswer extends Error {
  constructor(
    message: string,
    readonly code: "HPE_INVALID" | "HPE_HEADER_OVERFLOW" = "HPE_INVALID",
  ) {
    super(message);
  }
}

/** Maximum size of a response head including informational responses, and of the trailers. */
const HEAD_MAX_BYTES = 16 * 1024;
/** Maximum size of a head that is remembered on each connection. */
const KNOWN_HEAD_MAX_BYTES = 1024;
/** Maximum length of the line with a chunk's size. */
const CHUNK_LINE_MAX_BYTES = 1024;

type State = "none" | "head" | "counted" | "untilClose" | "chunkSize" | "chunk" | "chunkEnd" | "trailers";

export class AnswerReader {
  private state: State = "none";
  private hasBody = true;
  /** Remaining bytes of the body or chunk. */
  private left = 0;
  /** Start of an incomplete head or line. */
  private kept: Buffer = NOTHING;
  /** Size of heads or trailers so far. */
  private read = 0;
  /** The last head. The next one is mostly identical. */
  private known: { readonly text: string; readonly head: Head } | undefined;
  /** State of a line between chunks: its bytes, its digits, and whether the rest of it, or its end, has begun. */
  private lineBytes = 0;
  private digits = 0;
  private isSized = false;
  private isReturned = false;

  constructor(private readonly sink: AnswerSink) {}

  /** Starts a response. Called when a request was sent. */
  expect(method: string): void {
    this.state = "head";
    this.hasBody = method !== "HEAD";
    this.read = 0;
  }

  /** Parses input. @param data may be reused afterwards @throws MalformedAnswer */
  take(data: Buffer): void {
    let at = 0;
    while (at < data.length) at = this.step(data, at);
  }

  /** Ends the input. @returns whether a response ended with it */
  finish(): boolean {
    if (this.state !== "untilClose") return false;
    this.end();
    return true;
  }

  /** Parses a part of the input. @returns where to continue */
  private step(data: Buffer, at: number): number {
    switch (this.state) {
      case "none":
        throw new MalformedAnswer("it contains data beyond the requested answers");
      case "head":
        return this.takeHead(data, at);
      case "counted":
      case "chunk":
        return this.takeCounted(data, at);
      case "untilClose":
        this.sink.piece(data, at, data.length);
        return data.length;
      case "chunkSize":
      case "chunkEnd":
        this.takeOfChunkLine(data[at] as number);
        return at + 1;
      case "trailers":
        return this.takeTrailer(data, at);
    }
  }

  private takeHead(data: Buffer, at: number): number {
    const rest = data.subarray(at);
    const known = this.kept.length === 0 ? rest : Buffer.concat([this.kept, rest]);
    const end = known.indexOf(HEAD_END);
    const isLong = this.read + (end < 0 ? known.length : end) > HEAD_MAX_BYTES;
    // A peer with another protocol may continue for long, so the start of the head is checked at once.
    if ((end < 0 || isLong) && !HEAD_START.startsWith(known.toString("latin1", 0, HEAD_START.length)))
      throw new MalformedAnswer("it does not start with a status line");
    if (isLong) throw new MalformedAnswer("the head is too long", "HPE_HEADER_OVERFLOW");
    if (end < 0) {
      this.kept = Buffer.from(known);
      return data.length;
    }
    this.kept = NOTHING;
    this.read += end;
    this.headEnded(this.headIn(known.toString("latin1", 0, end)));
    return data.length - (known.length - end - HEAD_END.length);
  }

  private headIn(text: string): Head {
    if (text === this.known?.text) return this.known.head;
    const head = headOf(text);
    if (text.length <= KNOWN_HEAD_MAX_BYTES) this.known = { text, head };
    return head;
  }

  private headEnded(head: Head): void {
    const { status, headers, isOld } = head;
    if (status === 101) throw new MalformedAnswer("it accepts an unrequested upgrade");
    if (status < 200) return;
    const framing = framingOf(headers, isOld, this.hasBody && status !== 204 && status !== 304);
    this.state = framing.state;
    this.left = framing.length;
    this.read = 0;
    this.sink.head({ status, headers, persists: head.persists && framing.state !== "untilClose" });
    if (framing.state === "counted" && framing.length === 0) this.end();
  }

  private takeCounted(data: Buffer, at: number): number {
    const end = Math.min(data.length, at + this.left);
    this.left -= end - at;
    this.sink.piece(data, at, end);
    if (this.left > 0) return end;
    if (this.state === "counted") this.end();
    else this.state = "chunkEnd";
    return end;
  }

  /** Parses a byte of a chunk line without allocation: there may be a line for each byte of the body. */
  private takeOfChunkLine(byte: number): void {
    this.lineBytes += 1;
    if (this.lineBytes > CHUNK_LINE_MAX_BYTES) throw new MalformedAnswer("a line between chunks is too long");
    if (byte === NEWLINE && this.isReturned) this.chunkLineEnded();
    else if (byte === NEWLINE || this.isReturned)
      throw new MalformedAnswer("a line between chunks is not terminated by CRLF");
    else if (byte === RETURN) this.isReturned = true;
    else this.takeOfChunkSize(byte);
  }

  private takeOfChunkSize(byte: number): void {
    if (this.state === "chunkEnd") throw new MalformedAnswer("a chunk is longer than its length");
    if (this.isSized) return;
    const digit = DIGITS[byte] as number;
    if (digit < 0) {
      if (!AFTER_SIZE.has(byte)) throw new MalformedAnswer("a chunk has no length");
      this.isSized = true;
      return;
    }
    this.digits += 1;
    if (this.digits > CHUNK_DIGITS_MAX) throw new MalformedAnswer("a chunk exceeds the maximum length of an answer");
    this.left = this.left * 16 + digit;
  }

  private chunkLineEnded(): void {
    if (this.state === "chunkSize") {
      if (this.digits === 0) throw new MalformedAnswer("a chunk has no length");
      this.state = this.left === 0 ? "trailers" : "chunk";
    } else this.state = "chunkSize";
    this.lineBytes = 0;
    this.digits = 0;
    this.isReturned = false;
    this.isSized = false;
  }

  private takeTrailer(data: Buffer, at: number): number {
    const newline = data.indexOf(NEWLINE, at);
    const end = newline < 0 ? data.length : newline + 1;
    this.read += end - at;
    if (this.read > HEAD_MAX_BYTES) throw new MalformedAnswer("the trailers are too long", "HPE_HEADER_OVERFLOW");
    // Trailers are not used. Only the empty line at the end matters.
    this.kept = Buffer.concat([this.kept, data.subarray(at, end)]);
    if (newline < 0) return end;
    const isLast = this.kept.length === 2 && this.kept[0] === RETURN;
    this.kept = NOTHING;
    if (isLast) this.end();
    return end;
  }

  private end(): void {
    this.state = "none";
    this.sink.end();
  }
}

const NOTHING = Buffer.alloc(0);
const NEWLINE = 10;
const RETURN = 13;
const HEAD_END = Buffer.from("\r\n\r\n");
const HEAD_START = "HTTP/1.";
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** Header lines: each a name and a value without control characters. */
const HEADERS = /^(?:\r\n[!#$%&'*+\-.^_`|~\w]+:[\t\x20-\x7e\x80-\xff]*)*$/;
/** Used with `exec` from the start: `matchAll` would create another regular expression for each head. */
const HEARD = /^(connection|content-length|keep-alive|location|retry-after|transfer-encoding|warning):(.*)$/gim;
const CHUNK_DIGITS_MAX = 8;
/** Value of each byte as a hexadecimal digit; -1: not a digit. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);
/** Space, tab, semicolon. */
const AFTER_SIZE: ReadonlySet<number> = new Set([0x20, 0x09, 0x3b]);
const LENGTH = /^\d{1,15}$/;

function headOf(text: string): Head {
  const firstEnd = text.indexOf("\r\n");
  const [, minor, status] = STATUS_LINE.exec(firstEnd < 0 ? text : text.slice(0, firstEnd)) ?? [];
  if (minor === undefined) throw new MalformedAnswer("it does not start with a status line");
  const lines = firstEnd < 0 ? "" : text.slice(firstEnd);
  if (!HEADERS.test(lines)) throw new MalformedAnswer("a header is malformed");
  const headers: HeardHeaders = {};
  HEARD.lastIndex = 0;
  for (let heard = HEARD.exec(lines); heard !== null; heard = HEARD.exec(lines)) {
    const [, written = "", spaced = ""] = heard;
    const name = written.toLowerCase() as keyof HeardHeaders;
    const former = headers[name];
    headers[name] = former === undefined ? spaced.trim() : `${former}, ${spaced.trim()}`;
  }
  const isOld = minor === "0";
  const wishes = headers.connection?.toLowerCase() ?? "";
  const persists = isOld ? wishes.includes("keep-alive") : !wishes.includes("close");
  return { status: Number(status), headers, isOld, persists };
}

/** The head of an HTTP/1.0 or HTTP/1.1 response. */
type Head = AnswerHead & { readonly isOld: boolean };

type Framing = { readonly state: "counted" | "untilClose" | "chunkSize"; readonly length: number };

function framingOf(headers: HeardHeaders, isOld: boolean, hasBody: boolean): Framing {
  const { "transfer-encoding": coding, "content-length": length } = headers;
  if (!hasBody) return { state: "counted", length: 0 };
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked" || isOld || length !== undefined)
      throw new MalformedAnswer("its headers do not define its length");
    return { state: "chunkSize", length: 0 };
  }
  if (length === undefined) return { state: "untilClose", length: 0 };
  if (!LENGTH.test(length)) throw new MalformedAnswer("its Content-Length is invalid");
  return { state: "counted", length: Number(length) };
}
