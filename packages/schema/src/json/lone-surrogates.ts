// Handling of lone surrogates. JSON and YAML can write one by an escape sequence, but UTF-8 cannot encode it, so an
// object would differ between representations. It is replaced by U+FFFD, as kube-apiserver does.
import { type JsonObject, type JsonValue, setMember } from "./json-value";

const REPLACEMENT = "\ufffd";
/** With the flag u, a surrogate pair is one character and does not match. */
const LONE = /[\ud800-\udfff]/gu;

export const replaceLoneSurrogates = (text: string): string => text.replace(LONE, REPLACEMENT);

/** Reports whether a JSON text may contain a lone surrogate: few do. */
export const mayBreakCharacters = (text: string): boolean =>
  text.includes("\\u") && (text.includes("\\ud") || text.includes("\\uD"));

/** Replaces lone surrogates. @param value changed in place when possible */
export function withWholeCharacters(value: JsonValue): JsonValue {
  if (typeof value === "string") return replaceLoneSurrogates(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) if (mayHold(item)) value[at] = withWholeCharacters(item);
    return value;
  }
  const object = value as JsonObject;
  const keys = Object.keys(object);
  if (keys.every((key) => replaceLoneSurrogates(key) === key)) {
    for (const key of keys) {
      const member = object[key] as JsonValue;
      if (mayHold(member)) setMember(object, key, withWholeCharacters(member));
    }
    return object;
  }
  const renamed: JsonObject = {};
  for (const key of keys) setMember(renamed, replaceLoneSurrogates(key), withWholeCharacters(object[key] as JsonValue));
  return renamed;
}

const mayHold = (value: JsonValue): boolean => typeof value === "string" || typeof value === "object";
