// Reads the top-level members of one line of the log, in pieces, without the bodies of the request and the response: an
// event may have megabytes of them. Only strings, braces and brackets are told apart; JSON.parse decides whether the
// rest is JSON.

/** Members that are passed over. */
const BODIES: ReadonlySet<string> = new Set(["requestObject", "responseObject"]);
/** Maximum size of an event without its bodies. The head of a request, which most of it comes from, is smaller. */
const EVENT_MAX_BYTES = 256 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

export class EventMembers {
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** Whether the present member is a body. */
  private isBody = false;
  /** Whether the name of the present member is known. */
  private isNamed = false;
  /** Pieces of the finished members, and of the present one. */
  private readonly finished: Buffer[] = [];
  private present: Buffer[] = [];
  private bytes = 0;
  /** Whether the line is no event: too large, or not one object. */
  private isWrong = false;
  private isClosed = false;

  /** Takes the next piece of the line. */
  take(piece: Buffer): void {
    if (this.isWrong) return;
    let from = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] as number;
      if (this.inString) {
        if (this.isEscaped) this.isEscaped = false;
        else if (byte === BACKSLASH) this.isEscaped = true;
        else if (byte === QUOTE) this.inString = false;
        continue;
      }
      if (this.depth === 0 && !isSpace(byte)) {
        if (this.isClosed || byte !== OPEN_BRACE) this.refuse();
        if (this.isWrong) return;
      }
      switch (byte) {
        case QUOTE:
          this.inString = true;
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.depth += 1;
          if (this.depth === 1) from = at + 1;
          break;
        case COLON:
          if (this.depth === 1 && !this.isNamed) {
            this.keep(piece.subarray(from, at));
            from = at;
            this.name();
          }
          break;
        case COMMA:
          if (this.depth === 1) {
            this.keep(piece.subarray(from, at));
            from = at + 1;
            this.finish();
          }
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (this.depth === 1) {
            this.keep(piece.subarray(from, at));
            from = at + 1;
            this.finish();
            this.isClosed = byte === CLOSE_BRACE;
            if (!this.isClosed) this.refuse();
          }
          this.depth -= 1;
          break;
      }
    }
    this.keep(piece.subarray(from));
  }

  /** Returns the event as JSON without its bodies; undefined when it is too large or the line is not one object. */
  text(): string | undefined {
    if (this.isWrong || !this.isClosed) return undefined;
    return `{${Buffer.concat(this.finished).toString()}}`;
  }

  private name(): void {
    this.isNamed = true;
    const name = Buffer.concat(this.present).toString().trim();
    this.isBody = BODIES.has(name.slice(1, -1));
    if (this.isBody) this.present = [];
  }

  private finish(): void {
    if (!this.isBody) {
      if (this.finished.length > 0) this.finished.push(Buffer.from(","));
      this.finished.push(...this.present);
    }
    this.present = [];
    this.isBody = false;
    this.isNamed = false;
  }

  private keep(part: Buffer): void {
    if (this.isBody || this.isWrong || this.depth === 0 || part.length === 0) return;
    this.bytes += part.length;
    if (this.bytes > EVENT_MAX_BYTES) this.refuse();
    else this.present.push(part);
  }

  private refuse(): void {
    this.isWrong = true;
    this.present = [];
    this.finished.length = 0;
  }
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;
