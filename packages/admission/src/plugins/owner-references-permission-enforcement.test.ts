import { describe, expect, test } from "@jest/globals";
import type { Attributes, Decision } from "@orch/auth";
import type { AdmissionRequest } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { KindReader } from "../contract/dependencies";
import type { RequestParts } from "../testing/admission-request";
import { type Answer, chainWith } from "../testing/answered";
import { ownerReferencesPermissionEnforcement as plugin } from "./owner-references-permission-enforcement";

interface Owner {
  readonly uid: string;
  readonly blocks?: boolean | null;
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly controller?: boolean;
}

const owner = ({ uid, blocks, kind = "ReplicaSet", apiVersion = "apps/v1", ...rest }: Owner): JsonObject => ({
  apiVersion,
  kind,
  name: `of-${uid}`,
  uid,
  ...(blocks !== undefined && { blockOwnerDeletion: blocks }),
  ...rest,
});
const owned = (...owners: readonly Owner[]): JsonObject => ({
  metadata: { name: "a", namespace: "shop", ownerReferences: owners.map(owner) },
});
const FREE: JsonObject = { metadata: { name: "a", namespace: "shop" } };

const KINDS: Readonly<Record<string, Awaited<ReturnType<KindReader["of"]>>>> = {
  "apps/v1 ReplicaSet": [{ group: "apps", resource: "replicasets", namespaced: true }],
  "v1 Node": [{ group: "", resource: "nodes", namespaced: false }],
  "extensions/v1beta1 Ingress": [{ group: "networking.orch.io", resource: "ingresses", namespaced: true }],
  "stable.example.com/v1 Twin": [
    { group: "stable.example.com", resource: "twins", namespaced: true },
    { group: "stable.example.com", resource: "othertwins", namespaced: true },
  ],
};

/** Returns the attributes as text: verb, group/version, resource/subresource, namespace and name. */
const wordsOf = (of: Attributes): string => {
  if (of.kind !== "resource") throw new Error("nobody asks for paths");
  const resource = of.subresource === "" ? of.resource : `${of.resource}/${of.subresource}`;
  return `${of.verb} ${of.apiGroup}/${of.apiVersion} ${resource} ${of.namespace}/${of.name}`;
};

const OWN = "delete /v1 configmaps shop/a";
const SET = "update apps/v1 replicasets/finalizers shop/of-1";
const NODE = "update /v1 nodes/finalizers /of-1";
const TWIN = "update stable.example.com/v1 twins/finalizers shop/of-1";
const OTHER_TWIN = "update stable.example.com/v1 othertwins/finalizers shop/of-1";

interface Case {
  readonly old?: JsonObject;
  readonly next: JsonObject;
  readonly may?: readonly string[];
  readonly parts?: RequestParts;
}

async function judge({ old, next, may = [], parts = {} }: Case, refusal: Decision = { kind: "noOpinion", reason: "" }) {
  const asked: string[] = [];
  const authorizer = {
    authorize(attributes: Attributes): Decision {
      expect(attributes.user).toEqual({ name: "ann", groups: [] });
      const words = wordsOf(attributes);
      asked.push(words);
      return may.includes(words) ? { kind: "allow", reason: "" } : refusal;
    },
  };
  const kinds: KindReader = { of: (apiVersion, kind) => KINDS[`${apiVersion} ${kind}`] ?? [] };
  const operation = old === undefined ? "CREATE" : "UPDATE";
  const { ask } = chainWith({ plugins: [plugin], dependencies: { authorizer, kinds } });
  const answer = await ask({ operation, object: next, oldObject: old, ...parts });
  const shown = "refused" in answer ? answer : "passes";
  return { answer: shown, asked };
}

const forbidden = (text: string): Answer => ({
  refused: { code: 403, message: `configmaps "a" is forbidden: ${text}` },
});
const NO_DELETE = forbidden("cannot set an ownerRef on a resource you can't delete: , <nil>");
const NO_HOLD = forbidden(
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
);
const unknown = (apiVersion: string, kind: string, why = `no matches for kind "${kind}" in version "${apiVersion}"`) =>
  forbidden(
    `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
  );

describe("an object", () => {
  test.each<[string, Case, Answer | "passes", readonly string[]]>([
    ["without owners is created", { next: FREE }, "passes", []],
    ["with an empty list of owners is created", { next: owned() }, "passes", []],
    ["with an owner is created", { next: owned({ uid: "1" }) }, "passes", []],
    ["with an owner that does not wait is created", { next: owned({ uid: "1", blocks: false }) }, "passes", []],
    [
      "with an owner that waits is created by who may",
      { next: owned({ uid: "1", blocks: true }), may: [SET] },
      "passes",
      [SET],
    ],
    ["with an owner that waits is not created by others", { next: owned({ uid: "1", blocks: true }) }, NO_HOLD, [SET]],
    [
      "with an owner of the cluster that waits is created by who may",
      { next: owned({ uid: "1", blocks: true, kind: "Node", apiVersion: "v1" }), may: [NODE] },
      "passes",
      [NODE],
    ],
    [
      "with an owner of the cluster that waits is not created by others",
      { next: owned({ uid: "1", blocks: true, kind: "Node", apiVersion: "v1" }) },
      NO_HOLD,
      [NODE],
    ],
    [
      "with an owner of an older version asks for that version",
      { next: owned({ uid: "1", blocks: true, kind: "Ingress", apiVersion: "extensions/v1beta1" }) },
      NO_HOLD,
      ["update extensions/v1beta1 ingresses/finalizers shop/of-1"],
    ],
    [
      "with an owner of two resources is created by who may in both",
      {
        next: owned({ uid: "1", blocks: true, kind: "Twin", apiVersion: "stable.example.com/v1" }),
        may: [TWIN, OTHER_TWIN],
      },
      "passes",
      [TWIN, OTHER_TWIN],
    ],
    [
      "with an owner of two resources is not created by who may in one",
      { next: owned({ uid: "1", blocks: true, kind: "Twin", apiVersion: "stable.example.com/v1" }), may: [TWIN] },
      NO_HOLD,
      [TWIN, OTHER_TWIN],
    ],
    [
      "with an owner of an unknown kind that waits is not created",
      { next: owned({ uid: "1", blocks: true, kind: "Nothing", apiVersion: "apps/v1" }) },
      unknown("apps/v1", "Nothing"),
      [],
    ],
    [
      "with an owner of no version that waits is not created",
      { next: owned({ uid: "1", blocks: true, kind: "A", apiVersion: "a/b/c" }) },
      unknown("a/b/c", "A", "unexpected GroupVersion string: a/b/c"),
      [],
    ],
    [
      "with an owner of an unknown kind that does not wait is created",
      { next: owned({ uid: "1", kind: "Nothing", apiVersion: "x/v1" }) },
      "passes",
      [],
    ],
    [
      "with two owners that wait asks for both",
      { next: owned({ uid: "1", blocks: true }, { uid: "2", blocks: true }), may: [SET] },
      NO_HOLD,
      [SET, "update apps/v1 replicasets/finalizers shop/of-2"],
    ],
    [
      "with an owner that waits and one that does not asks for one",
      { next: owned({ uid: "1", blocks: true }, { uid: "2" }), may: [SET] },
      "passes",
      [SET],
    ],
    [
      "that keeps its owners is updated",
      { old: owned({ uid: "1", blocks: true }), next: owned({ uid: "1", blocks: true }) },
      "passes",
      [],
    ],
    ["that keeps to have none is updated", { old: FREE, next: owned() }, "passes", []],
    [
      "that gets an owner is updated by who may delete it",
      { old: FREE, next: owned({ uid: "1" }), may: [OWN] },
      "passes",
      [OWN],
    ],
    ["that gets an owner is not updated by others", { old: FREE, next: owned({ uid: "1" }) }, NO_DELETE, [OWN]],
    [
      "that loses an owner is updated by who may delete it",
      { old: owned({ uid: "1" }), next: FREE, may: [OWN] },
      "passes",
      [OWN],
    ],
    ["that loses an owner is not updated by others", { old: owned({ uid: "1" }), next: FREE }, NO_DELETE, [OWN]],
    [
      "that loses an owner that waits asks for no finalizers",
      { old: owned({ uid: "1", blocks: true }), next: FREE, may: [OWN] },
      "passes",
      [OWN],
    ],
    [
      "whose owners are in another order is not updated by others",
      { old: owned({ uid: "1" }, { uid: "2" }), next: owned({ uid: "2" }, { uid: "1" }) },
      NO_DELETE,
      [OWN],
    ],
    [
      "whose owner becomes its controller is not updated by others",
      { old: owned({ uid: "1" }), next: owned({ uid: "1", controller: true }) },
      NO_DELETE,
      [OWN],
    ],
    [
      "whose owner begins to wait asks for both",
      { old: owned({ uid: "1" }), next: owned({ uid: "1", blocks: true }), may: [OWN] },
      NO_HOLD,
      [OWN, SET],
    ],
    [
      "whose owner begins to wait after saying no asks for both",
      { old: owned({ uid: "1", blocks: false }), next: owned({ uid: "1", blocks: true }), may: [OWN, SET] },
      "passes",
      [OWN, SET],
    ],
    [
      "whose owner waits no more asks for its own deletion",
      { old: owned({ uid: "1", blocks: true }), next: owned({ uid: "1" }), may: [OWN] },
      "passes",
      [OWN],
    ],
    [
      "that gets another owner beside one that waits asks for its own deletion",
      { old: owned({ uid: "1", blocks: true }), next: owned({ uid: "1", blocks: true }, { uid: "2" }), may: [OWN] },
      "passes",
      [OWN],
    ],
    [
      "whose owner is replaced by one of its name that waits asks for that",
      { old: owned({ uid: "2", blocks: true }), next: owned({ uid: "1", blocks: true }), may: [OWN, SET] },
      "passes",
      [OWN, SET],
    ],
    [
      "whose part is written asks for that part",
      {
        old: FREE,
        next: owned({ uid: "1" }),
        parts: { subresource: "status" },
        may: ["delete /v1 configmaps/status shop/a"],
      },
      "passes",
      ["delete /v1 configmaps/status shop/a"],
    ],
    [
      "of a custom kind asks for that kind",
      {
        old: FREE,
        next: owned({ uid: "1" }),
        parts: { group: "stable.example.com", plural: "crontabs" },
        may: ["delete stable.example.com/v1 crontabs shop/a"],
      },
      "passes",
      ["delete stable.example.com/v1 crontabs shop/a"],
    ],
    [
      "that is a pod whose status is written is let be",
      { old: FREE, next: owned({ uid: "1", blocks: true }), parts: { plural: "pods", subresource: "status" } },
      "passes",
      [],
    ],
    [
      "that is a pod is not let be",
      { old: FREE, next: owned({ uid: "1" }), parts: { plural: "pods" }, may: ["delete /v1 pods shop/a"] },
      "passes",
      ["delete /v1 pods shop/a"],
    ],
    [
      "in a dry run is asked about too",
      { next: owned({ uid: "1", blocks: true }), parts: { dryRun: true } },
      NO_HOLD,
      [SET],
    ],
    ["without metadata has no owners", { next: {} }, "passes", []],
  ])("%s", async (_what, of, answer, asked) => {
    expect(await judge(of)).toEqual({ answer, asked });
  });

  test.each<[Decision, string]>([
    [{ kind: "noOpinion", reason: "", error: "no such role" }, ", no such role"],
    [{ kind: "deny", reason: "not on Sundays" }, "not on Sundays, <nil>"],
  ])("that is refused is told why: %j", async (decision, why) => {
    const { answer } = await judge({ old: FREE, next: owned({ uid: "1" }) }, decision);
    expect(answer).toEqual(forbidden(`cannot set an ownerRef on a resource you can't delete: ${why}`));
  });

  test("an object written in another version is checked in that version", async () => {
    const version = { group: "extensions", version: "v1beta1" } as AdmissionRequest["version"];
    const parts = { group: "networking.orch.io", plural: "ingresses", version };
    const { asked } = await judge({ old: FREE, next: owned({ uid: "1" }), parts });
    expect(asked).toEqual(["delete extensions/v1beta1 ingresses shop/a"]);
  });

  test("that is deleted or connected to is not asked about", async () => {
    const { ask } = chainWith({ plugins: [plugin] });
    expect(await ask({ operation: "DELETE", oldObject: owned({ uid: "1", blocks: true }) })).toEqual({
      object: undefined,
    });
    expect(await ask({ operation: "CONNECT", object: owned({ uid: "1", blocks: true }) })).toMatchObject({
      object: {},
    });
  });

  test("has what owners it likes where the plugin is off", async () => {
    const object = owned({ uid: "1", blocks: true });
    expect(await chainWith({ plugins: [] }).ask({ object })).toEqual({ object });
  });
});
