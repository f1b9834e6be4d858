import { describe, expect, test } from "@jest/globals";
import { type BuiltInOptions, builtInResources } from "@orch/apis";
import type { ResourceRoute } from "@orch/request";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { patchKind } from "./patch-kind";

const vocabulary = vocabularyOf("orch");
const deploymentsOf = (options: BuiltInOptions = {}) => {
  const all = builtInResources(vocabulary, loadSchema(vocabulary), options);
  const found = all.find(({ plural }) => plural === "deployments");
  if (found === undefined) throw new Error("there are no deployments");
  return found;
};
const deployments = deploymentsOf();

const subresource = (name: string, { subresources } = deployments) => {
  const rules = subresources[name];
  return rules === undefined ? undefined : { name, rules };
};

const plain = { definition: deployments, subresource: undefined };

const JSON_PATCH = "application/json-patch+json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";

describe.each<[string, Pick<ResourceRoute, "definition" | "subresource"> & { applies?: false }, readonly string[]]>([
  ["an object", plain, [JSON_PATCH, MERGE, STRATEGIC, APPLY]],
  [
    "a part of it",
    { definition: deployments, subresource: subresource("status") },
    [JSON_PATCH, MERGE, STRATEGIC, APPLY],
  ],
  [
    "a sub-resource of another kind",
    { definition: deployments, subresource: subresource("scale") },
    [JSON_PATCH, MERGE, STRATEGIC, APPLY],
  ],
  [
    "a sub-resource of another kind before 1.22",
    { definition: deployments, subresource: subresource("scale", deploymentsOf({ release: "1.21" })) },
    [JSON_PATCH, MERGE, STRATEGIC],
  ],
  [
    "an object whose type has no rules for merging",
    { definition: { ...deployments, strategicMerge: false }, subresource: undefined },
    [JSON_PATCH, MERGE, APPLY],
  ],
  ["an object where nothing is applied", { ...plain, applies: false }, [JSON_PATCH, MERGE, STRATEGIC]],
])("%s", (_what, route, taken) => {
  const target = { applies: true, ...route };
  test(`takes ${taken.join(", ")}`, () => {
    for (const type of taken) expect(patchKind(`${type.toUpperCase()}; charset=utf-8`, target)).toMatch(/\w/);
  });

  test.each([STRATEGIC, APPLY, "application/json", "toString", ""].filter((type) => !taken.includes(type)))(
    "does not take %j and lists what it takes",
    (type) => {
      expect(() => patchKind(type, target)).toThrow(
        `the body of the request was in an unknown format - accepted media types include: ${taken.join(", ")}`,
      );
    },
  );
});
