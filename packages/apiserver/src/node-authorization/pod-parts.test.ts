import { describe, expect, test } from "@jest/globals";
import { podReferences } from "@orch/auth";
import type { Entry } from "@orch/registry";
import type { JsonObject } from "@orch/schema";
import { referencesOf } from "./pod-parts";

const POD = { namespace: "shop", name: "web", ephemeralClaims: true };

/** The parts of an entry that the code under test reads. */
function entryOf(pod: JsonObject, text = JSON.stringify(pod)): Entry {
  return { stored: () => Buffer.from(text), whole: () => pod } as unknown as Entry;
}

function read(entry: Entry): { readonly references: readonly string[]; readonly steps: number } {
  const steps = referencesOf(entry, POD);
  for (let count = 0; ; count += 1) {
    const { done, value } = steps.next();
    if (done === true) return { references: [...value].sort(), steps: count };
  }
}

function whole(spec: JsonObject): readonly string[] {
  const references = new Set<string>();
  podReferences(spec, POD, (key) => references.add(key));
  return [...references].sort();
}

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));
const PADDING = { metadata: { annotations: { long: '"\\{[ö'.repeat(8000) } } };

const LARGE: readonly (readonly [string, JsonObject])[] = [
  ["many volumes of every kind", { volumes: many(20_000, (at) => ({ name: `v${at}`, ...sourceOf(at) })) }],
  ["one volume of many parts", { volumes: [{ name: "v", projected: { sources: many(20_000, projectedOf) } }] }],
  [
    "many volumes of some hundred parts",
    { volumes: many(90, (at) => ({ name: `v${at}`, projected: { sources: many(500, projectedOf) } })) },
  ],
  [
    "one volume of a config map with many items",
    { volumes: [{ configMap: { items: many(50_000, (at) => ({ key: `${at}` })), name: "late" }, name: "v" }] },
  ],
  [
    "one volume that brings a large claim",
    { volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { x: "y".repeat(99_999) } } }] },
  ],
  ["one container of many variables", { containers: [{ name: "c", env: many(20_000, variableOf) }] }],
  [
    "many containers",
    { containers: many(5000, (at) => ({ name: `c${at}`, env: [variableOf(at)] })), serviceAccountName: "robot" },
  ],
  [
    "one container of many sources of variables",
    { initContainers: [{ envFrom: many(20_000, (at) => ({ secretRef: { name: `s${at}` } })) }] },
  ],
  ["many secrets for images", { imagePullSecrets: many(20_000, (at) => ({ name: `pull${at}` })) }],
  ["a long annotation alone", { serviceAccountName: 'a"b', volumes: [{ name: "v", secret: { secretName: "s" } }] }],
];

function sourceOf(at: number): JsonObject {
  const sources: readonly JsonObject[] = [
    { secret: { secretName: `s${at}` } },
    { configMap: { name: `c${at}` } },
    { persistentVolumeClaim: { claimName: `p${at}` } },
    { csi: { nodePublishSecretRef: { name: `s${at}` } } },
    { emptyDir: {} },
    { ephemeral: { volumeClaimTemplate: {} } },
    { rbd: { secretRef: { name: `s${at}` } } },
  ];
  return sources[at % sources.length] as JsonObject;
}
function projectedOf(at: number): JsonObject {
  return at % 2 === 0 ? { secret: { name: `s${at}` } } : { configMap: { name: `c${at}` } };
}
function variableOf(at: number): JsonObject {
  const name = `x${at}`;
  return at % 2 === 0
    ? { name, valueFrom: { secretKeyRef: { name, key: "k" } } }
    : { name, valueFrom: { configMapKeyRef: { name, key: "k" } } };
}

describe("a large pod with", () => {
  test.each(LARGE)("%s refers to the same, read in parts", (_what, spec) => {
    const { references, steps } = read(entryOf({ ...PADDING, spec }));
    expect(references).toEqual(whole(spec));
    expect(references.length).toBeGreaterThan(0);
    expect(steps).toBeGreaterThan(4);
  });

  test.each<[string, JsonObject[]]>([
    ["small", many(60_000, (at) => ({ name: `volume-${at}`, secret: { secretName: `secret-${at}` } }))],
    [
      "of some hundred parts",
      many(120, (at) => ({ name: `volume-${at}`, projected: { sources: many(1000, projectedOf) } })),
    ],
  ])("3 MiB of volumes, each %s, is read in many steps", (_what, volumes) => {
    const { length } = JSON.stringify(volumes);
    expect(length).toBeGreaterThan(3 * 1024 * 1024);
    expect(read(entryOf({ spec: { volumes } })).steps).toBeGreaterThan(length / (64 * 1024));
  });

  test("blanks between its parts is read as a whole", () => {
    const pod = { ...PADDING, spec: { serviceAccountName: "robot" } };
    const { references } = read(entryOf(pod, JSON.stringify(pod, undefined, 2)));
    expect(references).toEqual(whole(pod.spec));
  });
});

test("a small pod is read at once", () => {
  const spec = { volumes: [{ name: "v", secret: { secretName: "s" } }] };
  expect(read(entryOf({ spec }))).toEqual({ references: whole(spec), steps: 0 });
});
