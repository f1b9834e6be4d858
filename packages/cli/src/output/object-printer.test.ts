import { describe, expect, test } from "@jest/globals";
import { CustomColumnsPrinter, customColumns, customColumnsOfFile } from "./custom-columns";
import { objectFormat } from "./object-format";
import { ListPrinter, ObjectPrinter, type PrinterOptions } from "./object-printer";

const object = (name: string, more: object = {}) => ({
  kind: "Deployment",
  apiVersion: "apps/v1",
  metadata: { name, managedFields: [{ manager: "x" }] },
  ...more,
});
const format = (output: string) => objectFormat({ output }) as NonNullable<ReturnType<typeof objectFormat>>;
const single = (output: string, options?: PrinterOptions) => new ObjectPrinter(format(output), options);

test("JSON has its keys in order and is written as Go writes it", () => {
  expect(single("json").text(object("a", { data: { z: "<&>", b: 12345678901234567890n } }))).toBe(
    '{\n    "apiVersion": "apps/v1",\n    "data": {\n        "b": 12345678901234567890,\n        "z": "\\u003c\\u0026\\u003e"\n    },\n    "kind": "Deployment",\n    "metadata": {\n        "name": "a"\n    }\n}\n',
  );
});

test("YAML documents are separated, and managed fields are shown when asked", () => {
  const yaml = single("yaml", { showManagedFields: true });
  expect(yaml.text(object("a"))).toMatch(/^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}managedFields:\n/);
  expect(yaml.text(object("b"))).toMatch(/^---\napiVersion/);
});

test("names carry kind and group", () => {
  const core = { kind: "Pod", apiVersion: "v1", metadata: { name: "p" } };
  expect(single("name").text(object("a")) + single("name").text(core)).toBe("deployment.apps/a\npod/p\n");
});

describe("a list whose items arrive in parts", () => {
  test.each(["json", "yaml", "jsonpath={.items[*].metadata.name} {.kind}", "custom-columns=N:.metadata.name"])(
    "%s is the text of the whole list",
    (output) => {
      const items = [object("a"), object("bcdefghij"), object("c")];
      const whole = { apiVersion: "v1", items, kind: "List", metadata: { resourceVersion: "" } };
      const list = new ListPrinter(format(output));
      const text = list.items(items.slice(0, 1)) + list.items([]) + list.items(items.slice(1)) + list.end();
      expect(text).toBe(single(output).text(whole));
      expect(new ListPrinter(format(output)).end()).toBe(
        output.startsWith("custom") ? "" : single(output).text({ ...whole, items: [] }),
      );
    },
  );
});

describe("custom columns", () => {
  const print = (spec: string) =>
    new CustomColumnsPrinter(customColumns(spec)).print([object("a", { list: [1, { b: 2 }] })]);

  test.each([
    ["NAME:.metadata.name", "NAME\na\n"],
    ["NAME:{metadata.name},K:kind", "NAME   K\na      Deployment\n"],
    ["A:.list,B:.list[*],C:.none", "A             B            C\n[1 map[b:2]]   1,map[b:2]   <none>\n"],
  ])("%s", (spec, text) => {
    expect(print(spec).replaceAll(/ +/g, " ")).toBe(text.replaceAll(/ +/g, " "));
  });

  test("a file has a line of headers and a line of paths", () => {
    const columns = customColumnsOfFile("NAME  KIND\n{metadata.name}  {kind}\n");
    expect(new CustomColumnsPrinter(columns, { headers: false }).print([object("a")])).toBe("a     Deployment\n");
    expect(() => customColumnsOfFile("A B\nx\n")).toThrow(
      "number of headers (2) and field specifications (1) don't match",
    );
  });

  test("control characters of a server do not reach the terminal", () => {
    const hostile = object("a\u001b[31m\u009bm\nrest");
    expect(new CustomColumnsPrinter(customColumns("N:.metadata.name"), { headers: false }).print([hostile])).toBe(
      "a\\x1b[31m\\x9bm...\n",
    );
  });
});
