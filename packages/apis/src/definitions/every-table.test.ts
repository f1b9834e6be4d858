import { describe, expect, test } from "@jest/globals";
import { ageText, type ResourceDefinition } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { factTable } from "../testing/fact-table";
import { definitionsAt } from "../testing/row";

const at = { nowMs: Date.parse("2024-05-01T12:00:00Z") };

const definitionAt = (release: string, kind: string): ResourceDefinition => {
  const found = definitionsAt(release).find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`${release} serves no ${kind}`);
  return found;
};

const cellsOf = ({ columns = [] }: ResourceDefinition, object: JsonObject) =>
  Object.fromEntries(columns.map(({ name, cell }) => [name, cell(object, at)]));

const older = definitionsAt("1.23");
const newest = definitionsAt("1.36");
const resources = [...older, ...newest.filter(({ kind }) => older.every((each) => each.kind !== kind))];
const facts = factTable("columns.tsv");

test.each([...new Set(facts.map(({ kind }) => kind ?? ""))])(
  "the columns of %s are those that clients know",
  (kind) => {
    const columns = resources.find((each) => each.kind === kind)?.columns;
    const shown = columns?.map(({ name, type, format, priority }) => ({ name, type, format, priority: `${priority}` }));
    const known = facts.filter((row) => row["kind"] === kind).map(({ kind: _, ...row }) => row);
    expect(shown).toEqual(known);
  },
);

describe.each(resources.filter(({ columns }) => columns !== undefined).map((each) => [each.kind, each] as const))(
  "the columns of %s",
  (_kind, resource) => {
    test("say what they show", () => {
      for (const { description } of resource.columns ?? []) expect(description).toMatch(/^[A-Z].{4,}\.$/);
    });

    test("have a cell for an object that holds next to nothing, as a bookmark does", () => {
      for (const bare of [{}, { metadata: { resourceVersion: "7" } }, { metadata: {}, spec: {}, status: {} }]) {
        for (const cell of Object.values(cellsOf(resource, bare))) {
          expect(["string", "number", "boolean"]).toContain(typeof cell);
          expect(String(cell)).not.toMatch(/undefined|null|NaN|object/);
        }
      }
    });
  },
);

test("a cell that tells an age and nothing else says since when", () => {
  const object = { metadata: { creationTimestamp: "2024-05-01T11:00:00Z" } };
  for (const { kind, columns = [] } of [...resources, definitionAt("1.22", "HorizontalPodAutoscaler")]) {
    for (const { name, cell, since } of columns) {
      const isAge = ["Age", "Last Seen", "First Seen"].includes(name);
      expect([kind, name, since !== undefined]).toEqual([kind, name, isAge]);
      if (since !== undefined) expect(cell(object, at)).toBe(ageText(since(object) as string | undefined, at.nowMs));
    }
  }
});

test("kinds without columns of their own leave them to the table: a name and a time", () => {
  const without = resources.filter(({ columns }) => columns === undefined).map(({ kind }) => kind);
  expect(without).toEqual(expect.arrayContaining(["ClusterRole", "CustomResourceDefinition", "LimitRange", "Role"]));
});

describe("cells read what the release stores", () => {
  test("a level's shares by their former name", () => {
    const level = { spec: { limited: { assuredConcurrencyShares: 30 } } };
    expect(cellsOf(definitionAt("1.23", "PriorityLevelConfiguration"), level)).toMatchObject({
      AssuredConcurrencyShares: 30,
    });
    const newer = { spec: { limited: { nominalConcurrencyShares: 40 } } };
    expect(cellsOf(definitionAt("1.26", "PriorityLevelConfiguration"), newer)).toMatchObject({
      NominalConcurrencyShares: 40,
    });
  });

  test("an autoscaler in its first version, which is left as it is", () => {
    const first = { spec: { maxReplicas: 5, targetCPUUtilizationPercentage: 80 }, status: { currentReplicas: 2 } };
    const before = JSON.stringify(first);
    expect(cellsOf(definitionAt("1.22", "HorizontalPodAutoscaler"), first)).toMatchObject({
      Targets: "<unknown>/80%",
      MaxPods: 5,
      Replicas: 2,
    });
    expect(JSON.stringify(first)).toBe(before);
  });
});

test("a row says of a pod that has ended how it ended, and of nothing else anything", () => {
  const { rowConditions } = definitionAt("1.23", "Pod");
  const inPhase = (phase: string) => rowConditions?.({ status: { phase } });
  expect(inPhase("Running")).toEqual([]);
  expect(inPhase("Succeeded")).toEqual([
    {
      type: "Completed",
      status: "True",
      reason: "Succeeded",
      message: "The pod has completed successfully.",
    },
  ]);
  expect(inPhase("Failed")).toEqual([
    { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
  ]);
  expect(resources.filter((each) => each.rowConditions !== undefined).map(({ kind }) => kind)).toEqual(["Pod"]);
});
