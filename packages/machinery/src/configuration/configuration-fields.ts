// The fields of a configuration file, read with their types; all that is wrong with them is collected, field and rule.
import { isObject, type JsonObject, memberOf, parseDuration } from "@orch/schema";
import * as field from "../errors/field-error";

/** Of one file: what is wrong with all of a thousand entries helps nobody. */
const LINES_MAX = 100;

export class ConfigurationFields {
  readonly lines: string[] = [];

  /** @param supported of `apiVersion`, the present one first */
  versioned(
    document: JsonObject,
    { kind, supported }: { readonly kind: string; readonly supported: readonly string[] },
  ) {
    const found = { apiVersion: memberOf(document, "apiVersion"), kind: memberOf(document, "kind") };
    if (!supported.includes(found.apiVersion as string))
      this.wrong(field.notSupported("apiVersion", found.apiVersion, supported));
    if (found.kind !== kind) this.wrong(field.notSupported("kind", found.kind, [kind]));
  }

  /** @throws Error for all that is wrong */
  end(): void {
    const [first, ...more] = this.lines;
    if (first !== undefined) throw new Error(more.length === 0 ? first : `[${this.lines.join(", ")}]`);
  }

  text(of: JsonObject, name: string, at: string): string {
    const value = memberOf(of, name) ?? "";
    if (typeof value === "string") return value;
    this.typed(childPath(at, name), "a string");
    return "";
  }

  /** @returns undefined where there is none, which is not what an empty one says */
  givenText(of: JsonObject, name: string, at: string): string | undefined {
    return (memberOf(of, name) ?? null) === null ? undefined : this.text(of, name, at);
  }

  boolean(of: JsonObject, name: string, at: string): boolean | undefined {
    const value = memberOf(of, name) ?? null;
    if (value === null || typeof value === "boolean") return value ?? undefined;
    this.typed(childPath(at, name), "true or false");
    return undefined;
  }

  integer(of: JsonObject, name: string, at: string): number | undefined {
    const value = memberOf(of, name) ?? null;
    if (value === null || Number.isSafeInteger(value)) return (value as number | null) ?? undefined;
    this.typed(childPath(at, name), "an integer");
    return undefined;
  }

  /** @returns milliseconds; `unasked` where there is none */
  durationMs(of: JsonObject, name: string, at: string, unasked: number): number {
    const value = memberOf(of, name) ?? null;
    if (value === null) return unasked;
    const nanos = typeof value === "string" ? parseDuration(value) : undefined;
    if (nanos === undefined) {
      this.wrong(field.invalid(childPath(at, name), value, "must be a duration, such as 30s"));
      return unasked;
    }
    return Number(nanos) / 1e6;
  }

  texts(of: JsonObject, name: string, at: string): readonly string[] {
    return this.items(of, name, at).map((item, index) => {
      if (typeof item === "string") return item;
      this.typed(`${childPath(at, name)}[${index}]`, "a string");
      return "";
    });
  }

  objects(of: JsonObject, name: string, at: string): readonly JsonObject[] {
    return this.items(of, name, at).map((item, index) => {
      if (isObject(item as JsonObject)) return item as JsonObject;
      this.typed(`${childPath(at, name)}[${index}]`, "an object");
      return {};
    });
  }

  object(of: JsonObject, name: string, at: string): JsonObject | undefined {
    const value = memberOf(of, name) ?? null;
    if (value === null) return undefined;
    if (isObject(value)) return value;
    this.typed(childPath(at, name), "an object");
    return undefined;
  }

  /** A word that means nothing may be one that was meant to restrict. */
  known(of: JsonObject, at: string, names: readonly string[]): void {
    for (const name of Object.keys(of)) {
      if (!names.includes(name)) this.line(`${childPath(at, name)}: unknown field`);
    }
  }

  wrong(error: field.FieldError): void {
    this.line(field.fieldErrorText(error));
  }

  private items(of: JsonObject, name: string, at: string): readonly unknown[] {
    const value = memberOf(of, name) ?? [];
    if (Array.isArray(value)) return value;
    this.typed(childPath(at, name), "a list");
    return [];
  }

  typed(path: string, expected: string): void {
    this.line(`${path}: Invalid value: must be ${expected}`);
  }

  private line(text: string): void {
    if (this.lines.length < LINES_MAX) this.lines.push(text);
  }
}

const childPath = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);
