// Tables for people. Cells are computed once per object, ages at each rendering. Source: Kubernetes API concepts,
// "Receiving resources as Tables".

import { JSON_TYPE } from "@orch/http-server";
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
import { type JsonObject, type JsonValue, readJson, writeJson } from "@orch/schema";
import type { TableShape } from "../representation";
import {
  type FormContext,
  type JsonForm,
  type ListAnswer,
  listMetadata,
  prepareEach,
  type RenderInWorker,
} from "./object-form";
import { bookmarkMetadata, partialMetadataStart } from "./partial-metadata-form";
import type { PieceWriter } from "./piece-writer";

/** The parts of one row. */
interface Row {
  readonly members: string;
  /** The `object` member of the row. */
  readonly object: Buffer;
}

/** Row data cached with an entry. */
interface KeptRow {
  readonly template: RowTemplate;
  readonly metadata: Buffer;
  readonly madeAtMs: number;
}

/** Row data that another thread has made. */
interface SentRow {
  readonly template: RowTemplate;
  /** The object in the requested version, when it must be converted. */
  readonly object?: Uint8Array;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const LATE_ROW_GOOD_MS = 5_000;
/** Number of cheap rows that are made between checks of the time slice. */
const ROWS_BETWEEN_LOOKS = 16;

export interface TableOptions {
  readonly include: TableShape["include"];
  /** API version of the table and of the metadata in its rows. */
  readonly apiVersion: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function tableForm(shown: FormContext, options: TableOptions, elsewhere: RenderInWorker): JsonForm {
  const table = new TableText(shown, options, elsewhere);
  const value = (entry: Entry) => table.rowValue(entry);
  return {
    contentType: JSON_TYPE,
    streamType: JSON_TYPE,
    entry: (entry) => table.ofEntry(entry, table.definitions),
    object: (object) => table.ofObject(object),
    list: (result, out) => table.writeList(out, result),
    isCut: false,
    elsewhere,
    prepare: (entries) => prepareEach(entries, (entry) => table.prepareRow(entry)),
    item: (entry) => table.sentRow(entry),
    value,
    framer() {
      // A watch sends the column definitions only once.
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
      entries: result.entries,
      value,
    }),
  };
}

type Columns = readonly TableColumn[];

/** Rows with the same columns are equal in all table forms, and nearly always in all versions of a resource. */
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
  /** Text between the cells and the object of a row. */
  private readonly objectStart: string;
  /** Text after the object. */
  private readonly rowEnd: string;
  /** Text before each row but the first. */
  private readonly furtherRow: string;
  private readonly rules: Parameters<typeof rowTemplate>[0];
  private readonly rowKey: object;

  constructor(
    private readonly shown: FormContext,
    private readonly options: TableOptions,
    private readonly elsewhere: RenderInWorker,
  ) {
    const { definition, columns = DEFAULT_COLUMNS } = shown;
    this.definitions = JSON.stringify(columnDefinitions(columns));
    this.start = `{"kind":"Table","apiVersion":${JSON.stringify(options.apiVersion)},"metadata":`;
    this.objectStart = objectStart(options);
    this.rowEnd = options.include === "Metadata" ? "}}" : "}";
    this.furtherRow = `${this.rowEnd},`;
    this.rules = { columns, rowConditions: shown.columns === undefined ? undefined : definition.rowConditions };
    this.rowKey = rowKeyOf(columns);
  }

  /** Table text before the rows. @param definitions JSON */
  head(metadata: JsonObject, definitions: string): string {
    return `${this.start}${JSON.stringify(metadata)},"columnDefinitions":${definitions}`;
  }

  ofEntry(entry: Entry, definitions: string): Buffer {
    return this.oneRow(this.head({ resourceVersion: String(entry.resourceVersion) }, definitions), this.rowOf(entry));
  }

  ofObject(object: JsonObject): Buffer {
    const { metadata = {} } = object;
    const { resourceVersion = "" } = metadata as { readonly resourceVersion?: string };
    return this.oneRow(this.head({ resourceVersion }, this.definitions), {
      members: this.members(object),
      object: this.shownOf({
        metadata: () => Buffer.from(writeJson(metadata)),
        whole: () => Buffer.from(writeJson(object)),
      }),
    });
  }

  async writeList(out: PieceWriter, result: ListAnswer): Promise<void> {
    const { entries } = result;
    const nowMs = this.options.now();
    out.text(`${this.head(listMetadata(result), this.definitions)},"rows":[`);
    for (let at = 0; at < entries.length; ) {
      const entry = entries[at] as Entry;
      if (entry.isLarge) {
        await this.prepareRow(entry);
        this.writeRow(out, entry, { isFirst: at === 0, nowMs });
        at += 1;
      } else at = this.writeRows(out, entries, at, nowMs);
      if (out.isFull || out.yielder.isOver) await out.sendFull();
    }
    out.text(entries.length === 0 ? "]}\n" : `${this.rowEnd}]}\n`);
  }

  /**
   * Writes rows in one pass, because there are thousands.
   * @returns index of the first row that is not written; stops before an expensive row unless it is the first
   */
  private writeRows(out: PieceWriter, entries: readonly Entry[], from: number, nowMs: number): number {
    const end = Math.min(entries.length, from + ROWS_BETWEEN_LOOKS);
    let at = from;
    do {
      this.writeRow(out, entries[at] as Entry, { isFirst: at === 0, nowMs });
      at += 1;
    } while (at < end && !out.isFull && !(entries[at] as Entry).isLarge);
    return at;
  }

  /** Writes a row except for its end, which is written with the next row. */
  private writeRow(out: PieceWriter, entry: Entry, { isFirst, nowMs }: { isFirst: boolean; nowMs: number }): void {
    const { members, object } = this.rowOf(entry, nowMs);
    const front = isFirst ? members : this.furtherRow + members;
    out.text(front + this.objectStart);
    out.copy(object);
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

  rowValue(entry: Entry): JsonValue {
    return readJson(this.oneRowText("", this.rowOf(entry), "").toString());
  }

  private oneRow(head: string, row: Row): Buffer {
    return this.oneRowText(`${head},"rows":[`, row, "]}");
  }

  private oneRowText(front: string, { members, object }: Row, back: string): Buffer {
    return Buffer.concat([Buffer.from(front + members + this.objectStart), object, Buffer.from(this.rowEnd + back)]);
  }

  private rowOf(entry: Entry, nowMs = this.options.now()): Row {
    const { template, metadata } = this.keptRow(entry, nowMs);
    const object = this.shownOf({ metadata: () => metadata, whole: () => entry.json(this.shown.version) });
    return { members: rowMembers(template, nowMs), object };
  }

  private keptRow(entry: Entry, nowMs: number): KeptRow {
    const row = entry.made(this.rowKey, () => this.makeRow(entry, nowMs));
    return this.isGood(row, entry, nowMs) ? row : this.makeRow(entry, nowMs);
  }

  /** Whether a cached row is still valid. Expensive rows are valid a little longer. */
  private isGood({ template, madeAtMs }: KeptRow, { isLarge }: Entry, nowMs: number): boolean {
    return isReusable(template) || Math.abs(nowMs - madeAtMs) <= (isLarge ? LATE_ROW_GOOD_MS : 0);
  }

  /** Makes an expensive row in another thread. */
  prepareRow(entry: Entry): Promise<void> | undefined {
    if (!entry.isLarge) return undefined;
    const nowMs = this.options.now();
    const row = entry.known<KeptRow>(this.rowKey);
    if (row !== undefined && this.isGood(row, entry, nowMs)) return undefined;
    return this.elsewhere("item", entry)?.then((made) => this.keepSent(entry, made as SentRow, nowMs));
  }

  sentRow(entry: Entry): SentRow {
    const { template } = this.makeRow(entry, this.options.now());
    return { template, ...(this.converts && { object: entry.json(this.shown.version) }) };
  }

  private keepSent(entry: Entry, { template, object }: SentRow, madeAtMs: number): void {
    const row = entry.made<Writable<KeptRow>>(this.rowKey, () => ({
      template,
      metadata: entry.metadataJson(),
      madeAtMs,
    }));
    row.template = template;
    row.madeAtMs = madeAtMs;
    if (object !== undefined) entry.made(this.shown.version, () => Buffer.from(object));
  }

  /** Whether rows contain their objects in another shape than the stored one. */
  private get converts(): boolean {
    const { definition, version } = this.shown;
    return this.options.include === "Object" && (version.fromStorage ?? definition.storage.fromStorage) !== undefined;
  }

  private makeRow(entry: Entry, nowMs: number): KeptRow {
    const template = rowTemplate(this.rules, this.objectOf(entry), nowMs);
    return { template, metadata: entry.metadataJson(), madeAtMs: nowMs };
  }

  /** The object from which cells are computed. */
  private objectOf(entry: Entry): JsonObject {
    const { definition, version } = this.shown;
    if (definition.converter === undefined) return entry.object();
    return readJson(entry.json(version).toString()) as JsonObject;
  }

  private shownOf(object: { metadata(): Buffer; whole(): Buffer }): Buffer {
    switch (this.options.include) {
      case "None":
        return NOTHING;
      case "Object":
        return object.whole();
      case "Metadata":
        return object.metadata();
    }
  }

  /** A row for a bookmark, whose object has only the kind and the resource version. */
  private ofBookmark(event: Extract<WatchEvent, { readonly type: "BOOKMARK" }>, definitions: string): Buffer {
    const { kind, apiVersion } = this.shown.version;
    const metadata = bookmarkMetadata(event);
    const object = { kind, apiVersion, metadata: JSON.parse(metadata.toString()) as JsonObject };
    return this.oneRow(this.head({ resourceVersion: String(event.resourceVersion) }, definitions), {
      members: this.members(object),
      object: this.shownOf({ metadata: () => metadata, whole: () => Buffer.from(writeJson(object)) }),
    });
  }

  private members(object: JsonObject): string {
    const nowMs = this.options.now();
    return rowMembers(rowTemplate(this.rules, object, nowMs), nowMs);
  }
}

const NOTHING = Buffer.alloc(0);

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
