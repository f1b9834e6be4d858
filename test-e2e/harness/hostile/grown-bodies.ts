// The most expensive short bodies that expand to large ones (aliases, merge keys, copies), and the most expensive YAML
// directives and documents, applied nulls and patched managed fields.
import { anew, dry, type HostileInput, type HostileRequest, keyed, MEBIBYTE, read, sent, times } from "./requests";

const CORE = "/api/v1/namespaces/default";
const MAPS = `${CORE}/configmaps`;
const GADGETS = "/apis/custom.hostile.example/v1/namespaces/default/gadgets";
const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";
const YAML = "application/yaml";
const SHORT = 11 * 1024;

/** A list of `width` values inside `depth` lists that each contain the inner one `width` times. */
function laughs(width: number, depth: number): string {
  const lists = times(depth, (at) => `a${at + 1}: &a${at + 1} [${times(width, () => `*a${at}`).join()}]\n`);
  return `a0: &a0 [${times(width, () => "[]").join()}]\n${lists.join("")}`;
}

/** A mapping with as many merge keys as fit. */
function merges(size: number): string {
  const keys = times(Math.floor(size / 20), (at) => `k${at}: `).join();
  return `a: &a {${keys}}\nb: [${times(Math.floor(size / 24), () => "{<<: *a}").join()}]\n`;
}

/** A long text with as many aliases as fit. */
const longAliases = (size: number): string =>
  `data:\n a: &a ${"x".repeat(size / 2)}\n${times(Math.min(990, Math.floor(size / 20)), (at) => ` k${at}: *a\n`).join("")}`;

const map = (name: string, data: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const gadget = (name: string, spec: object) => ({
  apiVersion: "custom.hostile.example/v1",
  kind: "Gadget",
  metadata: { name },
  spec,
});
/** Copies of a value that contains the previous copies. */
const doubled = (count: number, path: string) =>
  times(count, (at) => ({ op: "copy", from: path, path: `${path}/c${at}` }));
const applied = (name: string, spec: object, manager: string): HostileRequest =>
  sent("PATCH", `${GADGETS}/${name}?fieldManager=${manager}&force=true`, gadget(name, spec), APPLY);

export const HOSTILE_GROWTH: readonly HostileInput[] = [
  { what: "YAML: a short text of lists of aliases", size: 10, request: (size) => dry(MAPS, laughs(size, 5), YAML) },
  {
    what: "YAML: a short text of wide lists of aliases",
    size: 120,
    request: (size) => dry(MAPS, laughs(size, 2), YAML),
  },
  {
    what: "YAML: a short text of mappings that take in another",
    size: SHORT,
    request: (size) => dry(MAPS, merges(size), YAML),
  },
  {
    what: "YAML: a short text of aliases of a long one",
    size: SHORT,
    request: (size) => dry(MAPS, longAliases(size), YAML),
  },
  {
    what: "YAML: a review of lists of aliases",
    size: 10,
    request: (size) => sent("POST", REVIEWS, laughs(size, 5), YAML),
  },
  {
    what: "YAML: an applied short text of aliases of a long one",
    size: SHORT,
    request: (size) =>
      sent(
        "PATCH",
        `${MAPS}/laughs?fieldManager=me&dryRun=All`,
        `kind: ConfigMap\napiVersion: v1\nmetadata: {name: laughs}\n${longAliases(size)}`,
        APPLY,
      ),
  },
  {
    what: "YAML: the same key many times under one of a mebibyte",
    size: 3 * MEBIBYTE,
    request: (size) => {
      const key = "k".repeat(size / 3);
      return dry(MAPS, `data:\n ${key}:\n  a: 1\n  a: 1\n${"  a: 1\n".repeat(size / 14)}`, YAML);
    },
  },
  {
    what: "YAML: directives",
    size: 3 * MEBIBYTE,
    request: (size) =>
      dry(MAPS, `${times(Math.floor(size / 25), (at) => `%TAG !a${at}! tag:a,b:\n`).join("")}---\na: 1\n`, YAML),
  },
  {
    what: "YAML: bytes",
    size: 3 * MEBIBYTE,
    request: (size) => dry(MAPS, `data:\n a: !!binary ${"AAAA".repeat(size / 4 - 10)}\n`, YAML),
  },
  { what: "YAML: documents", size: 3 * MEBIBYTE, request: (size) => dry(MAPS, "---\n".repeat(size / 4), YAML) },
  {
    what: "JSON patch: copies of what is copied",
    size: 24,
    before: () => anew(GADGETS, "copied", gadget("copied", { free: { a: times(30, () => []) } })),
    request: (size) => sent("PATCH", `${GADGETS}/copied?dryRun=All`, doubled(size, "/spec/free"), JSON_PATCH),
  },
  {
    what: "JSON patch: as many copies of what is copied as are taken",
    size: 14,
    before: () => anew(GADGETS, "copied", gadget("copied", { free: { a: times(30, () => []) } })),
    request: (size) => sent("PATCH", `${GADGETS}/copied?dryRun=All`, doubled(size, "/spec/free"), JSON_PATCH),
  },
  {
    what: "apply: nulls, beside many managers",
    size: 5000,
    before: (size) => [
      ...anew(GADGETS, "nulls", gadget("nulls", {})),
      ...times(3, (at) => applied("nulls", { free: keyed(size, () => ({ [`f${at}`]: 1 })) }, `m${at}`)),
    ],
    request: (size) =>
      sent(
        "PATCH",
        `${GADGETS}/nulls?fieldManager=me&force=true&dryRun=All`,
        gadget("nulls", { free: keyed(size, () => null) }),
        APPLY,
      ),
  },
  {
    what: "managed fields, patched",
    size: MEBIBYTE,
    before: () => anew(MAPS, "managed", map("managed", { a: "1" })),
    request: (size) =>
      sent(
        "PATCH",
        `${MAPS}/managed?dryRun=All`,
        {
          metadata: {
            managedFields: [
              {
                manager: "m",
                operation: "Update",
                apiVersion: "v1",
                fieldsType: "FieldsV1",
                time: "2024-01-01T00:00:00Z",
                fieldsV1: { "f:data": keyed(Math.floor(size / 12), () => ({})) },
              },
            ],
          },
        },
        MERGE,
      ),
  },
  {
    what: "a collection asked for its head alone",
    size: 5000,
    request: () => ({ ...read(`${CORE}/serviceaccounts`), method: "HEAD" }),
  },
];
