// Updates of custom objects whose items the schema refuses: the items were stored through a version that allows them.
// Unchanged items are exempt from the schema, which the server finds out for each of them.
import { anew, type HostileInput, type HostileRequest, sent, times } from "./requests";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const GROUP = "ratcheted.hostile.example";
const [OLD, NEW] = ["v1", "v2"].map((version) => `/apis/${GROUP}/${version}/namespaces/default/gauges`) as [
  string,
  string,
];
const TEXT_LENGTH = 24;

/** @param text the schema of the texts in the lists */
function version(name: string, text: object): object {
  const map = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
  const entry = { type: "object", required: ["k"], properties: { k: { type: "string" }, v: text } };
  const properties = {
    atomic: { type: "array", items: text, "x-kubernetes-list-type": "atomic" },
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    map: { type: "array", items: entry, ...map },
  };
  const openAPIV3Schema = { type: "object", properties: { spec: { type: "object", properties } } };
  return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema } };
}

/** The definition of the objects. */
export const gauges: HostileRequest = sent("POST", DEFINITIONS, {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `gauges.${GROUP}` },
  spec: {
    group: GROUP,
    scope: "Namespaced",
    names: { plural: "gauges", kind: "Gauge" },
    versions: [version("v1", { type: "string" }), version("v2", { type: "string", maxLength: TEXT_LENGTH - 1 })],
  },
});

export const SERVED_GAUGES = NEW;

const textOf = (at: number) => `${at}`.padStart(TEXT_LENGTH, "x");
const LISTS: readonly (readonly [list: string, size: number, item: (at: number) => unknown])[] = [
  ["atomic", 100_000, textOf],
  ["set", 100_000, textOf],
  // An object has at most 300,000 values.
  ["map", 60_000, (at) => ({ k: `${at}`, v: textOf(at) })],
];
const CHANGES = { unchanged: 0, "shifted by one": 1 };

export const HOSTILE_RATCHETING: readonly HostileInput[] = LISTS.flatMap(([list, size, item]) =>
  Object.entries(CHANGES).map(([change, shift]) => ({
    what: `custom object: refused items of a list of type ${list}, ${change}`,
    size,
    before: (count: number) =>
      anew(OLD, list, {
        apiVersion: `${GROUP}/v1`,
        kind: "Gauge",
        metadata: { name: list },
        spec: { [list]: times(count, item) },
      }),
    request: (count: number) =>
      sent(
        "PATCH",
        `${NEW}/${list}?dryRun=All`,
        {
          metadata: { labels: { a: "b" } },
          spec: { [list]: times(count, (at) => item(at + shift)) },
        },
        "application/merge-patch+json",
      ),
    expects: shift === 0 ? 200 : 422,
  })),
);
