// Objects as rows of a table, for people to read. Cells are made once an object, ages each time. Source: facts, table.md.
import {
  columnDefinitions,
  DEFAULT_COLUMNS,
  isReusable,
  type RowTemplate,
  rowMembers,
  rowTemplate,
  type TableColumn,
} from "@orch/machinery";
import { type Entry, jsonFrame, type WatchEvent } from "@orch/registry";
import type { JsonObject, JsonValue } from "@orch/schema";
import { JSON_TYPE } from "../../http/answer";
import type { TableShape } from "../representation";
import { type JsonForm, type ListAnswer, listMetadata, type Shown } from "./object-form";
import { bookmarkMetadata, partialMetadataStart } from "./partial-metadata-form";
import { itemPieces, PieceWriter } from "./piece-writer";

/** What is kept with an entry for its rows. */
interface KeptRow {
  readonly template: RowTemplate;
  readonly metadata: Buffer;
  readonly madeAtMs: number;
}

export interface TableOptions {
  readonly include: TableShape["include"];
  /** Of the table itself, and of the metadata in its rows. */
  readonly apiVersion: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function tableForm(shown: Shown, options: TableOptions): JsonForm {
  const table = new TableText(shown, options);
  return {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: (entry) => table.ofEntry(entry, table.definitions),
    object: (object) => table.ofObject(object),
    list(result) {
      const { entries } = result;
      const head = `${table.head(listMetadata(result), table.definitions)},"rows":[`;
      const nowMs = options.now();
      const row = (at: number, out: PieceWriter) => table.writeRow(out, entries[at] as Entry, nowMs);
      return { pieces: itemPieces({ head, count: entries.length, tail: "]}\n" }, row) };
    },
    framer() {
      // Who watches is told of the columns once.
      let definitions: string = table.definitions;
      return (event) => {
        const frame = table.frame(event, definitions);
        if (event.type !== "ERROR") definitions = "null";
        return frame;
      };
    },
    outline: (result: ListAnswer) => ({
      head: JSON.parse(`${table.head(listMetadata(result), table.definitions)}}`) as JsonObject,
      itemsName: "rows",
      count: result.entries.length,
      item: (at) => table.rowValue(result.entries[at] as Entry),
    }),
  };
}

type Columns = readonly TableColumn[];

/** Rows with the same columns are alike in every kind of table, and nearly always in all versions of a resource. */
const rowKeys = new WeakMap<Columns, object>();

function rowKeyOf(columns: Columns): object {
  const known = rowKeys.get(columns);
  if (known !== undefined) return known;
  const key = {};
  rowKeys.set(columns, key);
  return key;
}

class TableText {
  readonly definitions: string;
  private readonly start: string;
  /** In a row, between its cells and the bytes of its object. */
  private readonly objectStart: string;
  private readonly rules: Parameters<typeof rowTemplate>[0];
  private readonly rowKey: object;

  constructor(
    private readonly shown: Shown,
    private readonly options: TableOptions,
  ) {
    const { definition, columns = DEFAULT_COLUMNS } = shown;
    this.definitions = JSON.stringify(columnDefinitions(columns));
    this.start = `{"kind":"Table","apiVersion":${JSON.stringify(options.apiVersion)},"metadata":`;
    this.objectStart = objectStart(options);
    this.rules = { columns, rowConditions: shown.columns === undefined ? undefined : definition.rowConditions };
    this.rowKey = rowKeyOf(columns);
  }

  /** Up to the rows. @param definitions JSON */
  head(metadata: JsonObject, definitions: string): string {
    return `${this.start}${JSON.stringify(metadata)},"columnDefinitions":${definitions}`;
  }

  ofEntry(entry: Entry, definitions: string): Buffer {
    const head = this.head({ resourceVersion: String(entry.resourceVersion) }, definitions);
    return oneRow(head, (out) => this.writeRow(out, entry, this.options.now()));
  }

  ofObject(object: JsonObject): Buffer {
    const { metadata = {} } = object;
    const { resourceVersion = "" } = metadata as { readonly resourceVersion?: string };
    return oneRow(this.head({ resourceVersion }, this.definitions), (out) => {
      this.write(out, this.members(object), {
        metadata: Buffer.from(JSON.stringify(metadata)),
        whole: () => jsonBytes(object),
      });
    });
  }

  frame(event: WatchEvent, definitions: string): Buffer {
    switch (event.type) {
      case "ADDED":
      case "MODIFIED":
      case "DELETED":
        return jsonFrame(event.type, this.ofEntry(event.entry, definitions));
      case "BOOKMARK":
        return jsonFrame(event.type, this.ofBookmark(event, definitions));
      case "ERROR":
        return event.frame(this.shown.version);
    }
  }

  writeRow(out: PieceWriter, entry: Entry, nowMs: number): void {
    const { template, metadata } = this.rowOf(entry, nowMs);
    this.write(out, rowMembers(template, nowMs), { metadata, whole: () => entry.json(this.shown.version) });
  }

  rowValue(entry: Entry): JsonValue {
    const out = new PieceWriter(ROW_BYTES);
    this.writeRow(out, entry, this.options.now());
    return JSON.parse(out.take().toString()) as JsonValue;
  }

  private rowOf(entry: Entry, nowMs: number): KeptRow {
    const row = entry.made(this.rowKey, () => this.makeRow(entry, nowMs));
    return isReusable(row.template) || row.madeAtMs === nowMs ? row : this.makeRow(entry, nowMs);
  }

  private makeRow(entry: Entry, nowMs: number): KeptRow {
    const template = rowTemplate(this.rules, entry.object(), nowMs);
    return { template, metadata: entry.metadataJson(), madeAtMs: nowMs };
  }

  /** In as few steps as can be: there are thousands of rows. */
  private write(
    out: PieceWriter,
    members: string,
    of: { readonly metadata: Buffer; readonly whole: () => Buffer },
  ): void {
    out.text(members + this.objectStart);
    switch (this.options.include) {
      case "None":
        break;
      case "Object":
        out.copy(of.whole());
        break;
      case "Metadata":
        out.copy(of.metadata);
        out.byte(CLOSING_BRACE);
        break;
    }
    out.byte(CLOSING_BRACE);
  }

  /** A row of an object that has nothing but what a bookmark tells. */
  private ofBookmark(event: Extract<WatchEvent, { readonly type: "BOOKMARK" }>, definitions: string): Buffer {
    const { kind, apiVersion } = this.shown.version;
    const metadata = bookmarkMetadata(event);
    const object = { kind, apiVersion, metadata: JSON.parse(metadata.toString()) as JsonObject };
    return oneRow(this.head({ resourceVersion: String(event.resourceVersion) }, definitions), (out) => {
      this.write(out, this.members(object), { metadata, whole: () => jsonBytes(object) });
    });
  }

  private members(object: JsonObject): string {
    const nowMs = this.options.now();
    return rowMembers(rowTemplate(this.rules, object, nowMs), nowMs);
  }
}

const CLOSING_BRACE = 0x7d;

function objectStart({ include, apiVersion }: TableOptions): string {
  switch (include) {
    case "None":
      return ',"object":null';
    case "Object":
      return ',"object":';
    case "Metadata":
      return `,"object":${partialMetadataStart(apiVersion)}`;
  }
}

const ROW_BYTES = 4096;

function oneRow(head: string, write: (out: PieceWriter) => void): Buffer {
  const out = new PieceWriter(ROW_BYTES);
  out.text(head);
  out.text(',"rows":[');
  write(out);
  out.text("]}");
  return out.take();
}

const jsonBytes = (object: JsonObject): Buffer => Buffer.from(JSON.stringify(object));
