// What is written in JSON, in YAML: for people, an item at a time, with pauses for the other requests.
import { type JsonValue, yamlItems, yamlText } from "@orch/schema";
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
  for (let at = 0; at < count; at += 1) {
    out.text(yamlItems([item(at)]));
    if (out.isFull || out.turns.isOver) await out.sendFull();
  }
}
