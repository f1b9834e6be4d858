import { expect, test } from "@jest/globals";
import type { DiscoveredResource } from "@orch/client";
import { likelyName } from "./likely-name";

const resource = (plural: string, shortNames: readonly string[] = []): DiscoveredResource => ({
  group: "",
  version: "v1",
  resource: plural,
  kind: plural,
  namespaced: true,
  singular: plural.slice(0, -1),
  shortNames,
  categories: [],
  verbs: [],
  subresources: [],
});
const RESOURCES = [resource("pods", ["po"]), resource("configmaps", ["cm"]), resource("deployments", ["deploy"])];

test.each([
  ["pdos", "pods"],
  ["confgmap", "configmap"],
  ["deplyments", "deployments"],
  ["depoly", "deploy"],
  ["elephants", undefined],
  ["x".repeat(1_000_000), undefined],
])("%.20s suggests %s", (name, likely) => {
  expect(likelyName(name, RESOURCES)).toBe(likely);
});
