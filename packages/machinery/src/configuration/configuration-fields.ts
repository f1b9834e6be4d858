// Reads the fields of a configuration file with their types, and collects all errors.
import { isObject, type JsonObject, memberOf, parseDuration } from "@orch/schema";
import * as field from "../errors/field-error";

/** Maximum number of errors reported per file. */
const LINES_MAX = 100;

export class ConfigurationFields {
  readonly lines: string[] = [];

  /**
   * Checks apiVersion and kind.
   * @param supported supported values of `apiVersion`, the current one first
   */
  versioned(
    document: JsonObject,
    { kind, supported }: { readonly kind: string; readonly supported: readonly string[] },
  ) {
    const found = { apiVersion: memberOf(document, "apiVersion"), kind: memberOf(document, "kind") };
    if (!supported.includes(found.apiVersion as string))
      this.wrong(field.notSupported("apiVersion", found.apiVersion, supported));
    if (found.kind !== kind) this.wrong(field.notSupported("kind", found.kind, [kind]));
  }

  /**
   * Ends the reading.
   * @throws Error that lists all errors found
   */
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

  /**
   * Returns a string field.
   * @returns undefined when the field is absent, which differs from an empty string
   */
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

  /** Returns a duration field in milliseconds, or `unasked` when it is absent. */
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

  /** Reports unknown fields, because a misspelt field may have been meant to restrict access. */
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
