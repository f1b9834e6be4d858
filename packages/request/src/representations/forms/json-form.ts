// JSON form of objects: the stored bytes unchanged; parsed only when a version differs from the stored one.

import { JSON_TYPE } from "@orch/http-server";
import { type Entry, itemsLength, writeItems } from "@orch/registry";
import { encodeJson, readJson } from "@orch/schema";
import {
  type FormContext,
  type JsonForm,
  type ListAnswer,
  listMetadata,
  prepareEach,
  type RenderInWorker,
} from "./object-form";

const TAIL = Buffer.from("]}\n");

export function jsonForm({ definition, version }: FormContext, elsewhere: RenderInWorker): JsonForm {
  const start = `{"kind":${JSON.stringify(definition.listKind)},"apiVersion":${JSON.stringify(version.apiVersion)},"metadata":`;
  // Objects with the same shape in all versions are sent as stored.
  const { storage } = definition;
  const converts = version !== storage && (version.fromStorage !== undefined || storage.fromStorage !== undefined);
  const late = (entry: Entry) =>
    entry.known(version) === undefined
      ? elsewhere("item", entry)?.then((made) => void entry.made(version, () => made))
      : undefined;
  const prepare = (entries: readonly Entry[]) => (converts ? prepareEach(entries, late) : undefined);
  const value = (entry: Entry) => readJson(entry.item(version).toString());
  return {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: (entry) => entry.json(version),
    object: (object) => Buffer.from(encodeJson(object)),
    isCut: !converts,
    elsewhere,
    prepare,
    item: (entry) => entry.json(version),
    async list(result, out) {
      await prepare(result.entries);
      const head = Buffer.from(`${start}${JSON.stringify(listMetadata(result))},"items":[`);
      out.bytesInAll = head.length + (await itemsLength(result.entries, version, out.yielder)) + TAIL.length;
      out.copy(head);
      await writeItems(result.entries, version, out);
      out.copy(TAIL);
    },
    framer: () => (event) => event.frame(version),
    outline: (result: ListAnswer) => ({
      head: { kind: definition.listKind, apiVersion: version.apiVersion, metadata: listMetadata(result) },
      itemsName: "items",
      entries: result.entries,
      value,
    }),
    value,
  };
}
