// The YAML of a client configuration file while it is changed: comments, unknown fields and the form of everything else
// are kept.
import { randomUUID } from "node:crypto";
import type { Document, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { ConfigurationError } from "../connection/connection-settings";

type Yaml = typeof import("yaml");

/** A value of a field. Undefined members of objects are left out. */
export type FieldValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly FieldValue[]
  | { readonly [member: string]: FieldValue };

export type EntryList = "clusters" | "users" | "contexts";

const FIELD_OF = { clusters: "cluster", users: "user", contexts: "context" } as const;

export class EditedDocument {
  private readonly yaml: Yaml;
  private readonly document: Document;
  private readonly root: YAMLMap;

  /** @param text a valid configuration; "" creates one @param path path of the file, for messages */
  constructor(
    text: string,
    private readonly path: string,
  ) {
    this.yaml = require("yaml") as Yaml;
    // Without types, values that are not changed are written as they were read.
    this.document = this.yaml.parseDocument(text, { schema: "failsafe", prettyErrors: false });
    if (this.document.errors.length > 0) throw new ConfigurationError(`${path}: it cannot be changed: invalid YAML`);
    if (this.yaml.isMap(this.document.contents)) this.root = this.document.contents;
    else {
      this.root = this.made({ apiVersion: "v1", kind: "Config" }) as YAMLMap;
      this.document.contents = this.root;
    }
  }

  /** Sets fields of an entry. Undefined removes a field; other fields are kept. */
  set(list: EntryList, name: string, fields: Readonly<Record<string, FieldValue>>): void {
    const entry = this.entry(list, name);
    for (const [field, value] of Object.entries(fields)) this.setField(entry, [field], value);
  }

  /** Sets one field below an entry. Undefined removes it. */
  setAt(list: EntryList, name: string, path: readonly string[], value: FieldValue): void {
    this.setField(this.entry(list, name), path, value);
  }

  /** @returns false when there is no such entry */
  delete(list: EntryList, name: string): boolean {
    const items = this.items(list);
    const at = items?.items.findIndex((item) => nameIn(item) === name) ?? -1;
    if (at >= 0) items?.items.splice(at, 1);
    return at >= 0;
  }

  /** @returns false when there is no such entry */
  rename(list: EntryList, name: string, to: string): boolean {
    const item = this.items(list)?.items.find((each) => nameIn(each) === name);
    if (!this.yaml.isMap(item)) return false;
    item.set("name", this.scalar(to));
    return true;
  }

  /** Sets a field of the file. Undefined removes it. */
  setTop(field: string, value: FieldValue): void {
    this.setField(this.root, [field], value);
  }

  text(): string {
    return this.document.toString({ lineWidth: 0, indentSeq: false });
  }

  private items(list: EntryList): YAMLSeq | undefined {
    const found = this.root.get(list);
    return this.yaml.isSeq(found) ? found : undefined;
  }

  /** Returns the value of an entry, which is created if it is missing. */
  private entry(list: EntryList, name: string): YAMLMap {
    if (this.items(list) === undefined) this.setField(this.root, [list], []);
    const items = this.items(list) as YAMLSeq;
    if (items.items.length === 0) items.flow = false;
    const field = FIELD_OF[list];
    let item: unknown = items.items.find((each) => nameIn(each) === name);
    if (item === undefined) {
      item = this.made({ name, [field]: {} });
      items.items.push(item);
    }
    const found = this.yaml.isMap(item) ? item.get(field) : undefined;
    if (this.yaml.isMap(found)) {
      if (found.items.length === 0) found.flow = false;
      return found;
    }
    if (!this.yaml.isMap(item) || this.yaml.isAlias(found)) throw this.fixed(`${list}: ${name}`);
    item.set(field, this.made({}));
    return item.get(field) as YAMLMap;
  }

  private setField(map: YAMLMap, [field = "", ...rest]: readonly string[], value: FieldValue): void {
    if (rest.length > 0) {
      const below = map.get(field);
      if (this.yaml.isMap(below)) {
        this.setField(below, rest, value);
        return;
      }
      if (value === undefined) return;
      if (this.yaml.isAlias(below)) throw this.fixed(field);
      const made = this.made({}) as YAMLMap;
      map.set(field, made);
      this.setField(made, rest, value);
    } else if (value === undefined) map.delete(field);
    else {
      // The comment that precedes the value of a pair belongs to the pair.
      const pair = map.items.find((each) => keyOf(each) === field);
      if (pair === undefined) map.set(field, this.made(value));
      else pair.value = this.made(value);
    }
  }

  private fixed(where: string): ConfigurationError {
    return new ConfigurationError(`${this.path}: ${where} is written in a form that only an editor can change`);
  }

  private made(value: FieldValue): Scalar | YAMLMap | YAMLSeq {
    const { YAMLMap: NewMap, YAMLSeq: NewSeq, Pair: NewPair } = this.yaml;
    if (Array.isArray(value)) {
      const seq = new NewSeq();
      seq.items = (value as readonly FieldValue[]).map((each) => this.made(each));
      return seq;
    }
    if (typeof value === "object" && value !== null) {
      const map = new NewMap();
      for (const [member, each] of Object.entries(value as Readonly<Record<string, FieldValue>>)) {
        if (each !== undefined) map.items.push(new NewPair(this.scalar(member), this.made(each)));
      }
      return map;
    }
    if (typeof value === "string") return this.scalar(value);
    return this.plain(value === undefined || value === null ? "null" : String(value));
  }

  private scalar(text: string): Scalar {
    if (isPlain(text)) return this.plain(text);
    const scalar = new this.yaml.Scalar(text);
    scalar.type = "QUOTE_DOUBLE";
    return scalar;
  }

  private plain(text: string): Scalar {
    const scalar = new this.yaml.Scalar(text);
    scalar.type = "PLAIN";
    return scalar;
  }
}

/** Reports whether every version of YAML reads a text without quotes as this text. */
function isPlain(text: string): boolean {
  return (
    /^[A-Za-z/][\w./@+=-]*(?::(?=[\w/])[\w./@+=-]*)*$/.test(text) &&
    !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
  );
}

function nameIn(item: unknown): unknown {
  const { get } = (item ?? {}) as Partial<YAMLMap>;
  return typeof get === "function" ? (item as YAMLMap).get("name") : undefined;
}

function keyOf({ key }: Pair): unknown {
  return typeof key === "object" && key !== null && "value" in key ? (key as Scalar).value : key;
}

/** Returns a path for the draft of a file, in the same folder. */
export const draftOf = (path: string): string => `${path}.${randomUUID().slice(0, 8)}`;
