// Field ownership through the scale subresource. Each sequence begins with an object whose manager "a" set the number of
// replicas. Source: Kubernetes documentation, "Server-Side Apply"; the expected answers are those of kube-apiserver 1.36.
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ApiClient, Loose } from "../testing/api-client";
import { DEFINITIONS, definition, version, WIDGETS } from "../testing/custom-definitions";
import { useServer } from "../testing/use-server";

const SCALE = { specReplicasPath: ".spec.size.count", statusReplicasPath: ".status.replicas" };
const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const selected = { selector: { matchLabels: labels }, template };

interface Kind {
  readonly path: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: JsonObject;
  /** Path of the number of replicas. */
  readonly at: readonly string[];
}

const apps = (plural: string, kind: string, more: JsonObject = {}): Kind => ({
  path: `/apis/apps/v1/namespaces/default/${plural}`,
  apiVersion: "apps/v1",
  kind,
  spec: { ...selected, ...more },
  at: ["spec", "replicas"],
});
const DEPLOYMENT = apps("deployments", "Deployment");
const WIDGET: Kind = {
  path: WIDGETS,
  apiVersion: "example.com/v1",
  kind: "Widget",
  spec: { other: "x" },
  at: ["spec", "size", "count"],
};
const KINDS: readonly Kind[] = [
  DEPLOYMENT,
  apps("replicasets", "ReplicaSet"),
  apps("statefulsets", "StatefulSet", { serviceName: "s" }),
  {
    path: "/api/v1/namespaces/default/replicationcontrollers",
    apiVersion: "v1",
    kind: "ReplicationController",
    spec: { selector: labels, template },
    at: ["spec", "replicas"],
  },
  WIDGET,
];

let admin: ApiClient;
useServer((running) => ({ admin } = running));

beforeAll(async () => {
  const subresources = { scale: SCALE };
  const versions = [
    version("v1", { storage: true, subresources }),
    version("v2", { subresources: { scale: { ...SCALE, specReplicasPath: ".spec.n" } } }),
  ];
  expect((await admin.post(DEFINITIONS, definition({ versions }))).code).toBe(201);
  await served(WIDGETS);
});

/** Resolves when the path is served. */
async function served(path: string): Promise<void> {
  while ((await admin.get(path)).code !== 200) await setTimeout(20);
}

type Step =
  | { readonly put: number; readonly by: string }
  | { readonly merge: JsonObject; readonly by: string }
  | { readonly apply: number | undefined; readonly by: string; readonly force?: true }
  | { readonly main: number | undefined; readonly by: string; readonly force?: true };

/** A step, the expected status code or message, and the owners of the number of replicas afterwards. */
type Row = readonly [step: Step, answer: 200 | string, owners: string];

const conflictWith = (owner: string) => `Apply failed with 1 conflict: conflict with ${owner}: .spec.replicas`;

const SEQUENCES: Readonly<Record<string, readonly Row[]>> = {
  "an apply conflicts with the owner unless it is forced": [
    [{ apply: 3, by: "b" }, conflictWith('"a" using autoscaling/v1'), "a Update"],
    [{ apply: 2, by: "b" }, 200, "a Update, b Apply/scale"],
    [{ apply: 3, by: "b", force: true }, 200, "b Apply/scale"],
    [{ apply: 4, by: "b" }, 200, "b Apply/scale"],
    [{ apply: 5, by: "c" }, conflictWith('"b" with subresource "scale"'), "b Apply/scale"],
  ],
  "an update takes the field over when it changes it": [
    [{ put: 3, by: "b" }, 200, "b Update/scale"],
    [{ put: 3, by: "c" }, 200, "b Update/scale"],
    [{ merge: { spec: { replicas: 4 } }, by: "c" }, 200, "c Update/scale"],
    [{ merge: { metadata: { labels } }, by: "d" }, 200, "c Update/scale"],
    [{ apply: 5, by: "b" }, conflictWith('"c" with subresource "scale" using autoscaling/v1'), "c Update/scale"],
  ],
  "an apply of the main resource conflicts with an owner through scale": [
    [{ put: 3, by: "b" }, 200, "b Update/scale"],
    [{ main: 4, by: "m" }, "conflict", "b Update/scale"],
    [{ main: undefined, by: "m" }, 200, "b Update/scale"],
    [{ main: 4, by: "m", force: true }, 200, "m Apply"],
    [{ apply: 5, by: "b" }, conflictWith('"m"'), "m Apply"],
    [{ apply: 5, by: "m" }, conflictWith('"m"'), "m Apply"],
    [{ apply: 5, by: "m", force: true }, 200, "m Apply/scale"],
  ],
  "an apply without replicas sets them to 0": [
    [{ apply: 3, by: "b", force: true }, 200, "b Apply/scale"],
    [{ apply: undefined, by: "b" }, 200, "b Apply/scale"],
    [{ apply: 2, by: "c" }, conflictWith('"b" with subresource "scale"'), "b Apply/scale"],
  ],
  "0 is a value that an apply sets and an update removes": [
    [{ put: 0, by: "b" }, 200, ""],
    [{ put: 1, by: "b" }, 200, ""],
    [{ apply: 0, by: "c" }, conflictWith('"before-first-apply" with subresource "scale" using autoscaling/v1'), ""],
    [{ apply: 0, by: "c", force: true }, 200, "c Apply/scale"],
    [{ apply: 0, by: "d" }, conflictWith('"c" with subresource "scale"'), "c Apply/scale"],
  ],
};

describe.each(KINDS.map((kind) => [kind.kind, kind] as const))("a %s", (_name, kind) => {
  test.each(Object.entries(SEQUENCES))("%s", async (title, rows) => {
    const name = `n${Object.keys(SEQUENCES).indexOf(title)}`;
    expect((await admin.post(`${kind.path}?fieldManager=a`, bodyOf(kind, name, 2))).code).toBe(201);
    for (const [step, expected, owners] of rows) {
      const dry = await take(kind, name, step, "&dryRun=All");
      const { code, json } = await take(kind, name, step);
      expect([step, dry.code]).toEqual([step, code]);
      if (expected === 200) expect([step, code]).toEqual([step, 200]);
      else if (expected === "conflict") expect([step, code, json.reason]).toEqual([step, 409, "Conflict"]);
      else expect([step, code, json.message]).toEqual([step, 409, expected]);
      expect([step, await ownersOf(kind, name)]).toEqual([step, owners]);
    }
  });
});

test("the scale shows no managedFields", async () => {
  await admin.post(`${DEPLOYMENT.path}?fieldManager=a`, bodyOf(DEPLOYMENT, "shown", 2));
  const put = await take(DEPLOYMENT, "shown", { put: 3, by: "b" });
  expect(managedFieldsOf(put.json)).toBeUndefined();
  expect(managedFieldsOf((await admin.get(`${DEPLOYMENT.path}/shown/scale`)).json)).toBeUndefined();
});

test("the same apply again changes nothing", async () => {
  await admin.post(`${DEPLOYMENT.path}?fieldManager=a`, bodyOf(DEPLOYMENT, "same", 2));
  await take(DEPLOYMENT, "same", { apply: 2, by: "b" });
  const first = await take(DEPLOYMENT, "same", { apply: 2, by: "b" });
  const again = await take(DEPLOYMENT, "same", { apply: 2, by: "b" });
  expect(again.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
});

test("a change through another version has the path of that version", async () => {
  await admin.post(`${WIDGETS}?fieldManager=a`, bodyOf(WIDGET, "two", 2));
  const path = WIDGETS.replace("/v1/", "/v2/");
  const answer = await admin.put(`${path}/two/scale?fieldManager=b`, {
    metadata: { name: "two" },
    spec: { replicas: 3 },
  });
  expect(answer.code).toBe(200);
  const managedFields = managedFieldsOf((await admin.get(`${WIDGETS}/two`)).json);
  expect(managedFields).toEqual([
    {
      ...{ manager: "b", operation: "Update", apiVersion: "example.com/v2", fieldsType: "FieldsV1" },
      ...{ fieldsV1: { "f:spec": { "f:n": {} } }, subresource: "scale" },
    },
    expect.objectContaining({ manager: "a", apiVersion: "example.com/v1" }),
  ]);
});

test.each<[string, JsonObject, number, string]>([
  ["another kind", { kind: "Other" }, 400, "Scale"],
  ["another version", { apiVersion: "apps/v1" }, 400, "Incorrect version specified in apply patch"],
  ["managedFields", { metadata: { managedFields: [{}] } }, 400, "metadata.managedFields must be nil"],
  ["another name", { metadata: { name: "other" } }, 400, "the name of the object (other) does not match"],
  ["another namespace", { metadata: { namespace: "other" } }, 400, "namespace"],
  [
    "another uid",
    { metadata: { uid: "u" } },
    409,
    'deployments/scale.apps "wrong": Precondition failed: UID in precondition: u',
  ],
  ["another resource version", { metadata: { resourceVersion: "1" } }, 409, "the object has been modified"],
  ["an invalid label", { metadata: { labels: { "a b": "c" } } }, 422, "metadata.labels"],
  ["fewer than no replicas", { spec: { replicas: -1 } }, 422, "spec.replicas"],
])("an apply of a scale with %s is refused", async (_what, body, code, text) => {
  await admin.post(DEPLOYMENT.path, bodyOf(DEPLOYMENT, "wrong", 2));
  const applied = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "wrong" },
    spec: { replicas: 3 },
    ...body,
  };
  const answer = await sendApply(`${DEPLOYMENT.path}/wrong/scale?fieldManager=b&force=true`, applied);
  expect([answer.code, answer.json.message]).toEqual([code, expect.stringContaining(text)]);
  expect((await admin.get(`${DEPLOYMENT.path}/wrong`)).json["spec"]).toMatchObject({ replicas: 2 });
});

function take(kind: Kind, name: string, step: Step, query = "") {
  const scale = `${kind.path}/${name}/scale?fieldManager=${step.by}${query}`;
  if ("put" in step) return admin.put(scale, scaleOf(name, step.put));
  if ("merge" in step)
    return admin.ask("PATCH", scale, { body: step.merge, headers: { "content-type": "application/merge-patch+json" } });
  const force = step.force ? "&force=true" : "";
  if ("apply" in step) return sendApply(`${scale}${force}`, scaleOf(name, step.apply));
  return sendApply(`${scale.replace("/scale?", "?")}${force}`, bodyOf(kind, name, step.main));
}

const sendApply = (path: string, body: JsonObject) =>
  admin.ask("PATCH", path, { body, headers: { "content-type": "application/apply-patch+yaml" } });

const scaleOf = (name: string, replicas: number | undefined) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name },
  spec: replicas === undefined ? {} : { replicas },
});

function bodyOf({ apiVersion, kind, spec, at }: Kind, name: string, replicas: number | undefined): JsonObject {
  const [, ...below] = at;
  const set = replicas === undefined ? {} : below.reduceRight<unknown>((value, key) => ({ [key]: value }), replicas);
  return { apiVersion, kind, metadata: { name }, spec: { ...spec, ...(set as JsonObject) } };
}

/** Returns the owners of the number of replicas, such as `a Update, b Apply/scale`. */
async function ownersOf({ path, at }: Kind, name: string): Promise<string> {
  const managedFields = managedFieldsOf((await admin.get(`${path}/${name}`)).json);
  const owns = (fields: JsonObject) =>
    at.reduce<unknown>((node, key) => (node as JsonObject | undefined)?.[`f:${key}`], fields) !== undefined;
  return (managedFields ?? [])
    .filter(({ fieldsV1 }) => owns(fieldsV1))
    .map(({ manager, operation, subresource }) => `${manager} ${operation}${subresource ? `/${subresource}` : ""}`)
    .sort()
    .join(", ");
}

const managedFieldsOf = ({ metadata }: Pick<Loose, "metadata">) =>
  (metadata as { readonly managedFields?: readonly OwnerEntry[] }).managedFields;

interface OwnerEntry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: JsonObject;
}
