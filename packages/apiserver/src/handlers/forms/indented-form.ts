// JSON for people: slower, an item at a time, with pauses for the other requests.
import type { JsonForm, ListOutline, ObjectForm } from "./object-form";

export function indentedForm(compact: JsonForm): ObjectForm {
  const { contentType, streamType } = compact;
  return {
    contentType,
    streamType,
    entry: (entry) => indented(compact.entry(entry)),
    object: (object) => indented(compact.object(object)),
    list: (result) => ({ pieces: indentedPieces(compact.outline(result)) }),
    // A stream is for programs: a line an event.
    framer: () => compact.framer(),
  };
}

function indented(json: Buffer): Buffer {
  return Buffer.from(`${JSON.stringify(JSON.parse(json.toString()), undefined, 2)}\n`);
}

export const ITEMS_BETWEEN_PAUSES = 100;

async function* indentedPieces({ head, itemsName, count, item }: ListOutline): AsyncGenerator<Buffer> {
  let text = "{\n";
  for (const [name, value] of Object.entries(head)) text += `  ${JSON.stringify(name)}: ${below(value, "  ")},\n`;
  text += `  ${JSON.stringify(itemsName)}: [`;
  for (let at = 0; at < count; at += 1) {
    text += `${at === 0 ? "" : ","}\n    ${below(item(at), "    ")}`;
    if (at % ITEMS_BETWEEN_PAUSES === ITEMS_BETWEEN_PAUSES - 1) {
      yield Buffer.from(text);
      text = "";
      await new Promise(setImmediate);
    }
  }
  yield Buffer.from(`${text}${count === 0 ? "" : "\n  "}]\n}\n`);
}

const below = (value: unknown, indent: string): string =>
  JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${indent}`);
