// OpenAPI documents in the protobuf form that Kubernetes clients request: encodes any such JSON document by the tables
// of proto/openapi, whose options map each JSON member.

import { Writer } from "protobufjs/minimal";
import { isObject, type JsonObject, type JsonValue } from "../json/json-value";

export type OpenapiVersion = "v2" | "v3";

/** JSON member, number, type, repeated, condition. */
type FieldRow = readonly [member: string, number: number, type: string, repeated: boolean, when: string | null];

interface MessageTable {
  readonly form?: "members" | "choice" | "text" | "list";
  readonly fields: readonly FieldRow[];
}

type Tables = Readonly<Record<string, MessageTable>>;

const LENGTH_DELIMITED = 2;

export class MessageWriter {
  private readonly tables: Tables;

  constructor(version: OpenapiVersion) {
    // Loaded with require: only a server that serves its OpenAPI documents needs the tables.
    const { OPENAPI_MESSAGES } =
      require("../generated/openapi-messages") as typeof import("../generated/openapi-messages");
    this.tables = JSON.parse(OPENAPI_MESSAGES[version] ?? "{}") as Tables;
  }

  /**
   * Encodes a message. Messages of one type may be concatenated: the result has the members of all.
   * @param message name in the version's file
   */
  encode(message: string, value: JsonValue): Buffer {
    const writer = Writer.create();
    this.message(writer, message, value);
    return Buffer.from(writer.finish());
  }

  /** Returns the key and length of a field whose value is already encoded. */
  front(message: string, member: string, length: number): Buffer {
    const [, number] = this.field(message, member);
    return Buffer.from(Writer.create().uint32(tag(number, LENGTH_DELIMITED)).uint32(length).finish());
  }

  private field(message: string, member: string): FieldRow {
    const row = this.table(message).fields.find(([name]) => name === member);
    if (row === undefined) throw new Error(`${message} of the schema's document has no ${member}`);
    return row;
  }

  private table(message: string): MessageTable {
    const table = this.tables[message];
    if (table === undefined) throw new Error(`the schema's document has no message ${message}`);
    return table;
  }

  private message(writer: Writer, name: string, value: JsonValue): void {
    const { form, fields } = this.table(name);
    switch (form) {
      case "text":
        for (const row of fields) this.value(writer, row, JSON.stringify(value));
        return;
      case "list":
        for (const row of fields) this.value(writer, row, Array.isArray(value) ? value : [value]);
        return;
      case "choice": {
        const row = fields.find(([, , , , when]) => when === null || holds(when, value));
        if (row !== undefined) this.value(writer, row, value);
        return;
      }
      case "members":
      case undefined:
        this.members(writer, name, value as JsonObject);
    }
  }

  private members(writer: Writer, message: string, object: JsonObject): void {
    const { form, fields } = this.table(message);
    for (const [name, value] of Object.entries(object)) {
      const pair =
        (name.startsWith("x-") ? fields.find(([member]) => member === "extensions") : undefined) ??
        (form === "members" ? this.field(message, "members") : undefined);
      if (pair === undefined) this.value(writer, this.field(message, name), value);
      else this.value(writer, pair, [{ name, value }]);
    }
  }

  private value(writer: Writer, row: FieldRow, value: JsonValue): void {
    const [, , , repeated] = row;
    if (!repeated) this.single(writer, row, value);
    else for (const item of value as JsonValue[]) this.single(writer, row, item);
  }

  private single(writer: Writer, [, number, type]: FieldRow, value: JsonValue): void {
    switch (type) {
      case "string":
        writer.uint32(tag(number, LENGTH_DELIMITED)).string(String(value));
        return;
      case "bool":
        writer.uint32(tag(number, 0)).bool(value === true);
        return;
      case "int64":
        writer.uint32(tag(number, 0)).int64(Number(value));
        return;
      case "double":
        writer.uint32(tag(number, 1)).double(Number(value));
        return;
      default:
        writer.uint32(tag(number, LENGTH_DELIMITED)).fork();
        this.message(writer, type, value);
        writer.ldelim();
    }
  }
}

const tag = (number: number, wireType: number) => ((number << 3) | wireType) >>> 0;

/** Evaluates a condition; see `when` in proto/openapi/options.proto. */
function holds(when: string, value: JsonValue): boolean {
  if (when === "boolean" || when === "number" || when === "string") return typeof value === when;
  const [name = "", expected] = when.split("=");
  if (!isObject(value)) return false;
  return expected === undefined ? Object.hasOwn(value, name) : value[name] === expected;
}
