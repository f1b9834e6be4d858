import { describe, expect, test } from "@jest/globals";
import { nextRelease } from "@orch/apis-model";
import type { ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { type FactRow, factTable, wordsOf } from "../testing/fact-table";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("orch");
const schema = loadSchema(vocabulary);

function define(group: string, plural: string): ResourceDefinition {
  const resource = EVERY_RESOURCE.find((each) => each.group === group && each.plural === plural);
  if (resource === undefined) throw new Error(`no ${group} ${plural}`);
  // First release that stores the resource in its newest version, which the rows describe.
  const release = nextRelease(resource.versions[0]?.introduced ?? "1.22");
  const definition = definitionOf(resource, vocabulary, schema, release);
  if (definition === undefined) throw new Error(`${plural} is not served when introduced`);
  return definition;
}

const metadata = (more: JsonObject = {}): JsonObject => ({ name: "it", ...more });

const rows = factTable("strategies.tsv").map((row): [string, FactRow] => [`${row["group"]} ${row["plural"]}`, row]);

describe.each(rows)("%s", (_, row) => {
  const definition = define(row["group"] ?? "", row["plural"] ?? "");
  const { strategy } = definition;
  const says = (column: string) => row[column] === "true";

  test("takes the updates that the facts allow", () => {
    expect(strategy.createOnUpdate).toBe(says("createOnUpdate"));
    expect(strategy.unconditionalUpdate).toBe(says("unconditionalUpdate"));
    expect(definition.deleteReturnsObject).toBe(says("deleteReturnsObject"));
  });

  test("selects by the fields that the facts name", () => {
    const labels = definition.storage.fieldLabels ?? Object.keys(definition.selectableFields);
    expect([...labels].sort()).toEqual([...wordsOf(row["labels"])].sort());
    for (const label of labels) expect(definition.selectableFields[label]).toBeDefined();
  });

  test("ignores the status of a client who creates or updates, where it has one of its own", () => {
    const created: JsonObject = { metadata: metadata(), spec: {}, status: { phase: "Forged" } };
    strategy.prepareForCreate?.(created);
    expect(JSON.stringify(created["status"] ?? {}).includes("Forged")).toBe(!says("resetsStatus"));
    const updated: JsonObject = { metadata: metadata(), spec: {}, status: { phase: "Forged" } };
    strategy.prepareForUpdate?.(updated, { metadata: metadata(), spec: {}, status: { phase: "Stored" } });
    expect(JSON.stringify(updated["status"]).includes("Forged")).toBe(!says("keepsStatus"));
  });

  test("starts its generation at 1 where it counts generations", () => {
    const created: JsonObject = { metadata: metadata(), spec: {} };
    strategy.prepareForCreate?.(created);
    expect((created["metadata"] as JsonObject)["generation"]).toBe(says("countsGenerations") ? 1 : undefined);
  });
});

/** Parts whose change increments the generation, per kind. Other changes keep it. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  "core replicationcontrollers": ["spec"],
  "apps deployments": ["spec", "annotations"],
  "apps replicasets": ["spec"],
  "apps statefulsets": ["spec"],
  "apps daemonsets": ["spec"],
  "policy poddisruptionbudgets": ["spec"],
  "networking ingresses": ["spec"],
  "networking ingressclasses": ["spec"],
  "networking networkpolicies": ["spec"],
  "discovery endpointslices": ["endpoints"],
  "admissionregistration mutatingwebhookconfigurations": ["webhooks"],
  "admissionregistration validatingwebhookconfigurations": ["webhooks"],
  "flowcontrol flowschemas": ["spec"],
  "flowcontrol prioritylevelconfigurations": ["spec"],
  "apiextensions customresourcedefinitions": ["spec"],
  "resource deviceclasses": ["spec"],
  "resource devicetaintrules": ["spec"],
  "resource resourceslices": ["spec"],
};

const CHANGES: Readonly<Record<string, (object: JsonObject) => void>> = {
  spec: (object) => Object.assign(object["spec"] as JsonObject, { changed: true }),
  annotations: (object) => Object.assign(object["metadata"] as JsonObject, { annotations: { a: "b" } }),
  labels: (object) => Object.assign(object["metadata"] as JsonObject, { labels: { a: "b" } }),
  status: (object) => Object.assign(object, { status: { changed: true } }),
  endpoints: (object) => Object.assign(object, { endpoints: [{ addresses: ["10.0.0.1"] }] }),
  webhooks: (object) => Object.assign(object, { webhooks: [{ name: "a.example.com" }] }),
};

describe.each(rows.map(([id]) => id))("the generation of %s", (id) => {
  const [group = "", plural = ""] = id.split(" ");
  const { strategy } = define(group, plural);
  test.each(Object.keys(CHANGES))("when %s change", (part) => {
    const stored = (): JsonObject => ({ metadata: metadata({ generation: 7 }), spec: { changed: false } });
    const next = stored();
    (next["metadata"] as JsonObject)["generation"] = 99;
    CHANGES[part]?.(next);
    strategy.prepareForUpdate?.(next, stored());
    expect((next["metadata"] as JsonObject)["generation"]).toBe(COUNTED[id]?.includes(part) ? 8 : 7);
  });
});

describe("a spec with the same meaning keeps the generation", () => {
  const { strategy } = define("apps", "deployments");
  test.each<[string, JsonObject, JsonObject]>([
    ["fields in another order", { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ["an empty list for none", { a: 1, list: [] }, { a: 1 }],
    ["no list for an empty one", { a: 1 }, { a: 1, list: [] }],
  ])("%s", (_, before, after) => {
    const next: JsonObject = { metadata: metadata(), spec: after };
    strategy.prepareForUpdate?.(next, { metadata: metadata({ generation: 3 }), spec: before });
    expect((next["metadata"] as JsonObject)["generation"]).toBe(3);
  });
});

/** Parts that an update of the status subresource cannot change. */
const KEPT_BY_STATUS: readonly [group: string, plural: string, kept: readonly string[]][] = [
  ["core", "pods", ["spec", "ownerReferences"]],
  ["core", "nodes", ["spec"]],
  ["core", "services", ["spec"]],
  ["core", "namespaces", ["spec"]],
  ["apps", "deployments", ["spec", "labels"]],
  ["apps", "replicasets", ["spec"]],
  ["storage", "volumeattachments", ["spec", "labels", "annotations", "finalizers", "ownerReferences"]],
  ["flowcontrol", "flowschemas", ["spec", "labels", "annotations", "finalizers", "ownerReferences"]],
  ["apiextensions", "customresourcedefinitions", ["spec", "labels", "annotations", "ownerReferences"]],
  ["apiregistration", "apiservices", ["spec", "labels", "annotations", "finalizers", "ownerReferences"]],
];

describe("the status endpoint", () => {
  const METADATA = ["labels", "annotations", "finalizers", "ownerReferences"];
  const object = (mark: string): JsonObject => ({
    metadata: {
      ...metadata({ generation: mark === "old" ? 4 : 5, resourceVersion: mark, managedFields: [{ manager: mark }] }),
      ...Object.fromEntries(METADATA.map((field) => [field, { mark }])),
    },
    spec: { mark },
    status: { mark },
  });

  test.each(KEPT_BY_STATUS)(
    "the status endpoint of %s %s writes the status and keeps the other fields",
    (group, plural, kept) => {
      const next = object("new");
      define(group, plural).subresources["status"]?.prepareForUpdate(next, object("old"));
      const meta = next["metadata"] as JsonObject;
      expect(next["status"]).toMatchObject({ mark: "new" });
      expect((next["spec"] as JsonObject)["mark"]).toBe(kept.includes("spec") ? "old" : "new");
      for (const field of METADATA) {
        expect([field, meta[field]]).toMatchObject([field, { mark: kept.includes(field) ? "old" : "new" }]);
      }
      expect(meta["generation"]).toBe(4);
      expect(meta["resourceVersion"]).toBe("new");
      expect(meta["managedFields"]).toEqual([{ manager: "new" }]);
    },
  );
});

test("a field that was not stored cannot be brought in by an update that keeps it", () => {
  const next: JsonObject = { metadata: metadata(), spec: { finalizers: ["mine"] }, status: { phase: "Forged" } };
  define("core", "namespaces").strategy.prepareForUpdate?.(next, { metadata: metadata() });
  expect(next["spec"]).toEqual({});
  expect(next).not.toHaveProperty("status");
});

test.each(rows.map(([id]) => id))("writing %s leaves the stored object as it is", (id) => {
  const [group = "", plural = ""] = id.split(" ");
  const { strategy, subresources } = define(group, plural);
  const version = { group, version: "v1" };
  const context = { user: { name: "ann", groups: [] }, version, now: "2024-05-01T12:00:00Z" };
  for (const prepare of [strategy, ...Object.values(subresources)]) {
    const old: JsonObject = {};
    prepare.prepareForUpdate?.({ status: { conditions: [{ type: "Approved" }] } }, old, context);
    expect(old).toEqual({});
  }
});
