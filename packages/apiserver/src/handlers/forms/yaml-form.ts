// What is written in JSON, in YAML: for people, an item at a time, with pauses for the other requests.
import { type JsonValue, yamlItems, yamlText } from "@orch/schema";
import { ITEMS_BETWEEN_PAUSES } from "./indented-form";
import type { JsonForm, ListOutline, ObjectForm } from "./object-form";
import type { PieceWriter } from "./piece-writer";

export function yamlForm(compact: JsonForm, contentType: string): ObjectForm {
  return {
    contentType,
    streamType: contentType,
    entry: (entry) => asYaml(compact.entry(entry)),
    object: (object) => asYaml(compact.object(object)),
    list: (result, out) => writeYaml(compact.outline(result), out),
    framer() {
      throw new Error("a watch has no form in YAML");
    },
  };
}

const asYaml = (json: Buffer): Buffer => Buffer.from(yamlText(JSON.parse(json.toString()) as JsonValue));

async function writeYaml({ head, itemsName, count, item }: ListOutline, out: PieceWriter): Promise<void> {
  out.text(count === 0 ? yamlText({ ...head, [itemsName]: [] }) : `${yamlText(head)}${itemsName}:\n`);
  for (let at = 0; at < count; at += ITEMS_BETWEEN_PAUSES) {
    const values = Array.from({ length: Math.min(ITEMS_BETWEEN_PAUSES, count - at) }, (_none, i) => item(at + i));
    out.text(yamlItems(values));
    await out.sendFull();
    await new Promise(setImmediate);
  }
}
