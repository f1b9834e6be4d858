import { describe, expect, test } from "@jest/globals";
import type { Precondition } from "@orch/machinery";
import { createAdmissionChain } from "../chain/chain";
import type { NamespaceReader, NamespaceState } from "../contract/dependencies";
import { fakeDependencies, namespacesOf, type RequestParts, refusalOf, requestOf } from "../testing/admission-request";
import { namespaceLifecycle } from "./namespace-lifecycle";

const MISSING = {
  code: 404,
  message: 'namespaces "gone" not found',
  details: { name: "gone", group: "", kind: "namespaces" },
};
const TERMINATING = {
  code: 403,
  message: 'configmaps "a" is forbidden: unable to create new content in namespace old because it is being terminated',
  details: {
    name: "a",
    kind: "configmaps",
    causes: [
      {
        reason: "NamespaceTerminating",
        message: "namespace old is being terminated",
        field: "metadata.namespace",
      },
    ],
  },
};

describe("objects in namespaces", () => {
  test.each<[string, RequestParts, object | undefined]>([
    ["may be created where the namespace exists", {}, undefined],
    ["may not be created in a missing namespace", { namespace: "gone" }, MISSING],
    ["may not be updated in a missing namespace", { namespace: "gone", operation: "UPDATE" }, MISSING],
    ["may be deleted from a missing namespace", { namespace: "gone", operation: "DELETE" }, undefined],
    ["may not be created in one that is being deleted", { namespace: "old" }, TERMINATING],
    ["may be updated in one that is being deleted", { namespace: "old", operation: "UPDATE" }, undefined],
    ["need no namespace at the cluster scope", { namespace: "", plural: "nodes" }, undefined],
    [
      "that only ask about access need no namespace",
      { namespace: "gone", group: "authorization.orch.io", plural: "localsubjectaccessreviews" },
      undefined,
    ],
  ])("%s", async (_behaviour, parts, refusal) => {
    expect(await refused(parts)).toEqual(refusal);
  });

  test("are refused by the prefix of their name when they have none yet, and with their group", async () => {
    const object = { metadata: { generateName: "web-" } };
    const refusal = await refused({ namespace: "old", name: "", object, group: "apps", plural: "deployments" });
    expect(refusal).toMatchObject({
      message: expect.stringMatching(/^deployments\.apps "web-" is forbidden: unable to create/),
      details: { name: "web-", group: "apps", kind: "deployments" },
    });
  });

  test("wait for a namespace that has to be looked up", async () => {
    const dependencies = namespacesOf({
      get: async (name) => (name === "late" ? { terminating: false, revision: 9 } : undefined),
    });
    expect(await refused({ namespace: "late" }, dependencies)).toBeUndefined();
    expect(await refused({ namespace: "gone" }, dependencies)).toEqual(MISSING);
  });
});

describe("that a namespace takes objects", () => {
  async function preconditionOf(namespaces: Partial<NamespaceReader>) {
    const request = requestOf({});
    await made(namespacesOf(namespaces)).mutate(request);
    expect(request.preconditions).toHaveLength(1);
    return request.preconditions[0] as Precondition;
  }

  test("is what a creation rests on, as of the revision that was looked at", async () => {
    const resource = { group: "", resource: "namespaces" };
    expect(await preconditionOf({})).toMatchObject({ resource, namespace: "", name: "shop", revision: 7 });
  });

  test("is asked of the store once the namespace has changed", async () => {
    const precondition = await preconditionOf({ inStore: async () => ({ terminating: false, revision: 12 }) });
    expect(await precondition.retry()).toMatchObject({ name: "shop", revision: 12 });
  });

  test.each<[string, NamespaceState | undefined, number]>([
    ["terminating", { terminating: true, revision: 12 }, 403],
    ["gone", undefined, 404],
  ])("is refused after all when it is %s by then", async (_what, state, code) => {
    const precondition = await preconditionOf({ inStore: async () => state });
    await expect(precondition.retry()).rejects.toMatchObject({ code });
  });

  test("matters to creations alone", async () => {
    for (const operation of ["UPDATE", "DELETE"] as const) {
      const request = requestOf({ operation });
      await made().mutate(request);
      expect(request.preconditions).toEqual([]);
    }
  });
});

describe("namespaces", () => {
  test.each(["default", "orch-system", "orch-public"])("%s may not be deleted", async (name) => {
    const namespaces = { plural: "namespaces", namespace: name, operation: "DELETE" } as const;
    const message = `namespaces "${name}" is forbidden: this namespace may not be deleted`;
    expect(await refused({ ...namespaces, name })).toMatchObject({ code: 403, message });
    const oldObject = { metadata: { name } };
    expect(await refused({ ...namespaces, name: "", oldObject })).toMatchObject({ code: 403, message });
  });

  test.each<[string, RequestParts]>([
    ["other ones may be deleted", { name: "kube-system", operation: "DELETE" }],
    ["may be created, though they do not exist yet", { name: "gone", namespace: "gone" }],
    ["that stay for ever may be changed", { name: "default", operation: "UPDATE" }],
  ])("%s", async (_behaviour, parts) => {
    expect(await refused({ plural: "namespaces", namespace: "", ...parts })).toBeUndefined();
  });
});

const made = (namespaces = namespacesOf()) =>
  createAdmissionChain({ plugins: [namespaceLifecycle], dependencies: fakeDependencies({ namespaces }) });

function refused(parts: RequestParts, namespaces: NamespaceReader = namespacesOf()) {
  return refusalOf(() => made(namespaces).mutate(requestOf(parts)));
}
