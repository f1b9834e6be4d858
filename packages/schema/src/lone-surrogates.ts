// Half of a pair of code units stands for no character. JSON and YAML can say one by an escape, and no form can carry it: written as UTF-8 it
// becomes another character, so that an object would differ from one representation to the next. It is read as what the field's servers
// read there: the character that replaces what is none.
import type { JsonObject, JsonValue } from "./json";
import { setMember } from "./json-member";

const REPLACEMENT = "\ufffd";
/** With this flag a whole pair is one character, which it does not match. */
const LONE = /[\ud800-\udfff]/gu;

export const wholeCharacters = (text: string): string => text.replace(LONE, REPLACEMENT);

/** Whether a text of JSON may say one: hardly any does. */
export const mayBreakCharacters = (text: string): boolean =>
  text.includes("\\u") && (text.includes("\\ud") || text.includes("\\uD"));

/** @param value changed in place where that is enough */
export function withWholeCharacters(value: JsonValue): JsonValue {
  if (typeof value === "string") return wholeCharacters(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) if (mayHold(item)) value[at] = withWholeCharacters(item);
    return value;
  }
  const object = value as JsonObject;
  const keys = Object.keys(object);
  if (keys.every((key) => wholeCharacters(key) === key)) {
    for (const key of keys) {
      const member = object[key] as JsonValue;
      if (mayHold(member)) setMember(object, key, withWholeCharacters(member));
    }
    return object;
  }
  const renamed: JsonObject = {};
  for (const key of keys) setMember(renamed, wholeCharacters(key), withWholeCharacters(object[key] as JsonValue));
  return renamed;
}

const mayHold = (value: JsonValue): boolean => typeof value === "string" || typeof value === "object";
