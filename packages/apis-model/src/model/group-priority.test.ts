import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { compareGroups, groupPriority, orderVersions, storageVersionHash } from "./group-priority";

const vocabulary = vocabularyOf("kubernetes");

test("groups come in the order of discovery, by name where their priority is the same", () => {
  const groups = [
    "example.com",
    "rbac.authorization.k8s.io",
    "apps",
    "apiextensions.k8s.io",
    "",
    "admissionregistration.k8s.io",
  ];
  expect(groups.sort((one, other) => compareGroups(vocabulary, one, other))).toEqual([
    "",
    "apps",
    "rbac.authorization.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "example.com",
  ]);
});

test("a group has its priority in either vocabulary", () => {
  expect(groupPriority(vocabulary, "networking.k8s.io")).toBe(17200);
  expect(groupPriority(vocabularyOf("orch"), "networking.orch.io")).toBe(17200);
  expect(groupPriority(vocabularyOf("orch"), "networking.k8s.io")).toBe(1000);
});

describe("the versions of a group", () => {
  test.each<[string, string[], string[]]>([
    ["batch", ["v1beta1", "v1"], ["v1", "v1beta1"]],
    ["rbac", ["v1alpha1", "v1beta1", "v1"], ["v1", "v1beta1", "v1alpha1"]],
    ["autoscaling", ["v2beta2", "v1", "v2", "v2beta1"], ["v2", "v1", "v2beta1", "v2beta2"]],
    ["autoscaling", ["v2beta2", "v1", "v2beta1"], ["v1", "v2beta1", "v2beta2"]],
    ["flowcontrol", ["v1beta1", "v1beta2"], ["v1beta2", "v1beta1"]],
  ])("%s are ordered", (group, versions, expected) => expect(orderVersions(group, versions)).toEqual(expected));

  test.each<[string[], string[], string[]]>([
    [["v1", "v1beta1", "v2"], ["v2"], ["v1", "v2", "v1beta1"]],
    [
      ["v1", "v1beta1"],
      ["v1", "v1beta1"],
      ["v1", "v1beta1"],
    ],
  ])("%j, of which %j are new, are ordered", (versions, fresh, expected) =>
    expect(orderVersions("example.com", versions, (each) => fresh.includes(each))).toEqual(expected),
  );
});

test.each([
  ["", "v1", "Pod", "xPOwRZ+Yhw8="],
  ["", "v1", "ConfigMap", "qFsyl6wFWjQ="],
  ["apps", "v1", "Deployment", "8aSe+NMegvE="],
])("the storage version of %s/%s %s has the hash that clients know", (group, version, kind, hash) =>
  expect(storageVersionHash({ group, version, kind })).toBe(hash),
);
