// Only the requested fields of each object: query parameter fields. Source: docs/lists.md.

import { JSON_TYPE } from "@orch/http-server";
import type { FieldTree } from "@orch/machinery";
import { type Entry, Projection, writeEach } from "@orch/registry";
import { encodeJson, readJson } from "@orch/schema";
import { type FormContext, HERE, type JsonForm, listMetadata } from "./object-form";

/** Bytes of objects that may be read before the turn's time is checked. */
const BYTES_BETWEEN_LOOKS = 256 * 1024;
const TAIL = "]}\n";

/** @param whole form of the whole objects of the route */
export function projectedForm({ definition, version }: FormContext, whole: JsonForm, fields: FieldTree): JsonForm {
  const projection = new Projection(fields);
  const start = `{"kind":${JSON.stringify(definition.listKind)},"apiVersion":${JSON.stringify(version.apiVersion)},"metadata":`;
  const value = (entry: Entry) => readJson(projection.item(entry, version).toString());
  return {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: (entry) => Buffer.from(projection.object(entry, version)),
    object: (object) => Buffer.from(encodeJson(projection.ofValue(object))),
    isCut: false,
    elsewhere: HERE,
    prepare: (entries) => whole.prepare(entries),
    item: (entry) => Buffer.from(projection.item(entry, version)),
    async list(result, out) {
      const { entries } = result;
      await whole.prepare(entries);
      out.text(`${start}${JSON.stringify(listMetadata(result))},"items":[`);
      let read = 0;
      const sink = {
        get isFull() {
          return out.isFull || read >= BYTES_BETWEEN_LOOKS;
        },
        sendFull() {
          read = 0;
          return out.sendFull();
        },
      };
      await writeEach(entries.length, sink, (at) => {
        const entry = entries[at] as Entry;
        if (at > 0) out.byte(COMMA);
        out.copy(projection.item(entry, version));
        read += projection.bytesOf(entry, version);
      });
      out.text(TAIL);
    },
    framer() {
      throw new Error("a watch does not select fields");
    },
    outline: (result) => ({
      head: { kind: definition.listKind, apiVersion: version.apiVersion, metadata: listMetadata(result) },
      itemsName: "items",
      entries: result.entries,
      value,
    }),
    value,
  };
}

const COMMA = 0x2c;
