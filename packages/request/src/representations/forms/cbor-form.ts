// CBOR, translated from the JSON form item by item, with pauses for other requests. Source: KEP-4222.

import { bufferOf } from "@orch/platform";
import type { WatchEvent } from "@orch/registry";
import { cborDocument, cborHead, encodeCbor, type JsonValue, readJson, SELF_DESCRIBED } from "@orch/schema";
import type { JsonForm, ListOutline, ObjectForm, RenderInWorker } from "./object-form";
import type { PieceWriter } from "./piece-writer";

/** Content types of CBOR. Source: RFC 8949, section 9.3; RFC 8742, section 6. */
export const CBOR_TYPE = "application/cbor";
export const CBOR_SEQUENCE_TYPE = "application/cbor-seq";

export function cborForm(compact: JsonForm, elsewhere: RenderInWorker): ObjectForm {
  const form: ObjectForm = {
    contentType: CBOR_TYPE,
    streamType: CBOR_SEQUENCE_TYPE,
    entry: (entry) => translated(compact.entry(entry)),
    object: (object) => translated(compact.object(object)),
    list: (result, out) => writeList(compact.outline(result), out, elsewhere),
    isCut: false,
    elsewhere,
    prepare: (entries) => compact.prepare(entries),
    framer() {
      const frame = compact.framer();
      return (event: WatchEvent) => translated(frame(event));
    },
    item: (entry) => encodeCbor(compact.value(entry)),
  };
  return form;
}

const translated = (json: Buffer): Buffer => cborDocument(readJson(json.toString()));

async function writeList(
  { head, itemsName, entries, value }: ListOutline,
  out: PieceWriter,
  elsewhere: RenderInWorker,
): Promise<void> {
  const members = Object.entries(head);
  out.copy(SELF_DESCRIBED);
  out.copy(cborHead("map", members.length + 1));
  for (const member of members) for (const part of member) out.copy(encodeCbor(part as JsonValue));
  out.copy(encodeCbor(itemsName));
  out.copy(cborHead("array", entries.length));
  for (const entry of entries) {
    const late = elsewhere("item", entry);
    out.copy(late === undefined ? encodeCbor(value(entry)) : bufferOf((await late) as Uint8Array));
    if (out.isFull || out.yielder.isOver) await out.sendFull();
  }
}
