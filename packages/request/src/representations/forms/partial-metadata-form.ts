// Only the metadata of each object, as garbage collectors and metadata informers request it. Cut out of the stored
// bytes, never parsed.

import { JSON_TYPE } from "@orch/http-server";
import { apiVersionText } from "@orch/machinery";
import { type Entry, jsonFrame, type WatchEvent, writeEach } from "@orch/registry";
import { type JsonObject, readJson, type Vocabulary, writeJson } from "@orch/schema";
import type { MetaVersion } from "../representation";
import { HERE, type JsonForm, type ListAnswer, metadataListMetadata, NOTHING_TO_PREPARE } from "./object-form";

const KIND = "PartialObjectMetadata";
const TAIL = Buffer.from("}");

/** `{"kind":"PartialObjectMetadata",…,"metadata":`, to be followed by metadata and `}`. */
export const partialMetadataStart = (apiVersion: string): string =>
  `{"kind":"${KIND}","apiVersion":${JSON.stringify(apiVersion)},"metadata":`;

export const metaApiVersion = ({ groups }: Vocabulary, version: MetaVersion): string =>
  apiVersionText({ group: groups.meta, version });

export function partialMetadataForm(apiVersion: string): JsonForm {
  const start = Buffer.from(partialMetadataStart(apiVersion));
  /** Ends the preceding item and starts the next. */
  const further = Buffer.concat([TAIL, Buffer.from(","), start]);
  const whole = (metadata: Buffer) => Buffer.concat([start, metadata, TAIL]);
  const ofEntry = (entry: Entry) => whole(entry.metadataJson());

  const value = (entry: Entry) => readJson(ofEntry(entry).toString());
  const form: JsonForm = {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: ofEntry,
    object: ({ metadata = {} }) => whole(Buffer.from(writeJson(metadata))),
    async list(result, out) {
      const { entries } = result;
      out.text(`${JSON.stringify(headOf(result)).slice(0, -1)},"items":[`);
      await writeEach(entries.length, out, (at) => {
        out.copy(at === 0 ? start : further);
        out.copy((entries[at] as Entry).metadataJson());
      });
      out.text(entries.length === 0 ? "]}\n" : "}]}\n");
    },
    isCut: true,
    elsewhere: HERE,
    prepare: NOTHING_TO_PREPARE,
    framer: () => frame,
    item: ofEntry,
    outline: (result) => ({
      head: headOf(result),
      itemsName: "items",
      entries: result.entries,
      value,
    }),
    value,
  };

  function headOf(result: ListAnswer): JsonObject {
    return { kind: `${KIND}List`, apiVersion, metadata: metadataListMetadata(result) };
  }

  function frame(event: WatchEvent): Buffer {
    return event.madeFrame(form, () => {
      switch (event.type) {
        case "ADDED":
        case "MODIFIED":
        case "DELETED":
          return jsonFrame(event.type, ofEntry(event.entry));
        case "BOOKMARK":
          return jsonFrame(event.type, whole(bookmarkMetadata(event)));
        case "ERROR":
          return jsonFrame(event.type, Buffer.from(JSON.stringify(event.status)));
      }
    });
  }
  return form;
}

export function bookmarkMetadata({
  resourceVersion,
  annotations,
}: Extract<WatchEvent, { readonly type: "BOOKMARK" }>): Buffer {
  const empty = Object.keys(annotations).length === 0;
  return Buffer.from(JSON.stringify({ resourceVersion: String(resourceVersion), ...(empty ? {} : { annotations }) }));
}
