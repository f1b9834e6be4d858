// Converts the scalar events of a YAML text to JSON values and keys.
import type { ScalarEvent } from "js-yaml";
import { isInt64 } from "../json/exact-json";
import type { JsonValue } from "../json/json-value";
import { replaceLoneSurrogates } from "../json/lone-surrogates";
import { isTimestamp, type ResolvedScalar, resolveScalar, type ScalarTag } from "./resolved-scalar";
import { YamlError, yamlPlace } from "./yaml-error";

type Yaml = typeof import("js-yaml");

/** Merge key of YAML. */
const MERGE = "<<";

const STANDARD_TAG = /^(?:!!|!<tag:yaml\.org,2002:)([a-z]+)>?$/;

export class YamlScalars {
  private readonly source: string;
  private readonly yaml: Yaml;
  /** Whether the text contains Unicode escape sequences, which may be lone surrogates. */
  private readonly hasEscapes: boolean;

  constructor(source: string, yaml: Yaml) {
    this.source = source;
    this.yaml = yaml;
    this.hasEscapes = source.includes("\\u") || source.includes("\\U");
  }

  /**
   * Returns a value.
   * @throws YamlError for a number that JSON does not have, and for a text that does not match its tag
   */
  value(event: ScalarEvent): JsonValue {
    const { value } = this.resolved(event);
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw this.errorAt("a number is infinite or not a number, which JSON does not allow", event.valueStart);
    }
    return value;
  }

  /** Returns a key, the text of its value. @throws YamlError for null, and for an integer beyond signed 64 bits */
  key(event: ScalarEvent): string {
    const { tag, value } = this.resolved(event);
    if (tag === "null") throw this.errorAt("a key may not be null", event.valueStart);
    if (tag === "int" && !isInt64(value)) {
      throw this.errorAt("a key may not be an integer of more than 64 bits; quote it", event.valueStart);
    }
    return typeof value === "number" && !Number.isFinite(value) ? this.textOf(event) : String(value);
  }

  isMerge(event: ScalarEvent): boolean {
    const tag = this.tagOf(event);
    const isPlain = event.style === this.yaml.SCALAR_STYLE.PLAIN;
    return (
      (tag === undefined ? isPlain : tag === "merge") &&
      event.valueEnd - event.valueStart === MERGE.length &&
      this.source.startsWith(MERGE, event.valueStart)
    );
  }

  errorAt(why: string, offset: number): YamlError {
    return new YamlError(why, offset < 0 ? undefined : yamlPlace(this.source, offset));
  }

  private resolved(event: ScalarEvent): ResolvedScalar {
    const text = this.textOf(event);
    const tag = this.tagOf(event);
    if (tag === undefined) {
      return event.style === this.yaml.SCALAR_STYLE.PLAIN ? resolveScalar(text) : { tag: "str", value: text };
    }
    switch (tag) {
      case "null":
      case "bool":
      case "int":
      case "float":
      case "timestamp":
      case "binary": {
        const tagged = taggedScalar(tag, text);
        if (tagged === undefined) throw this.errorAt(`the tag !!${tag} does not allow this value`, event.tagStart);
        return tagged;
      }
      default:
        // `!` and `!!str` request a string; any other tag has no meaning here.
        return { tag: "str", value: text };
    }
  }

  private textOf(event: ScalarEvent): string {
    const text = this.yaml.getScalarValue(this.source, event);
    return event.style === this.yaml.SCALAR_STYLE.DOUBLE_QUOTED && this.hasEscapes ? replaceLoneSurrogates(text) : text;
  }

  private tagOf({ tagStart, tagEnd }: ScalarEvent): string | undefined {
    if (tagStart < 0) return undefined;
    const tag = this.source.slice(tagStart, tagEnd);
    return STANDARD_TAG.exec(tag)?.[1] ?? tag;
  }
}

function taggedScalar(tag: Exclude<ScalarTag, "str">, text: string): ResolvedScalar | undefined {
  if (tag === "binary") return binaryText(text);
  if (tag === "timestamp") return isTimestamp(text) ? { tag, value: text } : undefined;
  const resolved = resolveScalar(text);
  return resolved.tag === tag || (tag === "float" && resolved.tag === "int") ? resolved : undefined;
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/;

/** Returns the bytes as a string, because JSON has no bytes. */
function binaryText(text: string): ResolvedScalar | undefined {
  const digits = text.replaceAll("\n", "");
  const padding = digits.endsWith("==") ? 2 : digits.endsWith("=") ? 1 : 0;
  if (digits.length % 4 !== 0 || NOT_BASE64.test(digits.slice(0, digits.length - padding))) return undefined;
  return { tag: "binary", value: Buffer.from(digits, "base64").toString() };
}
