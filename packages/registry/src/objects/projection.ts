// A part of the fields of objects, copied from their JSON without parsing it. What precedes the last selected member is
// passed over byte by byte; what follows it is not touched. The positions of the members of an object are kept with it,
// so that the next request need not pass over a long spec again.

import type { FieldTree, ServedVersion } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, readJson, writeJson } from "@orch/schema";
import type { Entry } from "../contract/operations";
import { endOfRest, endOfString, endOfValue } from "./member-scan";
import { headOf, sameShape } from "./resource-form";
import type { StoredEntry } from "./stored-entry";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The members of an object that are selected. */
interface Node {
  readonly whole: boolean;
  /** JSON of the member names, each byte as one unit. */
  readonly names: readonly string[];
  readonly nodes: readonly Node[];
  /** The nodes by name, when there are too many to compare each of them. */
  readonly byName: ReadonlyMap<string, Node> | undefined;
  readonly items: Node | undefined;
}

const COMPARED_MAX = 4;

export class Projection {
  private readonly tree: FieldTree;
  private readonly root: Node;
  /** Whether only metadata is selected, which comes first. */
  private readonly isOfMetadata: boolean;
  private out = Buffer.allocUnsafe(FIRST_BYTES);
  /** Number of written bytes. */
  private at = 0;

  /** @param tree the selected fields; the identity of each object is always added to them */
  constructor(tree: FieldTree) {
    this.tree = withIdentity(tree);
    this.root = nodeOf(this.tree);
    this.isOfMetadata = this.tree.members.size === 1;
  }

  /**
   * Returns the part of an entry in the form of list items.
   * @returns bytes that are valid until the next call
   */
  item(entry: Entry, version: ServedVersion): Buffer {
    const stored = entry as StoredEntry;
    return this.part(stored, stored.itemHead(version), version);
  }

  /** Returns the part of an entry as an answer of its own, with kind and apiVersion. See `item`. */
  object(entry: Entry, version: ServedVersion): Buffer {
    const stored = entry as StoredEntry;
    return this.part(stored, headOf(version), version);
  }

  /** Returns the part of an object that is not stored. */
  ofValue({ kind, apiVersion, ...object }: JsonObject): JsonObject {
    const part = partOf(object, this.tree) as JsonObject;
    return { ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }), ...part };
  }

  /** Number of bytes that `item` and `object` may read. */
  bytesOf(entry: Entry, version: ServedVersion): number {
    return (entry as StoredEntry).itemSource(version).length;
  }

  private part(entry: StoredEntry, head: Buffer, version: ServedVersion): Buffer {
    const json = entry.itemSource(version);
    const start = entry.itemStart(version);
    if (this.out.length < head.length + json.length) this.out = Buffer.allocUnsafe(head.length + json.length);
    head.copy(this.out);
    this.at = head.length;
    const places = this.isOfMetadata || !sameShape(entry.form, version) ? undefined : placesOf(entry, json, start);
    const isCopied =
      places === undefined ? this.members(json, start, this.root, false) !== NOT_COMPACT : this.placed(json, places);
    if (!isCopied) return this.parsed(head, json, start);
    if (this.out[this.at - 1] === COMMA) this.at -= 1;
    this.out[this.at++] = CLOSE_BRACE;
    return this.out.subarray(0, this.at);
  }

  /** Writes the selected members of an object whose members have known positions. @returns false: not compact */
  private placed(json: Buffer, places: Places): boolean {
    for (let at = 0; at < places.length; at += 2) {
      const start = places[at] as number;
      const value = places[at + 1] as number;
      const selected = findNode(this.root, json, start, value - 1);
      if (selected === undefined) continue;
      if (this.member(json, { start, value }, selected, false) === NOT_COMPACT) return false;
    }
    return true;
  }

  /** JSON that another program has stored with spaces. */
  private parsed(head: Buffer, json: Buffer, start: number): Buffer {
    const object = readJson(`{${json.toString("utf8", start)}`);
    return Buffer.concat([head, Buffer.from(writeJson(partOf(object, this.tree) ?? {})).subarray(1)]);
  }

  /**
   * Writes the selected members of an object.
   * @param start position after its `{`
   * @param needsEnd whether the result must be a position
   * @returns the position before its `}` or behind the last selected member, or NOT_COMPACT
   */
  private members(json: Buffer, start: number, node: Node, needsEnd: boolean): number {
    let left = node.names.length;
    let position = start;
    while (json[position] === QUOTE) {
      const keyEnd = endOfString(json, position);
      if (json[keyEnd] !== COLON || (json[keyEnd + 1] as number) <= SPACE) return NOT_COMPACT;
      const selected = findNode(node, json, position, keyEnd);
      if (selected === undefined) position = endOfValue(json, keyEnd + 1);
      else {
        position = this.member(json, { start: position, value: keyEnd + 1 }, selected, needsEnd || left > 1);
        left -= 1;
        if (position === NOT_COMPACT || left === 0) return position;
      }
      if (json[position] !== COMMA) break;
      position += 1;
    }
    return json[position] === CLOSE_BRACE ? position : NOT_COMPACT;
  }

  /**
   * Writes a member with the selected part of its value, if there is one.
   * @returns the end of the value, if it is needed; or NOT_COMPACT
   */
  private member(json: Buffer, { start, value }: MemberPlace, node: Node, needsEnd: boolean): number {
    if (node.whole) {
      const end = endOfValue(json, value);
      this.separate();
      this.copy(json, start, end);
      return end;
    }
    const before = this.at;
    this.separate();
    this.copy(json, start, value);
    const end = this.value(json, value, node, needsEnd);
    if (end === NOT_COMPACT) return end;
    if (this.isEmptySince(before, value - start)) this.at = before;
    return end;
  }

  /** Whether nothing but a name and empty brackets was written. */
  private isEmptySince(before: number, nameBytes: number): boolean {
    const { out, at } = this;
    const bytes = at - before - nameBytes;
    if (bytes <= 1) return true;
    return bytes <= 3 && (out[at - 2] === OPEN_BRACE || out[at - 2] === OPEN_BRACKET);
  }

  private value(json: Buffer, start: number, node: Node, needsEnd: boolean): number {
    if (json[start] === OPEN_BRACE && node.names.length > 0) {
      this.out[this.at++] = OPEN_BRACE;
      const end = this.members(json, start + 1, node, needsEnd);
      this.out[this.at++] = CLOSE_BRACE;
      return needsEnd && end !== NOT_COMPACT ? endOfRest(json, end, 1) : end;
    }
    if (json[start] === OPEN_BRACKET && node.items !== undefined) return this.list(json, start, node.items);
    return needsEnd ? endOfValue(json, start) : start;
  }

  /** Writes the selected part of each item: an empty object for an item that has none. */
  private list(json: Buffer, start: number, node: Node): number {
    this.out[this.at++] = OPEN_BRACKET;
    let position = start + 1;
    while (json[position] !== CLOSE_BRACKET) {
      if ((json[position] as number) <= SPACE) return NOT_COMPACT;
      const from = position;
      this.separate();
      const before = this.at;
      if (node.whole) {
        position = endOfValue(json, from);
        this.copy(json, from, position);
      } else position = this.value(json, from, node, true);
      if (position === NOT_COMPACT) return position;
      if (this.at === before) {
        this.out[this.at++] = OPEN_BRACE;
        this.out[this.at++] = CLOSE_BRACE;
      }
      if (json[position] === COMMA) position += 1;
      else if (json[position] !== CLOSE_BRACKET) return NOT_COMPACT;
    }
    this.out[this.at++] = CLOSE_BRACKET;
    return position + 1;
  }

  /** Writes a comma, unless an object or a list has just begun, or a head that ends with one. */
  private separate(): void {
    const last = this.out[this.at - 1];
    if (last !== OPEN_BRACE && last !== OPEN_BRACKET && last !== COMMA) this.out[this.at++] = COMMA;
  }

  private copy(json: Buffer, start: number, end: number): void {
    const { out } = this;
    let { at } = this;
    if (end - start > LOOP_MAX) at += json.copy(out, at, start, end);
    else for (let index = start; index < end; index += 1) out[at++] = json[index] as number;
    this.at = at;
  }
}

interface MemberPlace {
  readonly start: number;
  readonly value: number;
}

/** Positions of the members of an object: the start of each, and the start of its value. */
type Places = readonly number[];

/** Key of the positions among the derived values of an entry. */
const PLACES = {};
/** Objects with more members keep no positions. */
const PLACES_MAX = 16;

/** @returns undefined for JSON that is not compact, and for objects with very many members */
function placesOf(entry: StoredEntry, json: Buffer, start: number): Places | undefined {
  return entry.made<Places | null>(PLACES, () => findPlaces(json, start)) ?? undefined;
}

function findPlaces(json: Buffer, start: number): Places | null {
  const places: number[] = [];
  for (let position = start; json[position] === QUOTE && places.length < 2 * PLACES_MAX; position += 1) {
    const keyEnd = endOfString(json, position);
    if (json[keyEnd] !== COLON || (json[keyEnd + 1] as number) <= SPACE) return null;
    places.push(position, keyEnd + 1);
    position = endOfValue(json, keyEnd + 1);
    // A copy is as long as its content.
    if (position === json.length - 1 && json[position] === CLOSE_BRACE) return places.slice();
    if (json[position] !== COMMA) return null;
  }
  return null;
}

const FIRST_BYTES = 8192;
const NOT_COMPACT = -1;
/** Copying fewer bytes one by one takes less time than a call. */
const LOOP_MAX = 64;

function findNode({ names, nodes, byName }: Node, json: Buffer, start: number, end: number): Node | undefined {
  if (byName !== undefined) return byName.get(json.toString("latin1", start, end));
  for (let at = 0; at < names.length; at += 1) if (isSame(json, start, end, names[at] as string)) return nodes[at];
  return undefined;
}

function isSame(json: Buffer, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let at = 0; at < name.length; at += 1) if (json[start + at] !== name.charCodeAt(at)) return false;
  return true;
}

function nodeOf({ whole, members, items }: FieldTree): Node {
  const names = [...members.keys()].map((name) => Buffer.from(JSON.stringify(name)).toString("latin1"));
  const nodes = [...members.values()].map(nodeOf);
  return {
    whole,
    names,
    nodes,
    byName: names.length > COMPARED_MAX ? new Map(names.map((name, at) => [name, nodes[at] as Node])) : undefined,
    items: items && nodeOf(items),
  };
}

const LEAF: FieldTree = { whole: true, members: new Map(), items: undefined };
/** Members of the metadata that every answer has: clients identify and compare objects by them. */
const IDENTITY = new Map(["name", "namespace", "uid", "resourceVersion"].map((name) => [name, LEAF]));

function withIdentity(tree: FieldTree): FieldTree {
  const metadata = tree.members.get("metadata");
  if (metadata?.whole === true) return tree;
  const members = new Map(
    [...IDENTITY, ...(metadata?.members ?? [])].map(([name]) => [name, memberOf(metadata, name)]),
  );
  return { ...tree, members: new Map([...tree.members, ["metadata", { whole: false, members, items: undefined }]]) };
}

const memberOf = (metadata: FieldTree | undefined, name: string): FieldTree =>
  IDENTITY.get(name) ?? (metadata?.members.get(name) as FieldTree);

/** @returns undefined when the value has no selected part */
function partOf(value: JsonValue, { whole, members, items }: FieldTree): JsonValue | undefined {
  if (whole) return value;
  if (Array.isArray(value))
    return items && value.length > 0 ? value.map((item) => partOf(item, items) ?? {}) : undefined;
  if (!isObject(value)) return undefined;
  const part: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const tree = members.get(name);
    const selected = tree && member !== undefined ? partOf(member, tree) : undefined;
    if (selected !== undefined) part[name] = selected;
  }
  return Object.keys(part).length === 0 ? undefined : part;
}
