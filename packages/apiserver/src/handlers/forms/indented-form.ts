// JSON for people: slower, an item at a time, with pauses for the other requests.
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
  return Buffer.from(`${JSON.stringify(JSON.parse(json.toString()), undefined, 2)}\n`);
}

export const ITEMS_BETWEEN_PAUSES = 100;

async function writeIndented({ head, itemsName, count, item }: ListOutline, out: PieceWriter): Promise<void> {
  out.text("{\n");
  for (const [name, value] of Object.entries(head)) out.text(`  ${JSON.stringify(name)}: ${below(value, "  ")},\n`);
  out.text(`  ${JSON.stringify(itemsName)}: [`);
  for (let at = 0; at < count; at += 1) {
    out.text(`${at === 0 ? "" : ","}\n    ${below(item(at), "    ")}`);
    if (at % ITEMS_BETWEEN_PAUSES === ITEMS_BETWEEN_PAUSES - 1) {
      await out.sendFull();
      await new Promise(setImmediate);
    }
  }
  out.text(`${count === 0 ? "" : "\n  "}]\n}\n`);
}

const below = (value: unknown, indent: string): string =>
  JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
