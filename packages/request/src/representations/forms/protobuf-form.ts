// Protobuf forms of objects and of partial metadata. Each object is encoded once for all readers, lists and watches.
import type { ServedVersion } from "@orch/machinery";
import type { Entry, WatchEvent } from "@orch/registry";
import { type JsonObject, type ProtobufForm, readJson, type Schema, watchFrameFront } from "@orch/schema";
import type { MetaVersion } from "../representation";
import {
  type FormContext,
  type ListAnswer,
  listMetadata,
  metadataListMetadata,
  type ObjectForm,
  prepareEach,
  type RenderInWorker,
} from "./object-form";
import type { PieceWriter } from "./piece-writer";
import { type EntryEncoder, writeJoined } from "./protobuf-list";

/** Whether objects of a version can be encoded in protobuf, which is offered only then. */
export const hasProtobuf = ({ type }: ServedVersion): boolean => type.protobuf !== undefined;

export interface ProtobufFormOptions {
  readonly schema: Schema;
  readonly contentType: string;
  /** When set, writes PartialObjectMetadata of this meta version instead of the whole object. */
  readonly metadata: { readonly version: MetaVersion } | undefined;
}

/** Requires a version with protobuf. */
export function protobufForm(
  shown: FormContext,
  { schema, contentType, metadata }: ProtobufFormOptions,
  elsewhere: RenderInWorker,
): ObjectForm {
  const written = metadata === undefined ? wholeObject(shown) : partialMetadata(schema, metadata.version);
  const { form } = written;
  const statuses = protobufOf(schema, "", "v1", "Status");
  const encoder = encoderOf(written);
  const entry = encoder.bytes;
  const prepareOne = (of: Entry) =>
    of.known(form) === undefined ? elsewhere("item", of)?.then((made) => void of.made(form, () => made)) : undefined;

  return {
    contentType,
    streamType: `${contentType};stream=watch`,
    entry,
    object: (object) => form.encode(written.ofObject(object)),
    list,
    isCut: false,
    elsewhere,
    prepare: (entries) => prepareEach(entries, prepareOne),
    item: entry,
    framer: () => (event) => event.madeFrame(form, () => frameOf(event)),
  };

  async function list(result: ListAnswer, out: PieceWriter): Promise<void> {
    const head = written.listHead(result);
    await prepareEach(result.entries, prepareOne);
    const { wholeList } = written;
    if (wholeList !== undefined) out.copy(wholeList.encode({ ...head, items: result.entries.map(written.of) }));
    else await writeJoined(out, result.entries, encoder, (itemsBytes) => form.listFront(head, itemsBytes));
  }

  function frameOf(event: WatchEvent): Buffer {
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return frame(event.type, entry(event.entry));
      case "BOOKMARK": {
        const { resourceVersion, annotations } = event;
        const metadata = { resourceVersion: String(resourceVersion), annotations: { ...annotations } };
        return frame(event.type, form.encode(written.ofObject({ metadata })));
      }
      case "ERROR":
        return frame(event.type, statuses.encode(event.status as JsonObject));
    }
  }
}

function encoderOf({ form, of }: Written): EntryEncoder {
  let count = 0;
  const encode = (entry: Entry): Buffer => {
    count += 1;
    return form.encode(of(entry));
  };
  return {
    bytes: (entry) => entry.made(form, encode),
    get count() {
      return count;
    },
  };
}

function frame(type: WatchEvent["type"], object: Buffer): Buffer {
  return Buffer.concat([watchFrameFront(type, object.length), object]);
}

/** The conversion before encoding, and the encoding. */
interface Written {
  /** Encoder of one version of one kind; the cache key of encoded entries. */
  readonly form: ProtobufForm;
  of(entry: Entry): JsonObject;
  ofObject(object: JsonObject): JsonObject;
  /** A list without its items. */
  listHead(result: ListAnswer): JsonObject;
  /** Encoder of lists that cannot be concatenated from encoded items. */
  readonly wholeList?: ProtobufForm;
}

function wholeObject({ definition, version }: FormContext): Written {
  const { kind, apiVersion, type } = version;
  if (type.protobuf === undefined) throw new Error(`${kind} of ${apiVersion} has no protobuf form`);
  const inVersion = (object: JsonObject): JsonObject => ({ ...object, kind, apiVersion });
  return {
    form: type.protobuf,
    of: (entry) => {
      const stored = entry.object();
      return version === definition.storage ? stored : inVersion(version.fromStorage?.(stored) ?? stored);
    },
    ofObject: inVersion,
    listHead: (result) => ({ kind: definition.listKind, apiVersion, metadata: listMetadata(result) }),
  };
}

function partialMetadata(schema: Schema, version: MetaVersion): Written {
  const kind = "PartialObjectMetadata";
  const { meta } = schema.vocabulary.groups;
  const apiVersion = `${meta}/${version}`;
  const only = (metadata: JsonObject): JsonObject => ({ kind, apiVersion, metadata });
  return {
    form: protobufOf(schema, meta, version, kind),
    of: (entry) => only(readJson(entry.metadataJson().toString()) as JsonObject),
    ofObject: ({ metadata }) => only((metadata ?? {}) as JsonObject),
    listHead: (result) => ({
      kind: `${kind}List`,
      apiVersion,
      metadata: metadataListMetadata(result),
    }),
    // In this list kind the items are field 1, not 2.
    ...(version === "v1beta1" ? { wholeList: protobufOf(schema, meta, version, `${kind}List`) } : {}),
  };
}

function protobufOf(schema: Schema, group: string, version: string, kind: string): ProtobufForm {
  const form = schema.objectType(group, version, kind)?.protobuf;
  if (form === undefined) throw new Error(`${kind} has no protobuf form`);
  return form;
}
