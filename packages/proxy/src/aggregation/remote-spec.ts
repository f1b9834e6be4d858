// Reads the operations and types of the registered group version from the published schema of an aggregated API server.
// The rest is skipped: most such servers publish all that they know. The document is read in slices, and may be
// malformed.

import type { Slices } from "@orch/openapi";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { type Member, membersOf } from "./json-members";

export interface RemoteSpec {
  /** The required members by section; parsed and serialized again. */
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
  readonly parameters: ReadonlyMap<string, string>;
}

export type SpecSection = keyof RemoteSpec;

export const NO_SPEC: RemoteSpec = { paths: new Map(), definitions: new Map(), parameters: new Map() };

/** Maximum size of one member; parsing it takes a few milliseconds. */
const MEMBER_MAX_BYTES = 128 * 1024;
/** Maximum size of the kept part of a document. */
const KEPT_MAX_BYTES = 4 * 1024 * 1024;
const MEMBERS_MAX = 20_000;
const DEPTH_MAX = 64;

/**
 * @param bytes JSON of an OpenAPI v2 document
 * @param of the wanted group version
 * @throws Error for a document that cannot be read, or is too large
 */
export async function readRemoteSpec(
  bytes: Buffer,
  of: { readonly group: string; readonly version: string },
  slices: Slices,
): Promise<RemoteSpec> {
  const sections = new Map<string, ReadonlyMap<string, Buffer>>();
  for (const member of membersOf(bytes)) {
    const { name } = member;
    if (name === "paths" || name === "definitions" || name === "parameters") {
      sections.set(name, await sectionOf(bytes, member, slices));
    }
    await slices.breathe();
  }
  const reader = new SpecReader(sections, slices);
  const [root, group] = [`/apis/${of.group}/${of.version}`, of];
  for (const path of sections.get("paths")?.keys() ?? [])
    if (path.startsWith(`${root}/`)) await reader.take("paths", path);
  await reader.takeKindsOf(group);
  return reader.spec;
}

async function sectionOf(bytes: Buffer, section: Member, slices: Slices): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  const members = membersOf(bytes, section.start);
  let next = members.next();
  for (; next.done !== true; next = members.next()) {
    if (found.size === MEMBERS_MAX) throw new Error(`it has more than ${MEMBERS_MAX} members`);
    found.set(next.value.name, next.value.value);
    await slices.breathe();
  }
  section.endsAt(next.value + 1);
  return found;
}

class SpecReader {
  readonly spec = {
    paths: new Map<string, string>(),
    definitions: new Map<string, string>(),
    parameters: new Map<string, string>(),
  };
  private keptBytes = 0;

  constructor(
    private readonly sections: ReadonlyMap<string, ReadonlyMap<string, Buffer>>,
    private readonly slices: Slices,
  ) {}

  /** Takes a member with all that it refers to. */
  async take(section: SpecSection, name: string): Promise<void> {
    const due: [SpecSection, string][] = [[section, name]];
    for (let next = due.pop(); next !== undefined; next = due.pop()) {
      const [where, what] = next;
      const bytes = this.sections.get(where)?.get(what);
      if (bytes === undefined || this.spec[where].has(what)) continue;
      const value = parsed(bytes, what);
      const text = JSON.stringify(value);
      this.keptBytes += what.length + text.length;
      if (this.keptBytes > KEPT_MAX_BYTES) throw new Error(`more than ${KEPT_MAX_BYTES} bytes of it would be needed`);
      this.spec[where].set(what, text);
      mapReferences(value, (reference) => {
        due.push([reference.section, reference.name]);
        return reference.name;
      });
      await this.slices.breathe();
    }
  }

  /** Takes the kinds of the group version that no operation refers to, such as embedded types. */
  async takeKindsOf({ group, version }: { readonly group: string; readonly version: string }): Promise<void> {
    const [own, other] = [`"group":"${group}"`, `"version":"${version}"`];
    for (const [name, bytes] of this.sections.get("definitions") ?? []) {
      if (!this.spec.definitions.has(name) && bytes.includes("-group-version-kind") && bytes.includes(`"${group}"`)) {
        const text = JSON.stringify(parsed(bytes, name));
        // A kind that belongs to many group versions, such as DeleteOptions, does not belong to this one alone.
        if (text.includes(own) && text.includes(other) && text.split('"group":').length === 2)
          await this.take("definitions", name);
      }
      await this.slices.breathe();
    }
  }
}

function parsed(bytes: Buffer, name: string): JsonObject {
  if (bytes.length > MEMBER_MAX_BYTES) throw new Error(`${name.slice(0, 100)} has more than ${MEMBER_MAX_BYTES} bytes`);
  const value = JSON.parse(bytes.toString("utf8")) as JsonValue;
  if (!isObject(value)) throw new Error(`${name.slice(0, 100)} is not an object`);
  requireShallow(value, DEPTH_MAX);
  return value;
}

function requireShallow(value: JsonValue, depth: number): void {
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) throw new Error(`it is nested deeper than ${DEPTH_MAX} levels`);
  for (const each of Array.isArray(value) ? value : Object.values(value)) requireShallow(each as JsonValue, depth - 1);
}

export interface SpecReference {
  readonly section: "definitions" | "parameters";
  readonly name: string;
}

const REFERENCE = /^#\/(definitions|parameters)\/(.+)$/;

/** Renames all references in the value; returns the same object when no name changes. */
export function mapReferences(value: JsonValue, name: (reference: SpecReference) => string): JsonValue {
  if (Array.isArray(value)) return mapped(value, (each) => mapReferences(each, name));
  if (!isObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const [key, each] of Object.entries(value)) {
    const next =
      key === "$ref" && typeof each === "string" ? renamed(each, name) : mapReferences(each as JsonValue, name);
    if (next === each) continue;
    copy ??= { ...value };
    copy[key] = next;
  }
  return copy ?? value;
}

function mapped(values: JsonValue[], map: (value: JsonValue) => JsonValue): JsonValue[] {
  const next = values.map(map);
  return next.every((each, at) => each === values[at]) ? values : next;
}

function renamed(reference: string, name: (reference: SpecReference) => string): string {
  const [, section, of] = REFERENCE.exec(reference) ?? [];
  if (section === undefined || of === undefined) return reference;
  const next = name({ section: section as SpecReference["section"], name: of });
  return next === of ? reference : `#/${section}/${next}`;
}
