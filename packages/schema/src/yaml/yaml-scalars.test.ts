// testdata/yaml-scalars.tsv contains kube-apiserver's reading of each scalar.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { readJson, writeJson } from "../json/exact-json";
import { isObject } from "../json/json-value";
import { parseYaml } from "./parse-yaml";
import { YamlError } from "./yaml-error";

const ROWS = readFileSync(join(__dirname, "../../testdata/yaml-scalars.tsv"), "utf8")
  .trimEnd()
  .split("\n")
  .filter((line) => !line.startsWith("# "))
  .map((line) => line.split("\t") as [text: string, value: string]);

test("the table holds scalars of every kind", () => expect(ROWS.length).toBeGreaterThan(200));

test.each(ROWS)("%s is %s", (text, wanted) => {
  const read = () => {
    const { value } = parseYaml(`a: ${text}\n`);
    return isObject(value) ? writeJson(value["a"] ?? null) : value;
  };
  if (wanted === "refused") expect(read).toThrow(YamlError);
  else expect(read()).toBe(writeJson(readJson(wanted)));
});
