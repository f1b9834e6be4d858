// Shard selectors: the objects whose hashed UID or namespace lies in a range. Several clients divide a resource among them
// in this way. Source: KEP-5866; staging/src/k8s.io/apiserver/pkg/sharding/parser.go.

/** Metadata fields whose hash selects the shard, by their names in a selector. */
const FIELDS = { "object.metadata.uid": "uid", "object.metadata.namespace": "namespace" } as const;

export interface ShardSelector {
  /** The metadata field that is hashed. */
  readonly field: (typeof FIELDS)[keyof typeof FIELDS];
  /** The selector in its canonical form, as lists repeat it. */
  readonly text: string;
  matches(value: string): boolean;
}

/** Error of a selector that cannot be parsed; the message names the rule. */
export class ShardSelectorError extends Error {
  override readonly name = "ShardSelectorError";
}

interface ShardRange {
  readonly path: keyof typeof FIELDS;
  readonly start: string;
  readonly end: string;
}

/** Maximum number of ranges: each is compared with each object. */
const RANGES_MAX = 256;

/** @throws ShardSelectorError */
export function parseShardSelector(text: string): ShardSelector {
  const [first, ...others] = new Reader(text).ranges();
  if (first === undefined) throw new ShardSelectorError("empty shard selector is not allowed; omit the parameter");
  for (const { path } of others) {
    if (path !== first.path)
      throw new ShardSelectorError(`all shard ranges must use the same field, got "${first.path}" and "${path}"`);
  }
  const ranges = [first, ...others];
  const bounds = ranges.map(({ start, end }) => ({ start: boundOf(start), end: boundOf(end) }));
  return {
    field: FIELDS[first.path],
    text: ranges.map(({ path, start, end }) => `shardRange(${path}, '${start}', '${end}')`).join(" || "),
    matches(value) {
      const hash = fnv64(value);
      return bounds.some(({ start, end }) => !isLess(hash, start) && isLess(hash, end));
    },
  };
}

/** A 64-bit number in two halves, because a bigint costs several times as much. The bound 2^64 has a third part. */
interface Wide {
  readonly beyond: number;
  readonly high: number;
  readonly low: number;
}

function isLess(one: Wide, two: Wide): boolean {
  if (one.beyond !== two.beyond) return one.beyond < two.beyond;
  return one.high === two.high ? one.low < two.low : one.high < two.high;
}

/** @param hex `0x` and 16 or 17 digits */
function boundOf(hex: string): Wide {
  const digits = hex.slice(2).padStart(17, "0");
  return {
    beyond: Number.parseInt(digits.slice(0, 1), 16),
    high: Number.parseInt(digits.slice(1, 9), 16),
    low: Number.parseInt(digits.slice(9), 16),
  };
}

const OFFSET_HIGH = 0xcbf29ce4;
const OFFSET_LOW = 0x84222325;
/** The FNV prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;
const PRIME_SHIFT = 40 - 32;
const TWO_32 = 2 ** 32;

/** FNV-1a hash of a text's UTF-8 bytes. Source: RFC 9923. */
function fnv64(text: string): Wide {
  let high = OFFSET_HIGH;
  let low = OFFSET_LOW;
  const bytes = Buffer.from(text);
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    const carry = Math.floor(product / TWO_32);
    high = (Math.imul(high, PRIME_LOW) + carry + (low << PRIME_SHIFT)) >>> 0;
    low = product >>> 0;
  }
  return { beyond: 0, high, low };
}

/** Tokens of the selector, a small part of CEL: names, strings and punctuation. */
const TOKEN =
  /\s*(?:([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)|'([^'\\\n]*)'|"([^"\\\n]*)"|(\|\||[(),])|$)/y;

type Token =
  | { readonly is: "name" | "string" | "sign"; readonly text: string }
  | { readonly is: "end"; readonly text: "the end" };

class Reader {
  private at = 0;
  private token: Token;

  constructor(private readonly text: string) {
    this.token = this.next();
  }

  ranges(): ShardRange[] {
    const found: ShardRange[] = [];
    if (this.isAtEnd()) return found;
    for (;;) {
      if (found.length >= RANGES_MAX) throw new ShardSelectorError(`a shard selector may have ${RANGES_MAX} ranges`);
      found.push(this.range());
      if (this.isAtEnd()) return found;
      this.take("||");
    }
  }

  private isAtEnd(): boolean {
    return this.token.is === "end";
  }

  private range(): ShardRange {
    const { is, text } = this.token;
    if (is !== "name") throw new ShardSelectorError(`expected shardRange(), got ${shown(this.token)}`);
    if (text !== "shardRange")
      throw new ShardSelectorError(`unsupported function ${shown(this.token)}; only shardRange() and || are allowed`);
    this.token = this.next();
    this.take("(");
    const path = this.path();
    this.take(",");
    const start = this.bound("hexStart");
    this.take(",");
    const end = this.bound("hexEnd");
    this.take(")");
    if (!isLess(boundOf(start), boundOf(end)))
      throw new ShardSelectorError(`shard range start ${start} must be less than end ${end}`);
    return { path, start, end };
  }

  private path(): keyof typeof FIELDS {
    const { token } = this;
    if (token.is !== "name") throw new ShardSelectorError(`expected a field path, got ${shown(token)}`);
    if (!Object.hasOwn(FIELDS, token.text))
      throw new ShardSelectorError(
        `unsupported field path ${shown(token)}; supported: ${Object.keys(FIELDS).join(", ")}`,
      );
    this.token = this.next();
    return token.text as keyof typeof FIELDS;
  }

  private bound(name: string): string {
    const { token } = this;
    if (token.is !== "string")
      throw new ShardSelectorError(`${name} must be a string literal (e.g. '0x00000000000000ff'), got ${shown(token)}`);
    if (!/^0x([0-9a-f]{16}|10{16})$/.test(token.text))
      throw new ShardSelectorError(
        `${name} must be '0x' and 16 hexadecimal digits in lower case, or '0x10000000000000000', got ${shown(token)}`,
      );
    this.token = this.next();
    return token.text;
  }

  private take(sign: string): void {
    if (this.token.is !== "sign" || this.token.text !== sign)
      throw new ShardSelectorError(`expected ${sign}, got ${shown(this.token)}`);
    this.token = this.next();
  }

  private next(): Token {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (found === null) throw new ShardSelectorError(`unexpected character at position ${this.at}`);
    this.at = TOKEN.lastIndex;
    const [, name, single, double, sign] = found;
    const string = single ?? double;
    if (name !== undefined) return { is: "name", text: name };
    if (string !== undefined) return { is: "string", text: string };
    if (sign !== undefined) return { is: "sign", text: sign };
    return { is: "end", text: "the end" };
  }
}

const SHOWN_MAX = 64;

function shown({ is, text }: Token): string {
  if (is === "end") return text;
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
}
