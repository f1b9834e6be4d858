// Objects as they are, in JSON: the stored bytes, never parsed.
import { itemsLength, writeItems } from "@orch/registry";
import { encodeJson, type JsonValue } from "@orch/schema";
import { JSON_TYPE } from "../../http/answer";
import { type JsonForm, type ListAnswer, listMetadata, type Shown } from "./object-form";

const TAIL = Buffer.from("]}\n");

export function jsonForm({ definition, version }: Shown): JsonForm {
  const start = `{"kind":${JSON.stringify(definition.listKind)},"apiVersion":${JSON.stringify(version.apiVersion)},"metadata":`;
  return {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: (entry) => entry.json(version),
    object: (object) => Buffer.from(encodeJson(object)),
    list(result) {
      const head = Buffer.from(`${start}${JSON.stringify(listMetadata(result))},"items":[`);
      return {
        pieces: pieces(head, writeItems(result.entries, version)),
        bytes: () => head.length + itemsLength(result.entries, version) + TAIL.length,
      };
    },
    framer: () => (event) => event.frame(version),
    outline: (result: ListAnswer) => ({
      head: { kind: definition.listKind, apiVersion: version.apiVersion, metadata: listMetadata(result) },
      itemsName: "items",
      count: result.entries.length,
      item: (at) => JSON.parse(result.entries[at]?.item(version).toString() ?? "null") as JsonValue,
    }),
  };
}

function* pieces(head: Buffer, items: Iterable<Buffer>): Generator<Buffer> {
  yield head;
  yield* items;
  yield TAIL;
}
