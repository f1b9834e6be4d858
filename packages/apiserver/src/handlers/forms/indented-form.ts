// JSON for people: slower, an item at a time, with pauses for the other requests.
import type { JsonValue } from "@orch/schema";
import { indentedJson } from "./indented-json";
import type { JsonForm, ListOutline, ObjectForm } from "./object-form";
import type { PieceWriter } from "./piece-writer";

export function indentedForm(compact: JsonForm): ObjectForm {
  const { contentType, streamType } = compact;
  return {
    contentType,
    streamType,
    entry: (entry) => indented(compact.entry(entry)),
    object: (object) => indented(compact.object(object)),
    list: (result, out) => writeIndented(compact.outline(result), out),
    // A stream is for programs: a line an event.
    framer: () => compact.framer(),
  };
}

function indented(json: Buffer): Buffer {
  return Buffer.from(`${indentedJson(JSON.parse(json.toString()) as JsonValue)}\n`);
}

async function writeIndented({ head, itemsName, count, item }: ListOutline, out: PieceWriter): Promise<void> {
  out.text("{\n");
  for (const [name, value] of Object.entries(head))
    out.text(`  ${JSON.stringify(name)}: ${indentedJson(value, "  ")},\n`);
  out.text(`  ${JSON.stringify(itemsName)}: [`);
  for (let at = 0; at < count; at += 1) {
    out.text(`${at === 0 ? "" : ","}\n    ${indentedJson(item(at), "    ")}`);
    if (out.isFull || out.turns.isOver) await out.sendFull();
  }
  out.text(`${count === 0 ? "" : "\n  "}]\n}\n`);
}
