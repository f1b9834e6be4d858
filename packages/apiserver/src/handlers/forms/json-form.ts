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
    async list(result, out) {
      const head = Buffer.from(`${start}${JSON.stringify(listMetadata(result))},"items":[`);
      out.bytesInAll = head.length + (await itemsLength(result.entries, version, out.turns)) + TAIL.length;
      out.copy(head);
      await writeItems(result.entries, version, out);
      out.copy(TAIL);
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
