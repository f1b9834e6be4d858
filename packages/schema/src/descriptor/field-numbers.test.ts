// testdata/field-numbers.txt is an independent reading of the source of proto/: one line per protobuf field,
// "<group>/<version>.<Type>.<field> <number> <wire type>".
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import protobuf from "protobufjs";
import { loadSchema, vocabularyOf } from "../index";
import { linkedProtoFiles, PROTO_DIR, protoFiles } from "../testing/proto-files";

const fixture = readFileSync(join(__dirname, "../../testdata/field-numbers.txt"), "utf8").trim().split("\n");
const files = protoFiles();

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

test("every field of the descriptor has the number and wire type of the second reading, and none is missing", () => {
  const lines = files.flatMap((id) =>
    schema
      .typeNames(id)
      .flatMap((type) =>
        (schema.wireFields(id, type) ?? []).map(
          ({ name, number, wireType }) => `${id}.${type}.${name} ${number} ${wireType}`,
        ),
      ),
  );
  expect(lines.sort()).toEqual([...fixture].sort());
});

test("the files of proto/, linked to one another by a protobuf parser, have them too", () => {
  const root = linkedProtoFiles();
  const lines = files.flatMap((id) => {
    const namespace = root.lookup(id.replace("/", ".")) as protobuf.Namespace;
    return namespace.nestedArray
      .filter((type): type is protobuf.Type => type instanceof protobuf.Type)
      .filter((type) => type.options?.["(schema.json_only)"] !== true)
      .flatMap((type) =>
        type.fieldsArray.map((field) => `${id}.${type.name}.${publishedName(field)} ${field.id} ${wireTypeOf(field)}`),
      );
  });
  expect(lines.sort()).toEqual([...fixture].sort());
});

function publishedName(field: protobuf.Field): string {
  const reference: string = field.options?.["(schema.proto_name)"] ?? field.name;
  return reference.replace(
    /^\{schemaProtoNames\.(\w+)\}$/,
    (_, id: string) => vocabulary.schemaProtoNames[id as keyof typeof vocabulary.schemaProtoNames],
  );
}

function wireTypeOf(field: protobuf.Field): number {
  return field.map || field.resolvedType !== null
    ? 2
    : ((protobuf.types.basic as Readonly<Record<string, number>>)[field.type] ?? 2);
}

test("no message uses a number twice or one that it has reserved", () => {
  for (const id of files) {
    const { root } = protobuf.parse(readFileSync(join(PROTO_DIR, `${id}.proto`), "utf8"), { keepCase: true });
    const namespace = id
      .split("/")
      .reduce<protobuf.NamespaceBase>((at, name) => at.get(name) as protobuf.Namespace, root);
    for (const type of namespace.nestedArray) {
      if (!(type instanceof protobuf.Type)) continue;
      const numbers = type.fieldsArray.map((field) => field.id);
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const field of type.fieldsArray) {
        expect([type.fullName, field.name, type.isReservedId(field.id) || type.isReservedName(field.name)]).toEqual([
          type.fullName,
          field.name,
          false,
        ]);
      }
    }
  }
});

test("no file of the record spells the product's name", () => {
  const outsideReferences = (text: string) => text.replace(/\{\w+\.\w+\}/g, "");
  const spelled = files.filter((id) =>
    /orch\b|orch\.|orch-|k8s|kubernetes/i.test(outsideReferences(readFileSync(join(PROTO_DIR, `${id}.proto`), "utf8"))),
  );
  expect(spelled).toEqual([]);
});
