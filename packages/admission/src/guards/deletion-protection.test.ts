// A marked object is not deleted, nor the namespace or definition that contains it.
import { describe, expect, test } from "@jest/globals";
import type { AdmissionOperation } from "@orch/machinery";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import { fakeDependencies, type RequestParts, refusalOf, requestOf } from "../testing/admission-request";
import { storedObjects } from "../testing/stored-objects";
import { deletionProtection } from "./deletion-protection";

const MARK = "orch.io/deletion-protection";

const owner = (manager: string, time: string | undefined, fields: JsonObject): JsonObject => ({
  ...{ manager, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: fields },
  ...(time !== undefined && { time }),
});
const ofMark: JsonObject = { "f:metadata": { "f:annotations": { [`f:${MARK}`]: {} } } };
const ofOthers: JsonObject = {
  "f:metadata": { "f:annotations": { ".": {}, "f:a": {} }, "f:labels": {} },
  "f:data": {},
};

const marked = (value: string, managedFields: readonly JsonObject[] = [], more: JsonObject = {}): JsonObject => ({
  metadata: { name: "a", namespace: "shop", annotations: { [MARK]: value }, managedFields: [...managedFields] },
  ...more,
});
const stored = (kind: string, name: string, value: string, more: JsonObject = {}, apiVersion = "v1"): JsonObject => ({
  apiVersion,
  kind,
  metadata: {
    namespace: "shop",
    name,
    annotations: { [MARK]: value },
    managedFields: [owner("ann", "T", ofMark)],
    ...more,
  },
});

async function refused(
  parts: RequestParts,
  dependencies: Partial<AdmissionDependencies> = {},
): Promise<string | undefined> {
  const { check } = deletionProtection(fakeDependencies(dependencies));
  const refusal = await refusalOf(() => check(requestOf({ operation: "DELETE", ...parts })));
  return refusal && `${refusal.code} ${refusal.message}`;
}
const text = (which: string, who: string) =>
  `403 ${which} protected from deletion by the annotation ${MARK}, which ${who}: remove the annotation first`;
const OF_MAP = 'configmaps "a" is forbidden: it is';
const NOBODY = "has no recorded field manager";

describe("an object", () => {
  test.each<[what: string, object: JsonObject, refusal: string | undefined]>([
    ["without annotations goes", { metadata: { name: "a" } }, undefined],
    ["without metadata goes", {}, undefined],
    ["with others goes", { metadata: { name: "a", annotations: { a: "true" } } }, undefined],
    ...["false", "", "1", "yes", "TRUE", "True", " true"].map((value): [string, JsonObject, undefined] => [
      `marked ${JSON.stringify(value)} goes`,
      marked(value),
      undefined,
    ]),
    ["marked stays", marked("true"), text(OF_MAP, NOBODY)],
    [
      "marked by somebody stays",
      marked("true", [owner("ann", "2024-05-01T12:00:00Z", ofMark)]),
      text(OF_MAP, '"ann" set at 2024-05-01T12:00:00Z'),
    ],
    [
      "marked by somebody at no time stays",
      marked("true", [owner("ann", undefined, ofMark)]),
      text(OF_MAP, '"ann" set'),
    ],
    [
      "of several tells of the one who marked it",
      marked("true", [owner("bob", "2024-05-02T12:00:00Z", ofOthers), owner("ann", "2024-05-01T12:00:00Z", ofMark)]),
      text(OF_MAP, '"ann" set at 2024-05-01T12:00:00Z'),
    ],
    [
      "marked by several tells of the last",
      marked("true", [
        owner("bob", undefined, ofMark),
        owner("cid", "2024-05-03T12:00:00Z", ofMark),
        owner("ann", "2024-05-01T12:00:00Z", ofMark),
      ]),
      text(OF_MAP, '"cid" set at 2024-05-03T12:00:00Z'),
    ],
    [
      "whose owners own other things tells of nobody",
      marked("true", [owner("bob", "T", ofOthers)]),
      text(OF_MAP, NOBODY),
    ],
    [
      "with owners of no form tells of nobody",
      marked("true", [{ manager: "bob", fieldsV1: "x" }, {}]),
      text(OF_MAP, NOBODY),
    ],
  ])("%s", async (_what, oldObject, refusal) => expect(await refused({ oldObject })).toBe(refusal));

  test("stays whoever asks, with the rest of a collection and in a dry run too", async () => {
    const user = { name: "admin", groups: ["system:masters"] };
    const oldObject = marked("true");
    expect(await refused({ oldObject, user, name: "", pathName: "", dryRun: true })).toBe(text(OF_MAP, NOBODY));
  });

  test("a protected custom object stays", async () => {
    const of = { group: "example.com", plural: "widgets" };
    expect(await refused({ ...of, oldObject: marked("true") })).toBe(
      text('widgets.example.com "a" is forbidden: it is', NOBODY),
    );
  });

  test("is marked in the words of the vocabulary", async () => {
    const vocabulary = vocabularyOf("kubernetes");
    expect(await refused({ oldObject: marked("true") }, { vocabulary })).toBeUndefined();
    const annotations = { "kubernetes.io/deletion-protection": "true" };
    expect(await refused({ oldObject: { metadata: { name: "a", annotations } } }, { vocabulary })).toContain(
      "kubernetes.io/",
    );
  });

  test("says by what it stays, for programs", async () => {
    const { check } = deletionProtection(fakeDependencies());
    const request = requestOf({ operation: "DELETE", oldObject: marked("true") });
    expect((await refusalOf(() => check(request)))?.details).toMatchObject({
      causes: [{ reason: "DeletionProtected", field: `metadata.annotations[${MARK}]` }],
    });
  });
});

describe("a namespace", () => {
  const ends = (metadata: JsonObject = {}): RequestParts => ({
    ...{ plural: "namespaces", namespace: "shop", name: "shop" },
    oldObject: { metadata: { name: "shop", ...metadata } },
  });
  const OF_SHOP = 'namespaces "shop" is forbidden:';
  test.each<[what: string, objects: readonly JsonObject[], refusal: string | undefined]>([
    ["that is empty goes", [], undefined],
    ["of which nothing is marked goes", [stored("ConfigMap", "a", "false")], undefined],
    [
      "with something marked stays",
      [stored("ConfigMap", "b", "true")],
      text(`${OF_SHOP} configmaps "b" is`, '"ann" set at T'),
    ],
    [
      "with something marked among others stays",
      [stored("Secret", "a", "no"), stored("Pod", "b", "true"), stored("Secret", "c", "false")],
      text(`${OF_SHOP} pods "b" is`, '"ann" set at T'),
    ],
    [
      "with something marked of a custom kind stays",
      [stored("Widget", "w", "true", {}, "example.com/v1")],
      text(`${OF_SHOP} widgets.example.com "w" is`, '"ann" set at T'),
    ],
    ["goes whatever is marked in another", [stored("ConfigMap", "b", "true", { namespace: "other" })], undefined],
  ])("%s", async (_what, objects, refusal) => expect(await refused(ends(), storedObjects(objects))).toBe(refusal));

  test("a protected namespace stays, and its content is not read", async () => {
    const { objects } = storedObjects([]);
    const dependencies = {
      objects: {
        ...objects,
        mentioning: () => {
          throw new Error("somebody looks");
        },
      },
    };
    expect(await refused(ends({ annotations: { [MARK]: "true" } }), dependencies)).toBe(
      text(`${OF_SHOP} it is`, NOBODY),
    );
  });
});

describe("a definition", () => {
  const ends: RequestParts = {
    ...{
      group: "apiextensions.orch.io",
      plural: "customresourcedefinitions",
      namespace: "",
      name: "widgets.example.com",
    },
    oldObject: {
      metadata: { name: "widgets.example.com" },
      spec: { group: "example.com", names: { plural: "widgets" } },
    },
  };
  const WHICH = 'customresourcedefinitions.apiextensions.orch.io "widgets.example.com" is forbidden:';
  test.each<[what: string, objects: readonly JsonObject[], refusal: string | undefined]>([
    ["without objects goes", [], undefined],
    ["whose objects are not marked goes", [stored("Widget", "w", "false", {}, "example.com/v1")], undefined],
    [
      "one of whose objects is marked stays",
      [stored("Widget", "w", "true", {}, "example.com/v1")],
      text(`${WHICH} widgets.example.com "w" of the namespace shop is`, '"ann" set at T'),
    ],
    [
      "goes whatever else is marked",
      [stored("Widget", "w", "true", {}, "example.org/v1"), stored("Pod", "w", "true")],
      undefined,
    ],
  ])("%s", async (_what, objects, refusal) => expect(await refused(ends, storedObjects(objects))).toBe(refusal));
});

describe("an eviction", () => {
  const evicts = (name: string, inBody = name): RequestParts => ({
    ...{ operation: "CREATE" as AdmissionOperation, plural: "pods", subresource: "eviction", name },
    object: { metadata: { name: inBody } },
  });
  const pods = storedObjects([stored("Pod", "kept", "true"), stored("Pod", "free", "false")]);
  test.each<[what: string, parts: RequestParts, refusal: string | undefined]>([
    ["of a marked pod is refused", evicts("kept"), text('pods "kept" is forbidden: it is', '"ann" set at T')],
    [
      "of one that the body names is refused",
      evicts("", "kept"),
      text('pods "kept" is forbidden: it is', '"ann" set at T'),
    ],
    ["of another is not", evicts("free"), undefined],
    ["of none is not", evicts("none"), undefined],
  ])("%s", async (_what, parts, refusal) => expect(await refused(parts, pods)).toBe(refusal));
});

test("an unprotected object costs one lookup", async () => {
  const { objects } = storedObjects([]);
  const asked = new Proxy(objects, {
    get: () => {
      throw new Error("something is read");
    },
  });
  const { check } = deletionProtection(fakeDependencies({ objects: asked }));
  expect(check(requestOf({ operation: "DELETE", oldObject: marked("false") }))).toBeUndefined();
});
