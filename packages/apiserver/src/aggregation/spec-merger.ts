// The published schema of this server with those of extension servers put into it: what this server says stands as it is, byte for byte, and the
// others' parts come after it. Source: facts, apiserver-hooks.md "Discovery and OpenAPI merging".
import { sameJson } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, MessageWriter } from "@orch/schema";
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
        sections.set(section, { end: next.value, local, added: new Map() });
      }
      await slices.breathe();
    }
    return new SpecMerger(bytes, sections, slices);
  }

  /** Of a path the first document decides; types that have one name and are not the same get another. */
  async add(spec: RemoteSpec): Promise<void> {
    const names = await this.newNames(spec);
    for (const section of SECTIONS) {
      const { local, added } = this.sections.get(section) ?? {};
      if (local === undefined || added === undefined) continue;
      for (const [name, text] of spec[section]) {
        const own = names.get(`${section}/${name}`) ?? name;
        if (!local.has(own) && !added.has(own))
          added.set(own, Buffer.from(JSON.stringify(mapReferences(parse(text), renamer(names)))));
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
    for (const { end, local, added } of [...this.sections.values()].sort((a, b) => a.end - b.end)) {
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

  /** To be put behind this server's own document: messages that are joined hold the members of all. */
  async protobuf(): Promise<readonly Buffer[]> {
    const writer = new MessageWriter("v2");
    const pieces: Buffer[] = [];
    for (const [section, { added }] of this.sections) {
      for (const [name, value] of added) {
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
  const key = Object.keys(value).find((each) => each.endsWith("-group-version-kind"));
  if (key === undefined || !Array.isArray(value[key]) || value[key].length < 2) return value;
  const { [key]: _kinds, ...rest } = value;
  return rest;
}

/** What the message has no place for cannot be shown in it. */
function written(writer: MessageWriter, section: SpecSection, name: string, value: JsonValue): Buffer | undefined {
  try {
    return isObject(value) ? writer.encode("Document", { [section]: { [name]: value } }) : undefined;
  } catch {
    return undefined;
  }
}
