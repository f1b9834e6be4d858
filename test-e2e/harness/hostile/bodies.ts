// The most expensive request for each place that parses, changes or writes bytes and objects, by size.
import { certificateRequest, der, pemOf } from "@orch/testing";
import { anew, dry, type HostileInput, keyed, MEBIBYTE, read, sent, times } from "./requests";

const CORE = "/api/v1/namespaces/default";
const MAPS = `${CORE}/configmaps`;
const PODS = `${CORE}/pods`;
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const map = (name: string, data: object = {}, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  data,
});
const pod = (name: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const signing = (request: Buffer) =>
  dry("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    metadata: { name: "hostile" },
    spec: {
      request: Buffer.from(pemOf(request)).toString("base64"),
      signerName: "example.com/signer",
      usages: ["client auth"],
    },
  });
const definition = (properties: object) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.hostile.example" },
  spec: {
    group: "hostile.example",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", properties } } },
    ],
  },
});

const STRATEGIC = "application/strategic-merge-patch+json";
const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";
const YAML = "application/yaml";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

const env = (count: number, value = "") => times(count, (at) => ({ name: `E${at}`, value }));
const withEnv = (name: string, count: number) =>
  pod(name, { containers: [{ name: "c", image: "i", env: env(count) }] });
const updaters = (count: number) =>
  times(count, (at) => ({
    manager: `m${at}`,
    operation: "Update",
    apiVersion: "v1",
    time: "2024-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:k${at % 50}`]: {} } },
  }));

const newlines = (size: number) => map("newlines", { a: `a${"\n".repeat(size)}x` });
const large = (size: number) =>
  map(
    "large",
    keyed(size, () => ""),
  );

export const HOSTILE_INPUTS: readonly HostileInput[] = [
  { what: "JSON: keys", size: 100_000, request: (size) => dry(MAPS, large(size)) },
  {
    what: "JSON: one text",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, map("text", { a: "x".repeat(size - 200) })),
  },
  {
    what: "JSON: escapes",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, map("text", { a: "\u0001".repeat(size / 6 - 50) })),
  },
  {
    what: "JSON: halves of characters",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, map("text", { a: "\ud800".repeat(size / 6 - 50) })),
  },
  {
    what: "JSON: halves of characters, not quite too many for the loop",
    size: 1.2 * MEBIBYTE,
    request: (size) => dry(MAPS, map("text", { a: "\ud800".repeat(size / 6 - 50) })),
  },
  { what: "JSON: brackets", size: 3 * MEBIBYTE, request: (size) => dry(MAPS, `{"a":${"[".repeat(size - 100)}`) },
  {
    what: "JSON: small lists",
    size: 3 * MEBIBYTE,
    request: (size) =>
      dry(PODS, `{"kind":"Pod","apiVersion":"v1","spec":{"containers":[${"[],".repeat(size / 3 - 100)}[]]}}`),
  },
  {
    what: "JSON: unknown fields",
    size: 3 * MEBIBYTE,
    request: (size) => dry(PODS, { ...pod("unknown"), ...keyed(Math.floor(size / 12), () => 1) }),
  },
  {
    what: "JSON: the same key",
    size: 3 * MEBIBYTE,
    request: (size) =>
      dry(
        MAPS,
        `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"same"},"data":{${'"a":"",'.repeat(size / 7 - 100)}"a":""}}`,
      ),
  },
  {
    what: "JSON: a pod's containers",
    size: 20_000,
    request: (size) =>
      dry(PODS, pod("containers", { containers: times(size, (at) => ({ name: `c${at}`, image: "i" })) })),
  },
  {
    what: "JSON: a pod's arguments of nothing but quotes",
    size: 1_400_000,
    request: (size) =>
      dry(PODS, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i", args: ['"'.repeat(size)] }] },
      }),
  },
  { what: "JSON: a pod's variables", size: 40_000, request: (size) => dry(PODS, withEnv("variables", size)) },
  {
    what: "JSON: labels",
    size: 60_000,
    request: (size) => dry(MAPS, map("labels", {}, { labels: keyed(size, () => "v") })),
  },
  {
    what: "JSON: faults",
    size: 60_000,
    request: (size) => dry(MAPS, map("faults", Object.fromEntries(times(size, (at) => [`k/${at}`, ""])))),
  },
  {
    what: "JSON: the rules of a role",
    size: 20_000,
    request: (size) =>
      dry("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
        metadata: { name: "rules" },
        rules: times(size, (at) => ({ apiGroups: [""], resources: [`r${at}`], verbs: ["get"] })),
      }),
  },
  {
    what: "JSON: the rules of a network",
    size: 20_000,
    request: (size) =>
      dry("/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", {
        metadata: { name: "rules" },
        spec: {
          podSelector: {},
          ingress: times(size, (at) => ({ from: [{ ipBlock: { cidr: `10.0.${at % 256}.0/24` } }] })),
        },
      }),
  },
  {
    what: "JSON: endpoints",
    size: 30_000,
    request: (size) =>
      dry(`${CORE}/endpoints`, {
        metadata: { name: "many" },
        subsets: [
          {
            addresses: times(size, (at) => ({ ip: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}` })),
            ports: [{ port: 80 }],
          },
        ],
      }),
  },
  {
    what: "managed fields of updaters",
    size: 5000,
    request: (size) => dry(MAPS, map("updaters", { a: "1" }, { managedFields: updaters(size) })),
  },
  {
    what: "managed fields, updated",
    size: 5000,
    before: () => anew(MAPS, "updaters", map("updaters", { a: "1" })),
    request: (size) =>
      sent(
        "PUT",
        `${MAPS}/updaters`,
        map("updaters", { a: "2", ...keyed(50, () => "") }, { managedFields: updaters(size) }),
      ),
  },
  {
    what: "YAML: keys",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `data:\n${times(Math.floor(size / 12), (at) => ` k${at}: a\n`).join("")}`, YAML),
  },
  {
    what: "YAML: items",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `a:\n${"- a\n".repeat(size / 4 - 10)}`, YAML),
  },
  {
    what: "YAML: lists in lines",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `a: [${"[],".repeat(size / 3 - 10)}]`, YAML),
  },
  {
    what: "YAML: aliases",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `a: &a 1\nb: [${"*a, ".repeat(size / 4 - 10)}]`, YAML),
  },
  {
    what: "YAML: quotes",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `a: "${"\\n".repeat(size / 2 - 10)}"`, YAML),
  },
  {
    what: "YAML: white space",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `a:${" ".repeat(size - 10)}1\n`, YAML),
  },
  {
    what: "strategic merge: a list with keys",
    size: 20_000,
    before: () => anew(PODS, "merged", withEnv("merged", 5000)),
    request: (size) =>
      sent(
        "PATCH",
        `${PODS}/merged?dryRun=All`,
        { spec: { containers: [{ name: "c", env: env(size, "x") }] } },
        STRATEGIC,
      ),
  },
  {
    what: "strategic merge: an order",
    size: 20_000,
    before: () => anew(PODS, "merged", withEnv("merged", 5000)),
    request: (size) =>
      sent(
        "PATCH",
        `${PODS}/merged?dryRun=All`,
        {
          spec: {
            containers: [
              {
                name: "c",
                "$setElementOrder/env": times(size, (at) => ({ name: `E${at}` })),
                env: env(size, "x"),
              },
            ],
          },
        },
        STRATEGIC,
      ),
  },
  {
    what: "merge patch: members",
    size: 100_000,
    before: () => anew(MAPS, "merged", map("merged")),
    request: (size) => sent("PATCH", `${MAPS}/merged?dryRun=All`, { data: keyed(size, () => "") }, MERGE),
  },
  {
    what: "JSON patch: operations",
    size: 10_000,
    before: () => anew(MAPS, "patched", map("patched", { a: "" })),
    request: (size) =>
      sent(
        "PATCH",
        `${MAPS}/patched?dryRun=All`,
        times(size, (at) => ({ op: "add", path: `/data/k${at}`, value: "" })),
        JSON_PATCH,
      ),
  },
  {
    what: "JSON patch: copies",
    size: 10_000,
    before: () => anew(MAPS, "patched", map("patched", { a: "x".repeat(100) })),
    request: (size) =>
      sent(
        "PATCH",
        `${MAPS}/patched?dryRun=All`,
        times(size, (at) => ({
          op: "copy",
          from: at % 2 === 0 ? "/data" : "/metadata",
          path: `/metadata/labels${at}`,
        })),
        JSON_PATCH,
      ),
  },
  {
    what: "apply: keys",
    size: 50_000,
    before: () => anew(MAPS, "applied", map("applied")),
    request: (size) => sent("PATCH", `${MAPS}/applied?fieldManager=me&force=true&dryRun=All`, large(size), APPLY),
  },
  {
    what: "apply: a list with keys",
    size: 20_000,
    before: () => anew(PODS, "applied", withEnv("applied", 2000)),
    request: (size) =>
      sent("PATCH", `${PODS}/applied?fieldManager=me&force=true&dryRun=All`, withEnv("applied", size), APPLY),
  },
  {
    what: "read as YAML: newlines",
    size: 1_000_000,
    before: (size) => anew(MAPS, "newlines", newlines(size)),
    request: () => read(`${MAPS}/newlines`, YAML),
  },
  {
    what: "read as YAML: newlines, not quite too many for the loop",
    size: 600_000,
    before: (size) => anew(MAPS, "newlines", newlines(size)),
    request: () => read(`${MAPS}/newlines`, YAML),
  },
  {
    what: "read as YAML: keys",
    size: 50_000,
    before: (size) => anew(MAPS, "large", large(size)),
    request: () => read(`${MAPS}/large`, YAML),
  },
  {
    what: "read indented: keys",
    size: 50_000,
    before: (size) => anew(MAPS, "large", large(size)),
    request: () => read(`${MAPS}/large?pretty=1`),
  },
  {
    what: "read as JSON: keys",
    size: 50_000,
    before: (size) => anew(MAPS, "large", large(size)),
    request: () => read(`${MAPS}/large`),
  },
  {
    what: "read as protobuf: keys",
    size: 50_000,
    before: (size) => anew(MAPS, "large", large(size)),
    request: () => read(`${MAPS}/large`, PROTOBUF),
  },
  {
    what: "read as a table: keys",
    size: 50_000,
    before: (size) => anew(MAPS, "large", large(size)),
    request: () => read(`${MAPS}?includeObject=Object`, TABLE),
  },
  {
    what: "a definition's pattern",
    size: 1_000_000,
    request: (size) =>
      dry(DEFINITIONS, definition({ a: { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(size)}!` } })),
  },
  {
    what: "a definition's pattern, short",
    size: 30,
    request: (size) =>
      dry(DEFINITIONS, definition({ a: { type: "string", pattern: "^(a+)+$", default: `${"a".repeat(size)}!` } })),
  },
  {
    what: "a definition's properties",
    size: 20_000,
    request: (size) => dry(DEFINITIONS, definition(keyed(size, () => ({ type: "string", pattern: "^a$" })))),
  },
  {
    what: "a recycled volume's path",
    size: 100_000,
    request: (size) =>
      dry("/api/v1/persistentvolumes", {
        metadata: { name: "recycled" },
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Recycle",
          hostPath: { path: "/".repeat(size) },
        },
      }),
  },
  {
    what: "a quantity",
    size: MEBIBYTE,
    request: (size) =>
      dry("/api/v1/persistentvolumes", {
        metadata: { name: "quantity" },
        spec: { capacity: { storage: "9".repeat(size) }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
      }),
  },
  {
    what: "a schedule",
    size: MEBIBYTE,
    request: (size) =>
      dry("/apis/batch/v1beta1/namespaces/default/cronjobs", {
        metadata: { name: "schedule" },
        spec: {
          schedule: `@every ${"1h".repeat(size / 2)}`,
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
          },
        },
      }),
  },
  {
    what: "names in a request for a certificate",
    size: 3_900,
    request: (size) => signing(certificateRequest({ names: times(size, () => ["dns", "a.example.com".repeat(2)]) })),
  },
  {
    what: "a request for a certificate, one value in the other",
    size: 1.6 * MEBIBYTE,
    request: (size) => signing(Buffer.alloc(size, Buffer.from([0x30, 0x84, 0x00, 0x10, 0x00, 0x00]))),
  },
  {
    what: "a request for a certificate of nothing but short values",
    size: 0.8 * MEBIBYTE,
    request: (size) => signing(der(0x30, der(0x30, Buffer.alloc(size * 2, Buffer.from([0x31, 0x00]))))),
  },
  {
    what: "blocks of a certificate",
    size: 3 * MEBIBYTE,
    request: (size) =>
      dry("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
        metadata: { name: "blocks" },
        spec: {
          signerName: "example.com/a",
          usages: ["client auth"],
          request: Buffer.from("-----BEGIN A-----\n".repeat(Math.floor((size * 0.74) / 18) - 20)).toString("base64"),
        },
      }),
  },
  {
    what: "an access review",
    size: 3 * MEBIBYTE,
    request: (size) =>
      sent("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        spec: {
          user: "u",
          groups: times(Math.floor(size / 11), (at) => `g${at}`),
          resourceAttributes: { verb: "get", resource: "pods" },
        },
      }),
  },
  {
    what: "a label selector over 5,000 objects",
    size: 60_000,
    request: (size) =>
      read(`${CORE}/serviceaccounts?labelSelector=${times(Math.floor(size / 7), (at) => `!k${at}`).join(",")}`),
  },
  {
    what: "a label selector of a watch of 5,000 objects",
    size: 60_000,
    request: (size) =>
      read(
        `${CORE}/serviceaccounts?watch=1&timeoutSeconds=1&labelSelector=${times(Math.floor(size / 7), (at) => `!k${at}`).join(",")}`,
      ),
  },
  {
    what: "a field selector over 5,000 objects",
    size: 60_000,
    request: (size) =>
      read(
        `${CORE}/serviceaccounts?fieldSelector=${times(Math.floor(size / 20), (at) => `metadata.name!=k${at}`).join(",")}`,
      ),
  },
  {
    what: "a proxied page of tags without end",
    size: 3 * MEBIBYTE,
    request: (size) => read(`/api/v1/nodes/worker/proxy/${size}`),
  },
];
