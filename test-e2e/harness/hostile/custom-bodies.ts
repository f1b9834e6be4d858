// The most expensive custom resource definitions, and objects of one whose schema uses every feature.
import { anew, dry, type HostileInput, type HostileRequest, keyed, MEBIBYTE, read, sent, times } from "./requests";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GADGETS = "/apis/custom.hostile.example/v1/namespaces/default/gadgets";
const CONVERTED = GADGETS.replace("/v1/", "/v2/");
const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";
const YAML = "application/yaml";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";

type Json = object | string | number | boolean;

const TEXT = { type: "string" };
const version = (name: string, openAPIV3Schema: object, more: object = {}) => ({
  name,
  served: true,
  storage: name === "v1",
  schema: { openAPIV3Schema },
  ...more,
});
const definition = (versions: readonly object[], plural = "traps", more: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.custom.hostile.example` },
  spec: {
    group: "custom.hostile.example",
    scope: "Namespaced",
    names: { plural, kind: plural === "traps" ? "Trap" : "Gadget" },
    versions,
    ...more,
  },
});
const schemaOf = (properties: object) => ({ type: "object", properties });
const defined = (properties: object) => dry(DEFINITIONS, definition([version("v1", schemaOf(properties))]));

function nested(depth: number): object {
  let schema: object = TEXT;
  for (let at = 0; at < depth; at += 1) schema = schemaOf({ a: schema });
  return schema;
}

/** One of each value that custom objects may contain. */
const GADGET = {
  text: { type: "string", pattern: "^(a+)+$", maxLength: 4_000_000 },
  time: { type: "string", format: "date-time" },
  color: TEXT,
  set: { type: "array", "x-kubernetes-list-type": "set", items: TEXT },
  map: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k", "l"],
    items: {
      type: "object",
      required: ["k"],
      properties: { k: TEXT, l: { type: "string", default: "d" }, v: { type: "integer", default: 1 } },
    },
  },
  counted: { type: "array", maxItems: 1000, items: { type: "integer", minimum: 5 } },
  ruled: {
    type: "array",
    maxItems: 200,
    items: { type: "string", maxLength: 20 },
    "x-kubernetes-validations": [{ rule: "self.all(a, self.exists(b, a == b))" }],
  },
  either: { type: "array", items: { anyOf: times(20, (at) => ({ minimum: at })), type: "integer" } },
  typed: {
    type: "object",
    additionalProperties: { type: "object", properties: { a: { type: "integer", default: 1 } } },
  },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
};

/** @param converter converts its objects to `v2`, with the answer that the object's annotation requests */
export const gadgets = (converter: { readonly url: string; readonly caBundle: string }): HostileRequest => {
  const schema = schemaOf({ spec: schemaOf(GADGET) });
  const columns = times(50, (at) => ({ name: `C${at}`, type: "string", jsonPath: ".spec.free.list[*].a" }));
  const first = version("v1", schema, {
    additionalPrinterColumns: columns,
    selectableFields: [{ jsonPath: ".spec.color" }],
  });
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: converter };
  const conversion = { strategy: "Webhook", webhook };
  return sent("POST", DEFINITIONS, definition([first, version("v2", schema)], "gadgets", { conversion }));
};

export const SERVED = GADGETS;

const gadget = (name: string, spec: Json, metadata: object = {}) => ({
  apiVersion: "custom.hostile.example/v1",
  kind: "Gadget",
  metadata: { name, ...metadata },
  spec,
});
const gadgetOf = (spec: Json) => dry(GADGETS, gadget("made", spec));
const list = (size: number) => times(size, (at) => ({ k: `k${at}` }));
const stored =
  (name: string, spec: Json, metadata: object = {}) =>
  () =>
    anew(GADGETS, name, gadget(name, spec, metadata));
const patched = (name: string, body: object, type: string) =>
  sent("PATCH", `${GADGETS}/${name}?dryRun=All`, body, type);

export const HOSTILE_CUSTOM_INPUTS: readonly HostileInput[] = [
  { what: "definition: nodes", size: 35_000, request: (size) => defined(keyed(size, () => TEXT)) },
  { what: "definition: depth", size: 60, request: (size) => defined({ a: nested(size) }) },
  { what: "definition: depth beyond measure", size: 1000, request: (size) => defined({ a: nested(size) }) },
  {
    what: "definition: branches",
    size: 20_000,
    request: (size) => defined({ a: { type: "integer", anyOf: times(size, (at) => ({ minimum: at })) } }),
  },
  {
    what: "definition: values that are allowed",
    size: 250_000,
    request: (size) => defined({ a: { type: "integer", enum: times(size, (at) => at) } }),
  },
  {
    what: "definition: a default",
    size: 100_000,
    request: (size) => defined({ a: { type: "array", items: { type: "integer" }, default: times(size, (at) => at) } }),
  },
  {
    what: "definition: breaches",
    size: 60_000,
    request: (size) => defined(keyed(size, () => ({ type: "strin" }))),
  },
  {
    what: "definition: a pattern",
    size: MEBIBYTE,
    request: (size) => defined({ a: { type: "string", pattern: "(a?){1000}".repeat(size / 10) } }),
  },
  {
    what: "definition: a description",
    size: 3 * MEBIBYTE,
    request: (size) => defined({ a: { type: "string", description: "x".repeat(size - 1000) } }),
  },
  {
    what: "definition: rules",
    size: 5000,
    request: (size) =>
      defined({
        a: { type: "integer", "x-kubernetes-validations": times(size, (at) => ({ rule: `self > ${at} - 1` })) },
      }),
  },
  {
    what: "definition: a rule",
    size: 200_000,
    request: (size) =>
      defined({ a: { type: "integer", "x-kubernetes-validations": [{ rule: `self > 0${" + 1".repeat(size / 4)}` }] } }),
  },
  {
    what: "definition: brackets in a rule",
    size: MEBIBYTE,
    request: (size) =>
      defined({ a: { type: "integer", "x-kubernetes-validations": [{ rule: `${"(".repeat(size)}self > 0` }] } }),
  },
  {
    what: "definition: columns",
    size: 30_000,
    request: (size) => {
      const additionalPrinterColumns = times(size, (at) => ({ name: `c${at}`, type: "string", jsonPath: ".spec.a" }));
      return dry(DEFINITIONS, definition([version("v1", schemaOf({}), { additionalPrinterColumns })]));
    },
  },
  {
    what: "definition: a column's path",
    size: MEBIBYTE,
    request: (size) => {
      const additionalPrinterColumns = [{ name: "c", type: "string", jsonPath: ".a[?(@.b==1)]".repeat(size / 13) }];
      return dry(DEFINITIONS, definition([version("v1", schemaOf({}), { additionalPrinterColumns })]));
    },
  },
  {
    what: "definition: versions",
    size: 5000,
    request: (size) => dry(DEFINITIONS, definition(times(size, (at) => version(`v${at + 1}`, schemaOf({ a: TEXT }))))),
  },
  {
    what: "definition: short names",
    size: 200_000,
    request: (size) =>
      dry(
        DEFINITIONS,
        definition([version("v1", schemaOf({}))], "traps", {
          names: { plural: "traps", kind: "Trap", shortNames: times(size, (at) => `t${at}`) },
        }),
      ),
  },
  { what: "custom object: a set", size: 100_000, request: (size) => gadgetOf({ set: times(size, (at) => `a${at}`) }) },
  { what: "custom object: items with keys", size: 60_000, request: (size) => gadgetOf({ map: list(size) }) },
  {
    what: "custom object: the same items",
    size: 60_000,
    request: (size) => gadgetOf({ map: times(size, () => ({ k: "k" })) }),
  },
  {
    what: "custom object: breaches",
    size: 250_000,
    request: (size) => gadgetOf({ set: times(size, (at) => at) }),
  },
  {
    what: "custom object: too many items",
    size: 250_000,
    request: (size) => gadgetOf({ counted: times(size, () => 1) }),
  },
  { what: "custom object: branches", size: 200_000, request: (size) => gadgetOf({ either: times(size, () => -1) }) },
  {
    what: "custom object: defaults",
    size: 100_000,
    request: (size) => gadgetOf({ typed: keyed(size, () => ({})) }),
  },
  {
    what: "custom object: unknown fields",
    size: 100_000,
    request: (size) => gadgetOf(keyed(size, () => 1)),
  },
  {
    what: "custom object: fields of no type",
    size: 100_000,
    request: (size) => gadgetOf({ free: keyed(size, () => 1) }),
  },
  {
    what: "custom object: a text for a pattern",
    size: 3 * MEBIBYTE,
    request: (size) => gadgetOf({ text: `${"a".repeat(size - 1000)}!` }),
  },
  {
    what: "custom object: a time",
    size: 3 * MEBIBYTE,
    request: (size) => gadgetOf({ time: `2024-01-01T00:00:00.${"0".repeat(size - 1000)}` }),
  },
  {
    what: "custom object: items for a rule",
    size: 200,
    request: (size) => gadgetOf({ ruled: times(size, (at) => `${"x".repeat(15)}${at}`) }),
  },
  {
    what: "custom object: labels of an embedded one",
    size: 60_000,
    request: (size) =>
      gadgetOf({
        embedded: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: keyed(size, () => "a b") } },
      }),
  },
  {
    what: "custom object: YAML",
    size: 60_000,
    request: (size) =>
      sent(
        "POST",
        `${GADGETS}?dryRun=All`,
        `apiVersion: custom.hostile.example/v1\nkind: Gadget\nmetadata: {name: made}\nspec:\n  set:\n${times(size, (at) => `  - a${at}\n`).join("")}`,
        YAML,
      ),
  },
  {
    what: "custom object: a merge patch",
    size: 60_000,
    before: stored("merged", { free: keyed(20_000, () => 1) }),
    request: (size) => patched("merged", { spec: { free: keyed(size, () => null) } }, MERGE),
  },
  {
    what: "custom object: a JSON patch",
    size: 10_000,
    before: stored("merged", { free: { list: times(20_000, () => 1) } }),
    request: (size) =>
      patched(
        "merged",
        times(size, () => ({ op: "remove", path: "/spec/free/list/0" })),
        JSON_PATCH,
      ),
  },
  {
    what: "custom object: an apply",
    size: 40_000,
    before: stored("applied", { map: list(20_000) }),
    request: (size) =>
      sent(
        "PATCH",
        `${GADGETS}/applied?dryRun=All&fieldManager=me&force=true`,
        gadget("applied", { map: list(size) }),
        APPLY,
      ),
  },
  {
    what: "custom object: columns of a table",
    size: 50_000,
    before: (size) => anew(GADGETS, "shown", gadget("shown", { free: { list: times(size, () => ({ a: 1 })) } })),
    request: () => read(GADGETS, TABLE),
  },
  {
    what: "custom object: selected fields",
    size: 60_000,
    request: (size) =>
      read(`${GADGETS}?fieldSelector=${times(Math.floor(size / 15), (at) => `spec.color!=c${at}`).join(",")}`),
  },
  ...["brackets", "keys", "texts", "objects"].map((answer) => ({
    what: `custom object: converted to ${answer}`,
    size: 3 * MEBIBYTE,
    before: (size: number) =>
      anew(GADGETS, "converted", gadget("converted", {}, { annotations: { answer: `${answer} ${size}` } })),
    request: () => read(`${CONVERTED}/converted`),
    isOfAnother: true as const,
  })),
  {
    what: "custom object: converted to as many keys as are taken",
    size: 250_000,
    before: (size) => anew(GADGETS, "denser", gadget("denser", {}, { annotations: { answer: `keys ${16 * size}` } })),
    request: () => read(`${CONVERTED}/denser`),
  },
  {
    what: "custom object: many keys to convert",
    size: 200_000,
    before: (size) =>
      anew(GADGETS, "dense", gadget("dense", { free: keyed(size, () => 1) }, { annotations: { answer: "same 0" } })),
    request: () => read(`${CONVERTED}/dense`),
  },
  {
    what: "custom object: a table of what is converted to many keys",
    size: 100_000,
    before: (size) => anew(GADGETS, "denser", gadget("denser", {}, { annotations: { answer: `keys ${16 * size}` } })),
    request: () => read(`${CONVERTED}/denser`, TABLE),
  },
  {
    what: "custom object: a patch of what is converted to many keys",
    size: 100_000,
    before: (size) => anew(GADGETS, "denser", gadget("denser", {}, { annotations: { answer: `keys ${16 * size}` } })),
    request: () => sent("PATCH", `${CONVERTED}/denser?dryRun=All`, { metadata: { labels: { a: "b" } } }, MERGE),
  },
  {
    what: "custom object: a list of many that are converted",
    size: 1000,
    before: (size) =>
      times(size, (at) => anew(GADGETS, `small-${at}`, gadget(`small-${at}`, { free: keyed(200, () => 1) }))).flat(),
    request: () => read(CONVERTED),
    isOfAnother: true,
  },
];

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly { readonly metadata: { readonly annotations?: { readonly answer?: string } } }[];
  };
}

/** The converter's answer: for one object what its annotation requests. */
export function conversionOf({ apiVersion, request }: Review): string {
  const { uid, desiredAPIVersion, objects } = request;
  const [kind = "", size = "0"] = objects[0]?.metadata.annotations?.answer?.split(" ") ?? [];
  const spec = hostileSpec(kind, Number(size));
  const converted = objects.map((each) => JSON.stringify({ ...each, apiVersion: desiredAPIVersion, spec: {} }));
  const convertedObjects = `[${converted.join(",").replace('"spec":{}', `"spec":${spec}`)}]`;
  const response = `{"uid":"${uid}","result":{"status":"Success"},"convertedObjects":${convertedObjects}}`;
  return `{"kind":"ConversionReview","apiVersion":"${apiVersion}","response":${response}}`;
}

function hostileSpec(kind: string, size: number): string {
  switch (kind) {
    case "brackets":
      return `{"free":{"a":${"[".repeat(size / 2)}${"]".repeat(size / 2)}}}`;
    case "keys":
      return `{"free":${JSON.stringify(keyed(size / 16, () => 1))}}`;
    case "texts":
      return JSON.stringify({ set: times(size / 10, (at) => `a${at}`) });
    case "objects":
      return JSON.stringify({ map: times(size / 14, (at) => ({ k: `${at}` })) });
    default:
      return "{}";
  }
}
