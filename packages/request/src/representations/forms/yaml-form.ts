// YAML for people, converted from the JSON form item by item, with pauses for other requests.
import { readJson, yamlItems, yamlText } from "@orch/schema";
import {
  type JsonForm,
  type ListOutline,
  NOTHING_TO_PREPARE,
  type ObjectForm,
  type RenderInWorker,
} from "./object-form";
import type { PieceWriter } from "./piece-writer";

export function yamlForm(compact: JsonForm, contentType: string, elsewhere: RenderInWorker): ObjectForm {
  return {
    contentType,
    streamType: contentType,
    entry: (entry) => asYaml(compact.entry(entry)),
    object: (object) => asYaml(compact.object(object)),
    list: (result, out) => writeYaml(compact.outline(result), out, elsewhere),
    isCut: false,
    elsewhere,
    prepare: NOTHING_TO_PREPARE,
    item: (entry) => yamlItems([compact.value(entry)]),
    framer() {
      throw new Error("a watch is not available in YAML");
    },
  };
}

const asYaml = (json: Buffer): Buffer => Buffer.from(yamlText(readJson(json.toString())));

async function writeYaml(
  { head, itemsName, entries, value }: ListOutline,
  out: PieceWriter,
  elsewhere: RenderInWorker,
): Promise<void> {
  out.text(entries.length === 0 ? yamlText({ ...head, [itemsName]: [] }) : `${yamlText(head)}${itemsName}:\n`);
  for (const entry of entries) {
    const late = elsewhere("item", entry);
    out.text(late === undefined ? yamlItems([value(entry)]) : String(await late));
    if (out.isFull || out.yielder.isOver) await out.sendFull();
  }
}
