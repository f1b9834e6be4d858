import { describe, expect, test } from "@jest/globals";
import { readDiscovery } from "./read-discovery";
import { apiVersionOf, collectionPath, objectPath, qualifiedName } from "./resource";

const DOCUMENTS = [
  {
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "pods",
                responseKind: { kind: "Pod" },
                scope: "Namespaced",
                shortNames: ["po"],
                verbs: ["get"],
              },
              { resource: "namespaces", responseKind: { kind: "Namespace" }, scope: "Cluster" },
            ],
          },
        ],
      },
    ],
  },
  {
    items: [
      {
        metadata: { name: "apps" },
        versions: [
          {
            version: "v1",
            resources: [{ resource: "deployments", scope: "Namespaced", subresources: [{ subresource: "scale" }] }],
          },
          { version: "v1beta1", resources: [{ resource: "deployments", scope: "Namespaced" }, { resource: "scales" }] },
        ],
      },
    ],
  },
];

describe("discovery", () => {
  const resources = readDiscovery(DOCUMENTS);
  const named = (name: string) => {
    const found = resources.find((each) => each.name === name);
    if (found === undefined) throw new Error(name);
    return found;
  };

  test("has every resource with its group, version and scope", () => {
    expect(resources.map((each) => [apiVersionOf(each), each.name, each.isNamespaced])).toEqual([
      ["v1", "pods", true],
      ["v1", "namespaces", false],
      ["apps/v1", "deployments", true],
      ["apps/v1beta1", "deployments", true],
      ["apps/v1beta1", "scales", false],
    ]);
  });

  test("knows the other versions and the subresources of a resource", () => {
    expect(named("deployments")).toMatchObject({ versions: ["v1", "v1beta1"], subresources: ["scale"] });
    expect(named("scales").versions).toEqual(["v1beta1"]);
    expect(qualifiedName(named("deployments"))).toBe("deployments.apps");
  });

  test("gives paths of collections and objects", () => {
    expect(collectionPath(named("pods"))).toBe("/api/v1/pods");
    expect(collectionPath(named("pods"), "a")).toBe("/api/v1/namespaces/a/pods");
    expect(objectPath(named("namespaces"), "ignored", "x:y")).toBe("/api/v1/namespaces/x%3Ay");
    expect(objectPath(named("deployments"), "a", "b")).toBe("/apis/apps/v1/namespaces/a/deployments/b");
  });
});
