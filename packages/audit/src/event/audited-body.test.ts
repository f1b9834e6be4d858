import { expect, test } from "@jest/globals";
import { type JsonValue, loadSchema, vocabularyOf, writeJson, yamlText } from "@orch/schema";
import { readAuditedBody } from "./audited-body";

const schema = loadSchema(vocabularyOf("orch"));
const said = (text: string, isOwn: boolean) =>
  readAuditedBody({ bytes: Buffer.from(text), contentType: "application/yaml", hidesToken: false, isOwn }, schema);

function deep(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test.each<[string, JsonValue]>([
  ["more values than a client may send", { items: Array(300_001).fill("a") }],
  ["objects nested as deep as JSON may be", { spec: deep(990) }],
])("an answer in YAML is read with %s", async (_what, value) => {
  const text = yamlText(value);
  expect(writeJson(await said(text, true))).toBe(writeJson(value));
  await expect(said(text, false)).rejects.toThrow(
    /^(?:there are more than 300000 values|nested deeper than 250 levels) at /,
  );
});
