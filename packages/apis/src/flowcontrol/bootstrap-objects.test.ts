import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type flowcontrolV1, vocabularyOf } from "@orch/schema";
import { type BootstrapObject, bootstrapFlowControl } from "./bootstrap-objects";

const tableOf = (file: string): string[] =>
  readFileSync(join(__dirname, "../../testdata", file), "utf8")
    .trimEnd()
    .split("\n");

const kept = ({ isMandatory }: BootstrapObject): string => (isMandatory ? "mandatory" : "suggested");
const lineOf = (...cells: readonly (string | number | null | undefined)[]): string => cells.join("\t").trimEnd();

function levelLine(object: BootstrapObject): string {
  const { type, limited, exempt } = object.spec as unknown as flowcontrolV1.PriorityLevelConfigurationSpec;
  const { type: response, queuing } = limited?.limitResponse ?? {};
  const { queues, handSize, queueLengthLimit } = queuing ?? {};
  const { nominalConcurrencyShares: shares, lendablePercent: lendable } = limited ?? exempt ?? {};
  const queued = [response, queues, handSize, queueLengthLimit] as const;
  return lineOf("level", object.name, kept(object), type, shares, ...queued, lendable);
}

function schemaLine(object: BootstrapObject): string {
  const spec = object.spec as unknown as flowcontrolV1.FlowSchemaSpec;
  const { priorityLevelConfiguration: level, matchingPrecedence, distinguisherMethod, rules } = spec;
  const [rule, ...others] = rules ?? [];
  expect(others).toEqual([]);
  const subjects = (rule?.subjects ?? []).map(({ kind, user, group, serviceAccount: account }) => {
    const name = user?.name ?? group?.name ?? `${account?.namespace}/${account?.name}`;
    return `${kind}:${name}`;
  });
  const ofResources = (rule?.resourceRules ?? []).map(({ verbs, apiGroups, resources, namespaces, clusterScope }) => {
    const what = `${apiGroups?.map((group) => group || "core")}/${resources}`;
    return `${verbs} of ${what} in ${namespaces}${clusterScope === true ? " and cluster" : ""}`;
  });
  const ofPaths = (rule?.nonResourceRules ?? []).map(
    ({ verbs, nonResourceURLs }) => `${verbs} of paths ${nonResourceURLs}`,
  );
  const distinguisher = distinguisherMethod?.type ?? "";
  const cells = [level?.name, matchingPrecedence, distinguisher, subjects.join(" + ")];
  return lineOf("schema", object.name, kept(object), ...cells, [...ofResources, ...ofPaths].join(" + "));
}

test.each([
  ["1.20", "orch", "flow-control.tsv"],
  ["1.36", "kubernetes", "flow-control-1.36.tsv"],
] as const)("the levels and schemas of a server of %s are those of the table, and no others", (release, name, file) => {
  const { priorityLevels, flowSchemas } = bootstrapFlowControl(vocabularyOf(name), release);
  const made = [...priorityLevels.map(levelLine), ...flowSchemas.map(schemaLine)];
  expect(made.sort()).toEqual(tableOf(file).sort());
});

test.each([
  ["1.21", "1.22", ["node-high", "probes", "system-node-high"], []],
  ["1.23", "1.24", ["endpoint-controller"], []],
  ["1.33", "1.34", [], ["endpoint-controller", "workload-leader-election"]],
])("between %s and %s the server gains %j and loses %j", (earlier, later, gained, lost) => {
  const namesIn = (release: string) => {
    const { priorityLevels, flowSchemas } = bootstrapFlowControl(vocabularyOf("orch"), release);
    return [...priorityLevels, ...flowSchemas].map(({ name }) => name);
  };
  const [before, after] = [namesIn(earlier), namesIn(later)];
  expect(after.filter((name) => !before.includes(name)).sort()).toEqual(gained);
  expect(before.filter((name) => !after.includes(name)).sort()).toEqual(lost);
});

test.each([
  ["1.25", undefined, undefined],
  ["1.27", 33, undefined],
  ["1.28", 33, 0],
])("at %s the system level lends %p percent, and the exempt level has %p shares", (release, lendable, shares) => {
  const { priorityLevels } = bootstrapFlowControl(vocabularyOf("orch"), release);
  const specOf = (name: string) =>
    priorityLevels.find((level) => level.name === name)
      ?.spec as unknown as flowcontrolV1.PriorityLevelConfigurationSpec;
  expect(specOf("system").limited?.lendablePercent).toBe(lendable);
  expect(specOf("exempt").exempt?.nominalConcurrencyShares).toBe(shares);
});

test("their names and users follow the vocabulary", () => {
  const { flowSchemas } = bootstrapFlowControl(vocabularyOf("kubernetes"), "1.20");
  const names = flowSchemas.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["kube-scheduler", "kube-system-service-accounts"]));
  expect(JSON.stringify(flowSchemas)).not.toContain("orch");
});
