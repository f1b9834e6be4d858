// The published schema of this server with those of extension servers put into it: what this server says stands as it is, byte for byte, but for
// the kinds that its types stand for, and the others' parts come after it. Source: facts, apiserver-hooks.md "Discovery and OpenAPI merging".
import { sameJson } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type JsonValue, MessageWriter } from "@orch/schema";
import type { Slices } from "../openapi/slices";
import { membersOf } from "./json-members";
import { mapReferences, type RemoteSpec, type SpecReference, type SpecSection } from "./remote-spec";

const SECTIONS: readonly SpecSection[] = ["paths", "definitions", "parameters"];

interface Section {
  /** Of the closing brace of the local section. */
  readonly end: number;
  /** Where each local member is. */
  readonly local: ReadonlyMap<string, Buffer>;
  /** JSON. */
  readonly added: Map<string, Buffer>;
  /** Local members that stand for more kinds than this server's: JSON. */
  readonly widened: Map<string, Buffer>;
}

/** One document being merged. */
export class SpecMerger {
  private constructor(
    private readonly bytes: Buffer,
    private readonly sections: ReadonlyMap<SpecSection, Section>,
    private readonly slices: Slices,
  ) {}

  /** @param bytes JSON of this server's own document, of version 2 */
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

  /** Of a path the first document decides; types that have one name and are not the same get another. */
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

  /** By `section/name`. What refers to a type of another name is another type for that, so that one new name may bring about others. */
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

  /** To be put behind this server's own document: messages that are joined hold the members of all, and of two of one name the last counts. */
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

/** Which kinds there are of a type that all groups share, such as options of requests, depends on what else the server serves. */
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

/** @returns undefined where a type stands for all kinds already for which its like stands */
function withKindsOf(like: JsonObject, type: JsonObject): JsonObject | undefined {
  const theirs = sharedKinds(like);
  const own = sharedKinds(type);
  if (theirs === undefined || own === undefined) return undefined;
  const more = theirs.kinds.filter((kind) => !own.kinds.some((known) => sameJson(known, kind)));
  return more.length === 0 ? undefined : { ...type, [own.key]: [...own.kinds, ...more] };
}

/** What the message has no place for cannot be shown in it. */
function written(writer: MessageWriter, section: SpecSection, name: string, value: JsonValue): Buffer | undefined {
  try {
    return isObject(value) ? writer.encode("Document", { [section]: { [name]: value } }) : undefined;
  } catch {
    return undefined;
  }
}
