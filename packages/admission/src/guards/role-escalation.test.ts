import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { createAdmissionChain } from "../chain/chain";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../testing/admission-request";

const GROUP = "rbac.authorization.orch.io";
const role: JsonObject = {
  metadata: { name: "r", resourceVersion: "5", labels: { a: "b" } },
  rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
};

const refused = (parts: RequestParts, dependencies = fakeDependencies()) =>
  refusalOf(() =>
    createAdmissionChain({ plugins: [], dependencies }).mutate(
      requestOf({ group: GROUP, plural: "clusterroles", namespace: "", ...parts }),
    ),
  );

describe("a change of metadata alone requires only permission to write the object", () => {
  test.each<[string, JsonObject]>([
    ["none", role],
    [
      "what is empty",
      { ...role, aggregationRule: null, metadata: { ...(role["metadata"] as JsonObject), annotations: {} } },
    ],
    ["finalizers", { ...role, metadata: { ...(role["metadata"] as JsonObject), finalizers: ["a/b"] } }],
    ["owners", { ...role, metadata: { ...(role["metadata"] as JsonObject), ownerReferences: [{ uid: "1" }] } }],
    [
      "who owns which fields",
      { ...role, metadata: { ...(role["metadata"] as JsonObject), managedFields: [{ manager: "m" }] } },
    ],
  ])("%s", async (_what, object) => {
    expect(await refused({ operation: "UPDATE", object, oldObject: role })).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ["a label", { ...role, metadata: { ...(role["metadata"] as JsonObject), labels: { a: "c" } } }],
    ["a rule more", { ...role, rules: [...(role["rules"] as JsonObject[]), ...(role["rules"] as JsonObject[])] }],
    ["a selector that selects everything", { ...role, aggregationRule: { clusterRoleSelectors: [{}] } }],
    ["a member of a name that all objects have", { ...role, constructor: { a: 1 } }],
  ])("but not %s", async (_what, object) => {
    expect(await refused({ operation: "UPDATE", object, oldObject: role })).toMatchObject({ code: 403 });
  });
});

test.each<[string, RequestParts]>([
  ["deletions", { operation: "DELETE", oldObject: role }],
  ["other resources of the name", { group: "example.com", object: role }],
  ["the privileged group", { object: role, user: { name: "root", groups: ["system:masters"] } }],
])("%s are not looked at", async (_what, parts) => expect(await refused(parts)).toBeUndefined());

test("the check uses the role of the request path, which was authorized", async () => {
  const asked: object[] = [];
  const authorizer = {
    authorize: (attributes: object) => {
      asked.push(attributes);
      return { kind: "allow", reason: "" } as const;
    },
  };
  const dependencies = fakeDependencies({ authorizer });
  await refused({ object: role, pathName: "" }, dependencies);
  await refused({ operation: "UPDATE", object: role, oldObject: { ...role, rules: [] }, pathName: "r" }, dependencies);
  const escalate = { verb: "escalate", apiGroup: GROUP, resource: "clusterroles", namespace: "" };
  expect(asked).toMatchObject([
    { ...escalate, name: "" },
    { ...escalate, name: "r" },
  ]);
});
