// What the words of a YAML text mean: what they do in version 1.1, and numbers also as version 1.2 writes them.
import { exactInteger, type JsonValue, wholeCharacters } from "@orch/schema";
import type { ScalarEvent, ScalarTagDefinition } from "js-yaml";

type Yaml = typeof import("js-yaml");

/** What a mapping begins with that takes in the members of another. */
const MERGE = "<<";

const STANDARD_TAG = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/;
/** `!` alone says that it is a text. */
const TEXT_TAGS: ReadonlySet<string> = new Set(["!", "str"]);

export class YamlScalars {
  private readonly source: string;
  private readonly yaml: Yaml;
  /** Of characters by their numbers, which may be none. */
  private readonly hasEscapes: boolean;
  /** In the order in which they are tried. */
  private readonly plain: readonly ScalarTagDefinition[];
  private readonly byName: ReadonlyMap<string, readonly ScalarTagDefinition[]>;

  constructor(source: string, yaml: Yaml) {
    this.source = source;
    this.yaml = yaml;
    this.hasEscapes = source.includes("\\u") || source.includes("\\U");
    const numbers = [yaml.intYaml11Tag, yaml.floatYaml11Tag, yaml.floatCoreTag];
    this.plain = [yaml.nullYaml11Tag, yaml.boolYaml11Tag, ...numbers, yaml.timestampTag];
    this.byName = new Map<string, readonly ScalarTagDefinition[]>([
      ["null", [yaml.nullYaml11Tag]],
      ["bool", [yaml.boolYaml11Tag]],
      ["int", numbers],
      ["float", numbers],
      ["timestamp", [yaml.timestampTag]],
      ["binary", [yaml.binaryTag]],
    ]);
  }

  /** Dates become texts, as JSON has none; bytes become the text that they are. */
  value(event: ScalarEvent): JsonValue {
    const text = this.textOf(event);
    const tag = this.tagOf(event);
    if (tag === undefined && event.style !== this.yaml.SCALAR_STYLE.PLAIN) return text;
    if (tag !== undefined && TEXT_TAGS.has(tag)) return text;
    // Tags of other people say nothing here.
    return this.resolved(text, tag === undefined ? this.plain : (this.byName.get(tag) ?? []), tag !== undefined);
  }

  isMerge(event: ScalarEvent): boolean {
    return (
      event.style === this.yaml.SCALAR_STYLE.PLAIN &&
      event.valueEnd - event.valueStart === MERGE.length &&
      this.source.startsWith(MERGE, event.valueStart)
    );
  }

  private textOf(event: ScalarEvent): string {
    const text = this.yaml.getScalarValue(this.source, event);
    return event.style === this.yaml.SCALAR_STYLE.DOUBLE_QUOTED && this.hasEscapes ? wholeCharacters(text) : text;
  }

  private tagOf({ tagStart, tagEnd }: ScalarEvent): string | undefined {
    if (tagStart < 0) return undefined;
    const tag = this.source.slice(tagStart, tagEnd);
    return STANDARD_TAG.exec(tag)?.[1] ?? tag;
  }

  private resolved(text: string, candidates: readonly ScalarTagDefinition[], isExplicit: boolean): JsonValue {
    const first = text.charAt(0);
    for (const { resolve, implicitFirstChars, tagName } of candidates) {
      if (!isExplicit && implicitFirstChars !== null && !implicitFirstChars.includes(first)) continue;
      const value: unknown = resolve(text, isExplicit, tagName);
      if (value !== this.yaml.NOT_RESOLVED) return jsonOf(value, text);
    }
    return text;
  }
}

/** @param text what it was made of */
function jsonOf(value: unknown, text: string): JsonValue {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer).toString();
  return typeof value === "number" && !Number.isSafeInteger(value) ? exactNumber(value, text) : (value as JsonValue);
}

const DECIMAL = /^[+-]?\d+$/;
const OTHER_BASE = /^([+-]?)(0[xob][\da-f]+)$/i;
/** Before version 1.2. */
const OCTAL = /^([+-]?)0([0-7]+)$/;

/** Integers with all their digits, however they are written. */
function exactNumber(value: number, text: string): number | bigint {
  // JSON has neither infinity nor what is no number.
  if (!Number.isFinite(value)) throw new Error(`${text.slice(0, SHOWN)} is no number that JSON has`);
  const digits = text.replaceAll("_", "");
  const octal = OCTAL.exec(digits);
  if (octal !== null) return signed(octal[1], BigInt(`0o${octal[2]}`));
  if (DECIMAL.test(digits)) return exactInteger(BigInt(digits.replace("+", "")).toString());
  const other = OTHER_BASE.exec(digits);
  return other === null ? value : signed(other[1], BigInt((other[2] ?? "").toLowerCase()));
}

const signed = (sign: string | undefined, value: bigint) => exactInteger(String(sign === "-" ? -value : value));

const SHOWN = 64;
