// Encodes and decodes every kind with every field set, and decodes it with a second implementation that knows only
// proto/.
import { describe, expect, test } from "@jest/globals";
import protobuf from "protobufjs";
import {
  ENVELOPE_BACK,
  itemStart,
  type JsonObject,
  type JsonValue,
  loadSchema,
  readEnvelope,
  vocabularyOf,
  writeJson,
} from "../index";
import { fullObject } from "../testing/full-object";
import { linkedProtoFiles } from "../testing/proto-files";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);
const root = linkedProtoFiles();

const everyKind = schema.groupVersions.flatMap(({ id, group, version, kinds }) =>
  kinds.map((kind) => {
    const type = schema.objectType(group, version, kind);
    if (type === undefined) throw new Error(`no type ${id} ${kind}`);
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const object = type.decode({ ...fullObject(type.struct), apiVersion, kind }).value;
    return { name: `${id} ${kind}`, id, kind, apiVersion, type, object };
  }),
);
const withProtobuf = everyKind.filter(({ id, kind }) => schema.wireFields(id, kind) !== undefined);

test("nearly every kind has a protobuf form", () => {
  expect(everyKind.filter((entry) => !withProtobuf.includes(entry)).map(({ name }) => name)).toEqual([
    "clientauthentication/v1 ExecCredential",
    "clientauthentication/v1beta1 ExecCredential",
    "meta/v1 Table",
  ]);
  for (const { type, name } of everyKind)
    expect([name, type.protobuf !== undefined]).toEqual([name, withProtobuf.some((entry) => entry.name === name)]);
});

describe.each(withProtobuf)("$name with every field set", ({ id, kind, apiVersion, type, object }) => {
  test("comes back from protobuf as it went", () => {
    const envelope = readEnvelope(encoded(object));
    expect(envelope).toMatchObject({ apiVersion, kind, contentEncoding: "", contentType: "" });
    const { value, problems } = type.decode(protobufOf(type).decode(envelope));
    expect(writeJson(value)).toBe(writeJson(object));
    expect(problems).toEqual([]);
  });

  test("is read by another implementation as the same values, with nothing left over", () => {
    const messageType = root.lookupType(`${id.replace("/", ".")}.${kind}`);
    const message = messageType.decode(readEnvelope(encoded(object)).raw);
    const found = messageType.toObject(message, { longs: String, bytes: String, arrays: false, objects: false });
    expect(found).toEqual(messageOf(messageType, object));
  });

  function encoded(value: JsonObject): Buffer {
    return protobufOf(type).encode(value);
  }
});

function protobufOf(type: (typeof everyKind)[number]["type"]) {
  if (type.protobuf === undefined) throw new Error(`${type.kind} has no protobuf form`);
  return type.protobuf;
}

// The items of this list are not its second field, so it cannot be joined.
const lists = withProtobuf.filter(
  ({ id, kind, type }) => kind.endsWith("List") && type.struct.fieldByName.has("items") && id !== "meta/v1beta1",
);

test.each(lists)("$name joined from pieces is the list encoded as a whole", ({ type, object }) => {
  const form = protobufOf(type);
  const items = object["items"] as JsonObject[];
  const itemField = type.struct.fieldByName.get("items");
  const itemType = itemField?.type.kind === "list" ? itemField.type.element : undefined;
  // A list of any objects contains JSON text, without pieces to join.
  if (itemType?.kind !== "struct") return;
  const [file = "", name = ""] = itemType.name.split(/\.(?=[^.]*$)/);
  const group = schema.groupVersions.find(({ id }) => id === file);
  const item = group && schema.objectType(group.group, group.version, name);
  if (item === undefined) return;
  const pieces = [...items, ...items].map((each) => {
    const enveloped = protobufOf(item).encode(each);
    return enveloped.subarray(itemStart(enveloped), enveloped.length - ENVELOPE_BACK.length);
  });
  const itemsBytes = pieces.reduce((sum, { length }) => sum + length, 0);
  const joined = Buffer.concat([protobufOf(item).listFront(object, itemsBytes), ...pieces, ENVELOPE_BACK]);
  expect(joined.equals(form.encode({ ...object, items: [...items, ...items] }))).toBe(true);
});

/** Returns the expected fields of a message for a canonical object, from the declarations alone. */
function messageOf(type: protobuf.Type, value: JsonValue | undefined): Record<string, unknown> {
  const special: string | undefined = type.options?.["(schema.special)"];
  if (special !== undefined) return specialMessage(type, special, value ?? null);
  const object = (value ?? {}) as JsonObject;
  const entries = type.fieldsArray.map((field): [string, unknown] => {
    if (field.options?.["(schema.inline)"] === true)
      return [field.name, messageOf(field.resolvedType as protobuf.Type, object)];
    const given = object[jsonName(field)] ?? undefined;
    if (given === undefined && (isNilable(field) || field.options?.["(schema.pointer)"] === true))
      return [field.name, undefined];
    if (field.repeated) return [field.name, (given as JsonValue[]).map((item) => fieldValue(field, item))];
    if (field.map) return [field.name, mapOf(given as JsonObject, (item) => fieldValue(field, item))];
    return [field.name, fieldValue(field, given)];
  });
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

function jsonName(field: protobuf.Field): string {
  const name: string = field.options?.["json_name"] ?? field.name;
  return name.replace(
    /^\{schemaExtensions\.(\w+)\}$/,
    (_, id: string) => vocabulary.schemaExtensions[id as "listType"],
  );
}

function isNilable(field: protobuf.Field): boolean {
  const { resolvedType } = field;
  return (
    field.repeated ||
    field.map ||
    field.type === "bytes" ||
    (resolvedType instanceof protobuf.Type && resolvedType.options?.["(schema.special)"] === "stringList")
  );
}

function mapOf(map: JsonObject, convert: (value: JsonValue) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, convert(value)]));
}

function fieldValue(field: protobuf.Field, value: JsonValue | undefined): unknown {
  if (field.resolvedType instanceof protobuf.Type) return messageOf(field.resolvedType, value);
  if (value !== undefined) return field.type === "int64" ? String(value) : value;
  switch (field.type) {
    case "bool":
      return false;
    case "string":
      return "";
    case "int64":
      return "0";
    default:
      return 0;
  }
}

function specialMessage(type: protobuf.Type, special: string, value: JsonValue): Record<string, unknown> {
  const props = (given: JsonValue) => messageOf(type.fields["schema"]?.resolvedType as protobuf.Type, given);
  switch (special) {
    case "quantity":
      return { string: value ?? "0" };
    case "intOrString":
      return typeof value === "string"
        ? { type: "1", intVal: 0, strVal: value }
        : { type: "0", intVal: value ?? 0, strVal: "" };
    case "time":
      return value === null ? {} : { seconds: String(Date.parse(String(value)) / 1000), nanos: 0 };
    case "microTime":
      return value === null
        ? {}
        : {
            seconds: String(Math.floor(Date.parse(String(value)) / 1000)),
            nanos: Number(/\.(\d+)Z/.exec(String(value))?.[1]) * 1000,
          };
    case "duration":
      return { duration: value === "1h30m0s" ? "5400000000000" : "0" };
    case "json":
    case "rawExtension":
      return value === null ? {} : { raw: Buffer.from(writeJson(value)).toString("base64") };
    case "fieldsV1":
      return value === null ? {} : { Raw: Buffer.from(writeJson(value)).toString("base64") };
    case "stringList":
      return value === null ? {} : { items: value };
    case "schemaOrBool":
      return typeof value === "boolean" ? { allows: value } : { allows: true, schema: props(value) };
    case "schemaOrArray":
      return Array.isArray(value) ? { jSONSchemas: value.map(props) } : { schema: props(value) };
    case "schemaOrStringArray":
      return Array.isArray(value) ? { property: value } : { schema: props(value) };
    default:
      throw new Error(`no such special type: ${special}`);
  }
}
