import { describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { TableColumn } from "../resources/resource-definition";
import { ageText } from "../values/human-duration";
import { columnDefinitions, DEFAULT_COLUMNS } from "./columns";
import { rowMembers, rowTemplate } from "./row-template";

const shown = { type: "string", format: "", description: "", priority: 0 } as const;
const plain = (name: string, cell: TableColumn["cell"]): TableColumn => ({ ...shown, name, cell });
const age = (name: string, member: string): TableColumn => {
  const since = (object: JsonObject) => object[member] as string | null | undefined;
  return { ...shown, name, since, cell: (object, { nowMs }) => ageText(since(object), nowMs) };
};

const NOW = Date.UTC(2020, 0, 1, 1);
const object = { name: 'a"b', count: 3, made: "2020-01-01T00:00:00Z", seen: "2020-01-01T00:59:30Z", none: null };
const columns = [
  age("Made", "made"),
  plain("Name", (of) => of["name"] ?? ""),
  age("Seen", "seen"),
  age("None", "none"),
  plain("Count", (of) => of["count"] ?? 0),
  plain("Null", () => null),
  age("Missing", "missing"),
];

const row = (template: ReturnType<typeof rowTemplate>, nowMs: number): JsonValue =>
  JSON.parse(`${rowMembers(template, nowMs)}}`) as JsonValue;

describe("a row", () => {
  test("has the cell of every column, and its ages move on with the time", () => {
    const template = rowTemplate({ columns }, object, NOW);
    expect(row(template, NOW)).toEqual({ cells: ["60m", 'a"b', "30s", "<unknown>", 3, null, "<unknown>"] });
    const later = NOW + 60_000;
    expect(row(template, later)).toEqual({ cells: ["61m", 'a"b', "90s", "<unknown>", 3, null, "<unknown>"] });
    expect(row(template, later)).toEqual({ cells: columns.map(({ cell }) => cell(object, { nowMs: later })) });
    expect(template.madeForNow).toBe(false);
  });

  test("with a cell that looks at the time by itself is good for that time alone", () => {
    const looking = plain("Half", (_of, { nowMs }) => nowMs / 2);
    expect(rowTemplate({ columns: [looking] }, object, NOW).madeForNow).toBe(true);
  });

  test("tells the conditions of its object", () => {
    const conditions = [{ type: "Completed", status: "True" }];
    const rules = { columns: columns.slice(0, 1), rowConditions: () => conditions };
    expect(row(rowTemplate(rules, object, NOW), NOW)).toEqual({ cells: ["60m"], conditions });
  });

  test.each<[string, JsonObject, JsonValue]>([
    [
      "by default",
      { metadata: { name: "a", creationTimestamp: "2020-01-01T00:00:00Z" } },
      ["a", "2020-01-01T00:00:00Z"],
    ],
    ["of an object without anything", {}, ["", null]],
  ])("%s shows name and creation", (_what, of, cells) => {
    expect(row(rowTemplate({ columns: DEFAULT_COLUMNS }, of, NOW), NOW)).toEqual({ cells });
  });
});

test("columns are told with all that clients look at", () => {
  expect(columnDefinitions(DEFAULT_COLUMNS)).toEqual([
    { name: "Name", type: "string", format: "name", description: expect.stringMatching(/./), priority: 0 },
    { name: "Created At", type: "date", format: "", description: expect.stringMatching(/./), priority: 0 },
  ]);
});
