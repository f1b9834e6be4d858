import { expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import type { ServedVersion } from "@orch/machinery";
import { type Entry, EventLoopYielder, type WatchEvent } from "@orch/registry";
import { type JsonObject, loadSchema, readEnvelope, vocabularyOf } from "@orch/schema";
import { HERE, type ObjectForm } from "./object-form";
import { PiecePool, PieceWriter } from "./piece-writer";
import { protobufForm } from "./protobuf-form";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const definition = builtInResources(vocabulary, schema).find(({ plural }) => plural === "configmaps");
if (definition === undefined) throw new Error("there are no config maps");
const version = definition.storage;
const form = protobufForm(
  { definition, version, columns: undefined },
  { schema, contentType: vocabulary.mediaTypes.protobuf, metadata: undefined },
  HERE,
);

/** An entry that counts its parses. */
function entryOf(name: string): Entry & { parsed: number } {
  const made = new Map<object, unknown>();
  const entry = {
    parsed: 0,
    object(): JsonObject {
      entry.parsed += 1;
      return { kind: "ConfigMap", apiVersion: "v1", metadata: { name }, data: { text: name.repeat(100_000) } };
    },
    known: (key: object) => made.get(key),
    made<T>(key: object, make: (of: Entry) => T): T {
      if (!made.has(key)) made.set(key, make(entry as unknown as Entry));
      return made.get(key) as T;
    },
  };
  return entry as unknown as Entry & { parsed: number };
}

async function listed(of: ObjectForm, entries: readonly Entry[]): Promise<JsonObject> {
  const result = { resourceVersion: 7, entries, continueToken: "", remainingItemCount: undefined, chunked: false };
  const pieces: Buffer[] = [];
  const out = new PieceWriter(
    new PiecePool(),
    async (piece) => {
      pieces.push(Buffer.from(piece));
    },
    new EventLoopYielder(),
  );
  await of.list(result, out);
  await out.end();
  const bytes = Buffer.concat(pieces);
  expect(out.bytesInAll).toBe(bytes.length);
  return decoded(bytes);
}

function decoded(bytes: Buffer): JsonObject {
  const envelope = readEnvelope(bytes);
  const type = schema.objectType("", envelope.apiVersion, envelope.kind);
  return type?.protobuf?.decode(envelope) ?? {};
}

test("a list of many pieces holds every item in order, each encoded once for all lists and readers", async () => {
  const entries = Array.from({ length: 120 }, (_, index) => entryOf(`n${index}`));
  const names = entries.map((_, index) => ({ metadata: { name: `n${index}` } }));
  expect(await listed(form, entries)).toMatchObject({
    kind: "ConfigMapList",
    metadata: { resourceVersion: "7" },
    items: names,
  });
  expect(await listed(form, entries.toReversed())).toMatchObject({ items: names.toReversed() });
  expect(decoded(form.entry(entries[3] as Entry))).toMatchObject({ metadata: { name: "n3" } });
  expect(entries.map(({ parsed }) => parsed)).toEqual(entries.map(() => 1));
});

test("a version that is not stored is converted", () => {
  const older: ServedVersion = {
    ...version,
    apiVersion: "example/v1",
    type: version.type,
    fromStorage: (object) => ({ ...object, data: { converted: "yes" } }),
  };
  const converting = protobufForm(
    { definition, version: older, columns: undefined },
    { schema, contentType: "", metadata: undefined },
    HERE,
  );
  const envelope = readEnvelope(converting.entry(entryOf("a")));
  expect(envelope).toMatchObject({ apiVersion: "example/v1", kind: "ConfigMap" });
  expect(version.type.protobuf?.decode(envelope)).toMatchObject({ data: { converted: "yes" } });
});

test.each<[string, Partial<WatchEvent>, JsonObject]>([
  [
    "a failure as a Status",
    { type: "ERROR", status: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" } },
    { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired" },
  ],
  [
    "a bookmark as an object with a resource version and its annotations",
    { type: "BOOKMARK", resourceVersion: 12, annotations: { a: "true" } },
    { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "12", annotations: { a: "true" } } },
  ],
])("a watch frames %s", (_what, parts, object) => {
  const event = { ...parts, madeFrame: (_key: object, make: () => Buffer) => make() } as unknown as WatchEvent;
  const frame = form.framer()(event);
  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(decoded(frame.subarray(frame.indexOf(Buffer.from("6b387300", "hex"))))).toMatchObject(object);
});
