// The built-in schema. Its parts are loaded on demand.
import { type Descriptions, loadDescriptions } from "../descriptor/descriptions";
import { type FileRecord, readRecord } from "../descriptor/descriptor-record";
import { TypeLoader } from "../descriptor/type-loader";
import { wireFields } from "../descriptor/wire-message";
import { DESCRIPTOR } from "../generated/descriptor";
import { groupName, onceForRelease, type Vocabulary } from "../vocabulary/vocabulary";
import { BuiltInObjectType } from "./object-type";
import { ProtobufForms } from "./protobuf-forms";
import type { GroupVersionSchema, ObjectType, Schema } from "./schema";

/**
 * Loads the schema once per vocabulary and release in this process.
 * @param release fields newer than it are read, kept and shown only in objects where they are set; absent: the newest
 * release
 */
export const loadSchema: (vocabulary: Vocabulary, release?: string) => Schema = onceForRelease(load);

function load(vocabulary: Vocabulary, release: string | undefined): Schema {
  const known = new Map<string, FileRecord>();
  const records = (file: string): FileRecord | undefined => {
    let record = known.get(file);
    const text = DESCRIPTOR[file];
    if (record === undefined && text !== undefined) {
      record = readRecord(text, vocabulary);
      known.set(file, record);
    }
    return record;
  };
  return new LoadedSchema(vocabulary, records, release);
}

const META = "meta/v1";
/** Kinds of meta/v1 that belong to no resource, and exist in every group version. */
const SHARED_KINDS: ReadonlySet<string> = new Set([
  "ApplyOptions",
  "CreateOptions",
  "DeleteOptions",
  "ExportOptions",
  "GetOptions",
  "ListOptions",
  "PatchOptions",
  "UpdateOptions",
  "WatchEvent",
]);
/** Kinds of meta/v1 that the core group also publishes. */
const CORE_META_KINDS: ReadonlySet<string> = new Set([
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "List",
  "Status",
]);

class LoadedSchema implements Schema {
  readonly vocabulary: Vocabulary;
  private readonly records: (file: string) => FileRecord | undefined;
  private readonly types: TypeLoader;
  private readonly protobuf: ProtobufForms;
  private readonly objectTypes = new Map<string, ObjectType>();
  /** Group version as in apiVersion → file of the record. */
  private readonly fileOf = new Map<string, string>();
  private descriptions: Descriptions | undefined;
  private madeVersions: readonly GroupVersionSchema[] | undefined;

  constructor(vocabulary: Vocabulary, records: (file: string) => FileRecord | undefined, release: string | undefined) {
    this.vocabulary = vocabulary;
    this.records = records;
    this.types = new TypeLoader(records, release);
    this.protobuf = new ProtobufForms(records, (apiVersion, kind) => {
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      return this.objectType(group, version, kind);
    });
    for (const [file, text] of Object.entries(DESCRIPTOR)) {
      // The group comes first in the text: only it is read here, and the rest at the first use.
      const group = /^\{"group":"([^"]+)","version":"([^"]+)"/.exec(text);
      if (group !== null) this.fileOf.set(`${groupName(vocabulary, group[1] ?? "")}/${group[2]}`, file);
    }
  }

  objectType(group: string, version: string, kind: string): ObjectType | undefined {
    const key = `${group}/${version}/${kind}`;
    let objectType = this.objectTypes.get(key);
    if (objectType === undefined) {
      objectType = this.makeObjectType(this.fileOf.get(`${group}/${version}`), kind);
      if (objectType !== undefined) this.objectTypes.set(key, objectType);
    }
    return objectType;
  }

  private makeObjectType(file: string | undefined, kind: string): ObjectType | undefined {
    const isShared = SHARED_KINDS.has(kind) || (file === "core/v1" && CORE_META_KINDS.has(kind));
    const own = file === undefined ? undefined : this.types.type(`${file}.${kind}`);
    const type = own ?? (isShared ? this.types.type(`${META}.${kind}`) : undefined);
    return type?.kind === "struct" && (type.isRoot || kind === "WatchEvent")
      ? new BuiltInObjectType(kind, type, this.protobuf)
      : undefined;
  }

  type(id: string, name: string) {
    return this.types.type(`${id}.${name}`);
  }

  wireFields(id: string, name: string) {
    return wireFields(this.records, `${id}.${name}`);
  }

  typeNames(id: string): readonly string[] {
    return Object.keys(this.records(id)?.types ?? {});
  }

  description(id: string, type: string, field?: string): string | undefined {
    this.descriptions ??= loadDescriptions(this.vocabulary, this.records);
    return this.descriptions.of(id, type, field);
  }

  get groupVersions(): readonly GroupVersionSchema[] {
    this.madeVersions ??= [...this.fileOf.values()].map((id) => this.groupVersion(id));
    return this.madeVersions;
  }

  private groupVersion(id: string): GroupVersionSchema {
    const { group = "", version = "", since, until, types = {} } = this.records(id) ?? {};
    return {
      id,
      group: groupName(this.vocabulary, group),
      version,
      kinds: Object.keys(types).filter((name) => types[name]?.root === true),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
  }
}
