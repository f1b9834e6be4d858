// Serializes values for messages that show client input. Only the shown start of a long value is serialized.
import { type JsonValue, writeJson } from "@orch/schema";

const SHOWN_MAX_CHARACTERS = 1024;

/**
 * Returns a string as it is, and any other value as JSON, both limited in length. Used instead of `String(value)` for
 * client input: an object may contain a `toString` member that is not a function.
 */
export function jsonText(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return jsonStart(value, SHOWN_MAX_CHARACTERS);
  return value.length <= SHOWN_MAX_CHARACTERS ? value : `${value.slice(0, SHOWN_MAX_CHARACTERS)}...`;
}

/**
 * Returns the start of the JSON text.
 * @param maxCharacters maximum length; a longer text is cut and ends with `...`
 * @returns `null` for undefined
 */
export function jsonStart(value: unknown, maxCharacters: number): string {
  const start = new JsonStart(maxCharacters);
  start.value((value ?? null) as JsonValue);
  const { text } = start;
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}...`;
}

class JsonStart {
  text = "";

  constructor(private readonly max: number) {}

  value(value: JsonValue): void {
    if (typeof value === "string") this.text += JSON.stringify(value.slice(0, this.max + 1));
    else if (typeof value !== "object" || value === null) this.text += value === undefined ? "null" : writeJson(value);
    else if (Array.isArray(value)) this.items(value);
    else this.members(value);
  }

  private get isFull(): boolean {
    return this.text.length > this.max;
  }

  private items(items: readonly JsonValue[]): void {
    this.text += "[";
    for (let at = 0; at < items.length && !this.isFull; at += 1) {
      if (at > 0) this.text += ",";
      this.value(items[at] as JsonValue);
    }
    this.text += "]";
  }

  private members(object: { readonly [name: string]: JsonValue }): void {
    this.text += "{";
    let first = true;
    for (const name in object) {
      if (this.isFull) break;
      const value = object[name];
      if (value === undefined) continue;
      if (!first) this.text += ",";
      first = false;
      this.text += `${JSON.stringify(name.slice(0, this.max + 1))}:`;
      this.value(value);
    }
    this.text += "}";
  }
}
