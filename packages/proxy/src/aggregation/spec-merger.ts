// Merges the schemas of aggregated API servers into the published schema of this server. The part of this server stays
// as it is, byte for byte, except for the kinds of shared types; the other parts follow it. Source: KEP-2896 (OpenAPI
// v3) and Kubernetes documentation, "The Kubernetes API", "OpenAPI interface definition".
import { sameJson } from "@orch/machinery";
import type { Slices } from "@orch/openapi";
import { isObject, type JsonArray, type JsonObject, type JsonValue, MessageWriter } from "@orch/schema";
import { membersOf } from "./json-members";
import { mapReferences, type RemoteSpec, type SpecReference, type SpecSection } from "./remote-spec";

const SECTIONS: readonly SpecSection[] = ["paths", "definitions", "parameters"];

interface Section {
  /** Offset of the closing brace of the local section. */
  readonly end: number;
  /** Local members by name. */
  readonly local: ReadonlyMap<string, Buffer>;
  /** Added members, as JSON. */
  readonly added: Map<string, Buffer>;
  /** Local members that stand for more kinds than this server's, as JSON. */
  readonly widened: Map<string, Buffer>;
}

/** One document being merged. */
export class SpecMerger {
  private constructor(
    private readonly bytes: Buffer,
    private readonly sections: ReadonlyMap<SpecSection, Section>,
    private readonly slices: Slices,
  ) {}

  /** @param bytes JSON of this server's own OpenAPI v2 document */
  static async of(bytes: Buffer, slices: Slices): Promise<SpecMerger> {
    const sections = new Map<SpecSection, Section>();
    for (const member of membersOf(bytes)) {
      const section = SECTIONS.find((each) => each === member.name);
      if (section !== undefined) {
        const local = new Map<string, Buffer>();
        const members = membersOf(bytes, member.start);
        let next = members.next();
        for (; next.done !== true; next = members.next()) {
          local.set(next.value.name, next.value.value);
          await slices.breathe();
        }
        member.endsAt(next.value + 1);
        sections.set(section, { end: next.value, local, added: new Map(), widened: new Map() });
      }
      await slices.breathe();
    }
    return new SpecMerger(bytes, sections, slices);
  }

  /** The first document that defines a path wins. Different types of the same name are renamed. */
  async add(spec: RemoteSpec): Promise<void> {
    const names = await this.newNames(spec);
    for (const section of SECTIONS) {
      const into = this.sections.get(section);
      if (into === undefined) continue;
      for (const [name, text] of spec[section]) {
        const own = names.get(`${section}/${name}`) ?? name;
        const known = into.added.get(own) ?? into.widened.get(own) ?? into.local.get(own);
        if (known === undefined)
          into.added.set(own, Buffer.from(JSON.stringify(mapReferences(parse(text), renamer(names)))));
        else if (section === "definitions") {
          const wider = withKindsOf(parse(text), parse(known.toString("utf8")));
          if (wider !== undefined)
            (into.local.has(own) ? into.widened : into.added).set(own, Buffer.from(JSON.stringify(wider)));
        }
        await this.slices.breathe();
      }
    }
  }

  /**
   * New names by `section/name`. A type that refers to a renamed type is a different type too, so that one new name may
   * cause others.
   */
  private async newNames(spec: RemoteSpec): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (let round = 0, hasChanged = true; hasChanged && round < ROUNDS_MAX; round += 1) {
      hasChanged = false;
      for (const section of ["definitions", "parameters"] as const) {
        for (const [name, text] of spec[section]) {
          const key = `${section}/${name}`;
          const value = mapReferences(parse(text), renamer(names)) as JsonObject;
          const before = names.get(key) ?? name;
          let own = before;
          for (let number = 2; !this.isFree(section, own, value); number += 1) own = `${name}_v${number}`;
          if (own !== before) {
            names.set(key, own);
            hasChanged = true;
          }
          await this.slices.breathe();
        }
      }
    }
    return names;
  }

  private isFree(section: "definitions" | "parameters", name: string, value: JsonObject): boolean {
    const { local, added } = this.sections.get(section) ?? {};
    const bytes = local?.get(name) ?? added?.get(name);
    return bytes === undefined || sameJson(withoutKinds(parse(bytes.toString("utf8"))), withoutKinds(value));
  }

  *json(): Generator<Buffer> {
    let at = 0;
    for (const { end, local, added, widened } of [...this.sections.values()].sort((a, b) => a.end - b.end)) {
      for (const [name, bytes] of local) {
        const wider = widened.get(name);
        if (wider === undefined) continue;
        const from = bytes.byteOffset - this.bytes.byteOffset;
        yield this.bytes.subarray(at, from);
        yield wider;
        at = from + bytes.length;
      }
      yield this.bytes.subarray(at, end);
      at = end;
      let isFirst = local.size === 0;
      for (const [name, value] of added) {
        yield Buffer.from(`${isFirst ? "" : ","}${JSON.stringify(name)}:`);
        yield value;
        isFirst = false;
      }
    }
    yield this.bytes.subarray(at);
  }

  /**
   * Parts that follow this server's own document: concatenated protobuf messages are merged, and the last of two
   * members of one name wins.
   */
  async protobuf(): Promise<readonly Buffer[]> {
    const writer = new MessageWriter("v2");
    const pieces: Buffer[] = [];
    for (const [section, { added, widened }] of this.sections) {
      for (const [name, value] of [...widened, ...added]) {
        const piece = written(writer, section, name, parse(value.toString("utf8")));
        if (piece !== undefined) pieces.push(piece);
        await this.slices.breathe();
      }
    }
    return pieces;
  }
}

const ROUNDS_MAX = 16;

const renamer =
  (names: ReadonlyMap<string, string>) =>
  ({ section, name }: SpecReference): string =>
    names.get(`${section}/${name}`) ?? name;

const parse = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** Removes the kinds from a shared type, such as DeleteOptions: they depend on the groups that a server serves. */
function withoutKinds(value: JsonObject): JsonObject {
  const shared = sharedKinds(value);
  if (shared === undefined) return value;
  const { [shared.key]: _kinds, ...rest } = value;
  return rest;
}

function sharedKinds(value: JsonObject): { readonly key: string; readonly kinds: JsonArray } | undefined {
  const key = Object.keys(value).find((each) => each.endsWith("-group-version-kind"));
  const kinds = key === undefined ? undefined : value[key];
  return key === undefined || !Array.isArray(kinds) || kinds.length < 2 ? undefined : { key, kinds };
}

/** @returns undefined when the type already stands for all kinds of the other one */
function withKindsOf(like: JsonObject, type: JsonObject): JsonObject | undefined {
  const theirs = sharedKinds(like);
  const own = sharedKinds(type);
  if (theirs === undefined || own === undefined) return undefined;
  const more = theirs.kinds.filter((kind) => !own.kinds.some((known) => sameJson(known, kind)));
  return more.length === 0 ? undefined : { ...type, [own.key]: [...own.kinds, ...more] };
}

/** Members that the protobuf message cannot express are left out. */
function written(writer: MessageWriter, section: SpecSection, name: string, value: JsonValue): Buffer | undefined {
  try {
    return isObject(value) ? writer.encode("Document", { [section]: { [name]: value } }) : undefined;
  } catch {
    return undefined;
  }
}
