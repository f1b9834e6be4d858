import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type flowcontrolV1, vocabularyOf } from "@orch/schema";
import { type BootstrapObject, bootstrapFlowControl } from "./bootstrap-objects";

const table = readFileSync(join(__dirname, "../../testdata/flow-control.tsv"), "utf8").trimEnd().split("\n");

const kept = ({ isMandatory }: BootstrapObject): string => (isMandatory ? "mandatory" : "suggested");
const lineOf = (...cells: readonly (string | number | null | undefined)[]): string => cells.join("\t").trimEnd();

function levelLine(object: BootstrapObject): string {
  const { type, limited } = object.spec as unknown as flowcontrolV1.PriorityLevelConfigurationSpec;
  const { type: response, queuing } = limited?.limitResponse ?? {};
  const { queues, handSize, queueLengthLimit } = queuing ?? {};
  const shares = limited?.nominalConcurrencyShares;
  return lineOf("level", object.name, kept(object), type, shares, response, queues, handSize, queueLengthLimit);
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

test("the levels and schemas that every server has are those of the table, and no others", () => {
  const { priorityLevels, flowSchemas } = bootstrapFlowControl(vocabularyOf("orch"));
  const made = [...priorityLevels.map(levelLine), ...flowSchemas.map(schemaLine)];
  expect(made.sort()).toEqual([...table].sort());
});

test("their names and users follow the vocabulary", () => {
  const { flowSchemas } = bootstrapFlowControl(vocabularyOf("kubernetes"));
  const names = flowSchemas.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["kube-scheduler", "kube-system-service-accounts"]));
  expect(JSON.stringify(flowSchemas)).not.toContain("orch");
});
