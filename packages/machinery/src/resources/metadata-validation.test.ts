import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { NAME_RULES } from "../names/name-formats";
import { type MetadataRules, metadataErrors, metadataUpdateErrors, standardFinalizers } from "./metadata-validation";

const RULES: MetadataRules = {
  scope: "Namespaced",
  nameErrors: NAME_RULES.subdomain,
  standardFinalizers: standardFinalizers(vocabularyOf("orch")),
};
const CLUSTER: MetadataRules = { ...RULES, scope: "Cluster" };
const OWNER = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u" };

const objectWith = (metadata: JsonObject): JsonObject => ({ metadata: { name: "a", namespace: "n", ...metadata } });
const summary = (errors: ReturnType<typeof metadataErrors>) => errors.map(({ kind, path }) => `${kind} ${path}`);

describe("the metadata of a new object", () => {
  test.each<[string, JsonObject]>([
    ["names alone", {}],
    ["a start for generated names", { generateName: "web-" }],
    ["labels", { labels: { a: "", "example.com/B": "x_y" } }],
    ["annotations in any case", { annotations: { "Example.COM/Note": "anything at all" } }],
    ["annotations up to the limit", { annotations: { a: "x".repeat(262143) } }],
    [
      "a controller and another owner",
      {
        ownerReferences: [
          { ...OWNER, controller: true },
          { ...OWNER, uid: "v" },
        ],
      },
    ],
    ["finalizers with and without prefix", { finalizers: ["example.com/a", "orch", "orphan"] }],
    ["owned fields", { managedFields: [{ manager: "m n", operation: "Apply", fieldsType: "FieldsV1" }] }],
  ])("may hold %s", (_what, metadata) => expect(metadataErrors(objectWith(metadata), RULES)).toEqual([]));

  test("may be wrong in as many ways as a body can hold", () => {
    const managedFields = Array.from({ length: 200_000 }, () => ({}));
    expect(metadataErrors(objectWith({ managedFields }), RULES)).toHaveLength(200_000);
  });

  test.each<[string, JsonObject, string[]]>([
    ["no name", { name: "" }, ["Required metadata.name"]],
    ["a name of another format", { name: "A" }, ["Invalid metadata.name"]],
    ["a bad start for generated names", { generateName: "A-" }, ["Invalid metadata.generateName"]],
    ["no namespace", { namespace: "" }, ["Required metadata.namespace"]],
    ["a bad namespace", { namespace: "a.b" }, ["Invalid metadata.namespace"]],
    ["a negative generation", { generation: -1 }, ["Invalid metadata.generation"]],
    [
      "a label's key and another's value",
      { labels: { "a b": "x", c: "-" } },
      ["Invalid metadata.labels", "Invalid metadata.labels"],
    ],
    ["an annotation's key", { annotations: { "a/b/c": "" } }, ["Invalid metadata.annotations"]],
    [
      "annotations past the limit, in bytes",
      { annotations: { a: "ä".repeat(131072) } },
      ["TooLong metadata.annotations"],
    ],
    [
      "an owner that says nothing",
      { ownerReferences: [OWNER, {}] },
      ["kind", "name", "uid", "apiVersion"].map((each) => `Invalid metadata.ownerReferences[1].${each}`),
    ],
    [
      "an Event as owner",
      { ownerReferences: [{ ...OWNER, apiVersion: "v1", kind: "Event" }] },
      ["Invalid metadata.ownerReferences[0]"],
    ],
    [
      "two controllers",
      {
        ownerReferences: [
          { ...OWNER, controller: true },
          { ...OWNER, controller: true },
        ],
      },
      ["Invalid metadata.ownerReferences"],
    ],
    ["a finalizer that is no name", { finalizers: ["a b/c"] }, ["Invalid metadata.finalizers"]],
    ["a finalizer without prefix", { finalizers: ["orphan", "mine"] }, ["Invalid metadata.finalizers[1]"]],
    ["both ways for dependents", { finalizers: ["orphan", "foregroundDeletion"] }, ["Invalid metadata.finalizers"]],
    [
      "a bad entry of owned fields",
      { managedFields: [{ manager: `${"m".repeat(128)}\n`, operation: "Replace", fieldsType: "FieldsV2" }] },
      [
        "Invalid metadata.managedFields.operation",
        "Invalid metadata.managedFields.fieldsType",
        "TooLong metadata.fieldManager",
        "Invalid metadata.fieldManager",
      ],
    ],
    ["a bad cluster name", { clusterName: "A" }, ["Invalid metadata.clusterName"]],
    [
      "several at once",
      { name: "", namespace: "", generation: -1 },
      ["Required metadata.name", "Required metadata.namespace", "Invalid metadata.generation"],
    ],
  ])("is refused with %s", (_what, metadata, expected) => {
    expect(summary(metadataErrors(objectWith(metadata), RULES)).sort()).toEqual(expected.sort());
  });

  test("an object of a cluster-scoped kind has no namespace", () => {
    expect(metadataErrors(objectWith({ namespace: "" }), CLUSTER)).toEqual([]);
    expect(metadataErrors(objectWith({}), CLUSTER)).toEqual([
      { kind: "Forbidden", path: "metadata.namespace", detail: "not allowed on this type" },
    ]);
  });

  test("has a name that can stand in a path, whatever its kind allows", () => {
    const rules = { ...RULES, nameErrors: () => [] };
    expect(summary(metadataErrors(objectWith({ name: ".." }), rules))).toEqual(["Invalid metadata.name"]);
  });

  test("takes any qualified finalizer where the kind does not say which need no prefix", () => {
    const { standardFinalizers: _, ...rules } = RULES;
    expect(metadataErrors(objectWith({ finalizers: ["mine"] }), rules)).toEqual([]);
  });

  test("is required even of an object without metadata", () => {
    expect(summary(metadataErrors({}, RULES))).toEqual(["Required metadata.name", "Required metadata.namespace"]);
  });
});

describe("the metadata of the next state", () => {
  const old = objectWith({ uid: "u", resourceVersion: "5", generation: 2, creationTimestamp: "2024-05-01T12:00:00Z" });
  const next = (metadata: JsonObject): JsonObject => ({
    metadata: { ...(old["metadata"] as JsonObject), ...metadata },
  });

  test.each<[string, JsonObject]>([
    ["nothing", {}],
    ["labels", { labels: { a: "b" } }],
    ["a higher generation", { generation: 3 }],
    ["absent fields that are empty", { clusterName: "", deletionTimestamp: null }],
    ["finalizers", { finalizers: ["example.com/a"] }],
  ])("may change %s", (_what, metadata) => expect(metadataUpdateErrors(next(metadata), old, RULES)).toEqual([]));

  test.each<[string, JsonObject, string[]]>([
    ["no resource version", { resourceVersion: "" }, ["Invalid metadata.resourceVersion"]],
    ["a lower generation", { generation: 1 }, ["Invalid metadata.generation"]],
    ["another name", { name: "b" }, ["Invalid metadata.name"]],
    ["another namespace", { namespace: "m" }, ["Invalid metadata.namespace"]],
    ["another uid", { uid: "v" }, ["Invalid metadata.uid"]],
    ["another creation time", { creationTimestamp: "2024-05-02T12:00:00Z" }, ["Invalid metadata.creationTimestamp"]],
    ["a deletion time", { deletionTimestamp: "2024-05-02T12:00:00Z" }, ["Invalid metadata.deletionTimestamp"]],
    ["a grace period", { deletionGracePeriodSeconds: 0 }, ["Invalid metadata.deletionGracePeriodSeconds"]],
    ["bad labels", { labels: { "": "" } }, ["Invalid metadata.labels"]],
  ])("is refused with %s", (_what, metadata, expected) => {
    expect(summary(metadataUpdateErrors(next(metadata), old, RULES))).toEqual(expected);
  });

  test("calls what may not change immutable", () => {
    expect(metadataUpdateErrors(next({ uid: "v" }), old, RULES)).toEqual([
      { kind: "Invalid", path: "metadata.uid", value: "v", detail: "field is immutable" },
    ]);
  });

  test("gains no finalizers once deletion was asked for, but may lose some", () => {
    const marked = next({ deletionTimestamp: "2024-05-02T12:00:00Z", finalizers: ["example.com/a", "example.com/b"] });
    const markedNext = (finalizers: string[]): JsonObject => ({
      metadata: { ...(marked["metadata"] as JsonObject), finalizers },
    });
    expect(metadataUpdateErrors(markedNext(["example.com/b"]), marked, RULES)).toEqual([]);
    expect(metadataUpdateErrors(markedNext(["example.com/b", "example.com/c"]), marked, RULES)).toEqual([
      {
        kind: "Forbidden",
        path: "metadata.finalizers",
        detail: 'no new finalizers can be added if the object is being deleted, found new finalizers ["example.com/c"]',
      },
    ]);
  });

  test("keeps a name that its kind would no longer take", () => {
    const relic = next({ name: "Old Name" });
    expect(metadataUpdateErrors(relic, relic, RULES)).toEqual([]);
  });
});
