import { describe, expect, test } from "@jest/globals";
import type { Resource } from "../discovery/resource";
import { matchKinds, readSearch } from "./match-kinds";

const resource = (kind: string, name: string, shortNames: readonly string[] = [], group = ""): Resource => ({
  group,
  version: "v1",
  name,
  kind,
  singular: kind.toLowerCase(),
  shortNames,
  categories: [],
  isNamespaced: true,
  verbs: ["list"],
  subresources: [],
  versions: ["v1"],
});
const RESOURCES = [
  resource("PodTemplate", "podtemplates"),
  resource("Pod", "pods", ["po"]),
  resource("Deployment", "deployments", ["deploy"], "apps"),
  resource("PodDisruptionBudget", "poddisruptionbudgets", ["pdb"], "policy"),
];
const found = (text: string) => matchKinds(RESOURCES, text).map(({ kind }) => kind);

describe("kinds", () => {
  test("are found by kind, plural and short name, the exact one first", () => {
    expect(found("pod")).toEqual(["Pod", "PodTemplate", "PodDisruptionBudget"]);
    expect(found("PODS")).toEqual(["Pod"]);
    expect(found("pdb")[0]).toBe("PodDisruptionBudget");
    expect(found("apps")).toEqual(["Deployment"]);
    expect(found(" ")).toEqual([]);
  });
});

test.each([
  ["web", { name: "web" }],
  ["pod web", { kind: "pod", name: "web" }],
  ["deploy/web", { kind: "deploy", name: "web" }],
  ["pod ", { name: "pod" }],
])("the search %p is read", (text, expected) => expect(readSearch(text)).toEqual(expected));
