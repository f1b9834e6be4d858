// Indented JSON for people: slower, rendered item by item, with pauses for other requests.
import { type JsonValue, readJson } from "@orch/schema";
import { indentedJson } from "./indented-json";
import type { JsonForm, ListOutline, ObjectForm, RenderInWorker } from "./object-form";
import type { PieceWriter } from "./piece-writer";

export function indentedForm(compact: JsonForm, elsewhere: RenderInWorker): ObjectForm {
  const { contentType, streamType } = compact;
  return {
    contentType,
    streamType,
    entry: (entry) => indented(compact.entry(entry)),
    object: (object) => indented(compact.object(object)),
    list: (result, out) => writeIndented(compact.outline(result), out, elsewhere),
    isCut: false,
    elsewhere,
    // Watch streams are for programs and have one event per line.
    prepare: (entries) => compact.prepare(entries),
    framer: () => compact.framer(),
    item: (entry) => itemText(compact.value(entry)),
  };
}

const itemText = (value: JsonValue): string => indentedJson(value, "    ");

function indented(json: Buffer): Buffer {
  return Buffer.from(`${indentedJson(readJson(json.toString()))}\n`);
}

async function writeIndented(
  { head, itemsName, entries, value }: ListOutline,
  out: PieceWriter,
  elsewhere: RenderInWorker,
): Promise<void> {
  const count = entries.length;
  out.text("{\n");
  for (const [name, value] of Object.entries(head))
    out.text(`  ${JSON.stringify(name)}: ${indentedJson(value, "  ")},\n`);
  out.text(`  ${JSON.stringify(itemsName)}: [`);
  for (const [at, entry] of entries.entries()) {
    const late = elsewhere("item", entry);
    const text = late === undefined ? itemText(value(entry)) : await late;
    out.text(`${at === 0 ? "" : ","}\n    ${text}`);
    if (out.isFull || out.yielder.isOver) await out.sendFull();
  }
  out.text(`${count === 0 ? "" : "\n  "}]\n}\n`);
}
