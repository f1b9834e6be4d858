// Inputs that reach watchers: the controllers, which share the event loop of orch-standalone, and the published
// documents.
import { anew, type HostileInput, type HostileRequest, keyed, read, sent, times } from "./requests";

const CORE = "/api/v1/namespaces/default";
const MAPS = `${CORE}/configmaps`;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const YAML = "application/yaml";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

/** A request that is answered after watchers, and work that follows changes after a second, are done. */
const after = (seconds: number): HostileRequest =>
  read(`${CORE}/resourcequotas?watch=1&resourceVersion=0&timeoutSeconds=${seconds}`);

const map = (name: string, more: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more });
const applied = (name: string, manager: string, size: number) =>
  sent(
    "PATCH",
    `${MAPS}/${name}?fieldManager=${manager}&force=true`,
    map(name, {
      data: keyed(size, () => ""),
    }),
    APPLY,
  );

/** The objects that are listed at once. */
export const MANY = { count: 12_000, namespace: "many", path: "/api/v1/namespaces/many/configmaps" } as const;

const LABELS = { hostile: "many" };
const widgets = (at: number, fields: number) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.g${at}.many.example`, labels: LABELS },
  spec: {
    group: `g${at}.many.example`,
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: keyed(fields, () => ({ type: "string", description: "what it is" })),
              },
            },
          },
        },
      },
    ],
  },
});
const defined = (count: number): readonly HostileRequest[] => [
  ...times(count, (at) => sent("POST", DEFINITIONS, widgets(at, 150))),
  read("/openapi/v2"),
  after(3),
];

/** References to missing owners, each with a uid of its own. */
const absent = (count: number, prefix: string) =>
  times(count, (at) => ({ apiVersion: "v1", kind: "Node", name: "worker", uid: `${prefix}${at}` }));

/** None of these is a dry run. */
export const HOSTILE_EVENTS: readonly HostileInput[] = [
  {
    what: "events: a config map's keys, which several managers have applied",
    size: 60_000,
    before: (size) => [
      { method: "DELETE", path: `${MAPS}/followed` },
      applied("followed", "a", size),
      applied("followed", "b", size),
    ],
    request: (size) => applied("followed", "c", size),
    settled: after(2),
  },
  {
    what: "events: keys of the config map that every namespace is given",
    size: 60_000,
    request: (size) => sent("PATCH", `${MAPS}/kube-root-ca.crt?fieldManager=a`, { data: keyed(size, () => "") }, MERGE),
    settled: after(2),
  },
  {
    what: "events: addresses of endpoints",
    size: 15_000,
    before: () => [{ method: "DELETE", path: `${CORE}/endpoints/followed` }],
    request: (size) =>
      sent("POST", `${CORE}/endpoints`, {
        metadata: { name: "followed" },
        subsets: [
          {
            addresses: times(size, (at) => ({ ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` })),
            ports: [{ port: 80 }],
          },
        ],
      }),
    settled: after(2),
  },
  {
    what: "events: a pod's argument of nothing but quotes",
    size: 1_400_000,
    before: () => [{ method: "DELETE", path: `${CORE}/pods/followed?gracePeriodSeconds=0` }],
    request: (size) =>
      sent("POST", `${CORE}/pods`, {
        metadata: { name: "followed" },
        spec: { containers: [{ name: "c", image: "i", args: ['"'.repeat(size)] }] },
      }),
    settled: after(2),
  },
  {
    what: "events: an object's owners",
    size: 10_000,
    before: () => [{ method: "DELETE", path: `${MAPS}/owned` }],
    request: (size) =>
      sent("POST", MAPS, {
        metadata: {
          name: "owned",
          ownerReferences: times(size, (at) => ({ apiVersion: "v1", kind: "Node", name: "worker", uid: `u${at}` })),
        },
      }),
    settled: after(2),
  },
  {
    what: "events: an object's owners, all replaced",
    size: 10_000,
    before: (size) =>
      anew(MAPS, "owned", map("owned", { metadata: { name: "owned", ownerReferences: absent(size, "a") } })),
    request: (size) => sent("PATCH", `${MAPS}/owned`, { metadata: { ownerReferences: absent(size, "b") } }, MERGE),
    settled: after(2),
  },
  {
    what: "deletion: an object's finalizers",
    size: 36_000,
    before: (size) => [
      sent("PATCH", `${MAPS}/held`, { metadata: { finalizers: null } }, MERGE),
      ...anew(
        MAPS,
        "held",
        map("held", { metadata: { name: "held", finalizers: times(size, (at) => `a/${at.toString(36)}`) } }),
      ),
    ],
    request: () => ({ method: "DELETE", path: `${MAPS}/held`, timeoutMs: 120_000 }),
    settled: after(1),
  },
  {
    what: "published documents: a change of one of many definitions",
    size: 300,
    before: defined,
    request: () =>
      sent(
        "PATCH",
        `${DEFINITIONS}/widgets.g7.many.example`,
        { spec: { versions: widgets(7, 151 + Math.floor(Math.random() * 1000)).spec.versions } },
        MERGE,
      ),
    settled: after(4),
  },
  {
    what: "published documents: deletion of many definitions",
    size: 300,
    before: defined,
    request: () => ({
      method: "DELETE",
      path: `${DEFINITIONS}?labelSelector=hostile%3Dmany`,
      timeoutMs: 120_000,
    }),
    settled: after(4),
  },
  {
    what: "lists: five tables and five in YAML at once, of many objects",
    size: MANY.count,
    request: (size) => read(`${MANY.path}?limit=${size}`, TABLE),
    beside: (size) => [
      ...times(4, () => read(`${MANY.path}?limit=${size}`, TABLE)),
      ...times(5, () => read(`${MANY.path}?limit=${size}`, YAML)),
    ],
  },
];
