// Fields whose gate is disabled. The gates that proto/ names are compared with the fields that kinds drop.
import { describe, expect, test } from "@jest/globals";
import { type BuiltInResource, featuresOf, type GatedFields } from "@orch/apis-model";
import { isObject, type JsonObject, loadSchema, type RuntimeType, type StructType, vocabularyOf } from "@orch/schema";
import { definitionOf } from "./definitions";
import { EVERY_RESOURCE } from "./every-resource";

const vocabulary = vocabularyOf("kubernetes");
const schema = loadSchema(vocabulary);

function define(plural: string, release: string) {
  const resource = EVERY_RESOURCE.find((each) => each.plural === plural);
  const settings = { features: featuresOf(release), nowMs: () => 0 };
  const definition = resource && definitionOf(resource, vocabulary, schema, release, settings);
  if (definition === undefined) throw new Error(`${release} has no ${plural}`);
  return definition;
}

function* gatedPaths(type: RuntimeType, path: string, above: readonly StructType[] = []): Generator<string> {
  if (type.kind === "list") yield* gatedPaths(type.element, `${path}[]`, above);
  if (type.kind === "map") yield* gatedPaths(type.value, `${path}{}`, above);
  if (type.kind !== "struct" || above.includes(type)) return;
  for (const field of type.fields) {
    const at = path === "" ? field.name : `${path}.${field.name}`;
    if (field.featureGates.length > 0) yield at;
    yield* gatedPaths(field.type, at, [...above, type]);
  }
}

/** Gated fields that stay, each with the reason. */
const KEPT: readonly (readonly [RegExp, string])[] = [
  [/^resourceclaims status\./, "a function prepares the status of claims"],
  [/^customresourcedefinitions status\./, "the server writes it"],
  [/ status\.(healthStatus|volumeHealth|storageHealth)$/, "drivers and kubelets report it, and have the same gate"],
  [/^pods status\..*\.(stopSignal|message|claims)$/, "Kubernetes does not drop it from the status"],
  [/^pods status\.(resize|resources\.claims)$/, "Kubernetes does not drop it from the status"],
  [/\.volumeStatus\.image$/, "the object that has it is dropped"],
  [/ spec\.volumeClaimTemplates\[\]\./, "Kubernetes drops it from the claims of the set, not from their templates"],
  [/\.volumeClaimTemplate\./, "Kubernetes drops it from the claims of pods, not from their templates"],
  [/ spec\.source\.inlineVolumeSpec\./, "Kubernetes drops it from volumes alone"],
  [/^persistentvolumeclaims spec\.dataSourceRef\.namespace$/, "the whole reference is dropped, as the cases show"],
  [/\.optionalOldSelf$/, "schemas nest at any depth, and definition-rule-fields.ts walks them"],
  [/spec\.resources\.claims$/, "validation refuses claims of the pod as a whole"],
];

test.each(
  EVERY_RESOURCE.filter(({ plural }) => plural !== "podsecuritypolicies").map((each): [string, BuiltInResource] => [
    each.plural,
    each,
  ]),
)("%s drop each gated field", (plural, { rules, subresources }: BuiltInResource) => {
  const definition = define(plural, "1.37");
  const status = subresources?.["status"] as { readonly gated?: GatedFields } | undefined;
  const dropped = [rules.gated, status?.gated].flatMap((gated) =>
    Object.values((gated ?? {}) as GatedFields).flatMap((paths) => paths ?? []),
  );
  const known = new Set(dropped.map((path) => path.replaceAll("?", "")));
  const struct = definition.versions[0]?.type.struct as StructType;
  const left = [...gatedPaths(struct, "")].filter((path) => !known.has(path)).map((path) => `${plural} ${path}`);
  expect(left.filter((path) => !KEPT.some(([pattern]) => pattern.test(path)))).toEqual([]);
});

const claim = (spec: JsonObject): JsonObject => ({ metadata: { name: "a" }, spec });
const pod = (container: JsonObject, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "a" },
  spec: { ...spec, containers: [{ name: "c", ...container }] },
});
const ofJobs = (spec: JsonObject) => claim({ jobTemplate: { spec } });
const foreign = { apiGroup: "a.io", kind: "B", name: "c", namespace: "other" };
const near = { apiGroup: "a.io", kind: "B", name: "c" };
const signal = { stopSignal: "SIGTERM" };
const preStop = { exec: { command: ["x"] } };
const http = (protocol: object) => ({ livenessProbe: { httpGet: { port: 1, ...protocol } } });

interface Case {
  readonly plural: string;
  readonly release: string;
  readonly stored?: JsonObject;
  readonly sent: JsonObject;
  readonly spec: JsonObject;
}

const specOf = (object: JsonObject) => (isObject(object["spec"]) ? object["spec"] : {});
const same = (plural: string, release: string, sent: JsonObject, stored?: JsonObject): Case => ({
  ...{ plural, release, sent, spec: specOf(sent) },
  ...(stored && { stored }),
});
const changed = (plural: string, release: string, sent: JsonObject, to: JsonObject, stored?: JsonObject): Case => ({
  ...same(plural, release, sent, stored),
  spec: specOf(to),
});

const CASES: readonly Case[] = [
  changed("persistentvolumeclaims", "1.26", claim({ dataSourceRef: foreign }), claim({})),
  changed("persistentvolumeclaims", "1.36", claim({ dataSourceRef: foreign }), claim({})),
  same("persistentvolumeclaims", "1.36", claim({ dataSourceRef: foreign }), claim({ dataSourceRef: near })),
  changed("persistentvolumeclaims", "1.36", claim({ dataSourceRef: foreign }), claim({}), claim({})),
  changed("pods", "1.36", pod({ lifecycle: signal }), pod({})),
  changed("pods", "1.36", pod({ lifecycle: { ...signal, preStop } }), pod({ lifecycle: { preStop } })),
  same("pods", "1.36", pod({ lifecycle: {} })),
  same("pods", "1.36", pod({ lifecycle: signal }), pod({ lifecycle: signal })),
  changed("pods", "1.37", pod(http({ protocol: "HTTP2" })), pod(http({}))),
  same("pods", "1.37", pod(http({ protocol: "HTTP2" })), pod(http({ protocol: "HTTP1" }))),
  changed("pods", "1.37", pod({}, { evictionResponders: [{ name: "a.io/b" }] }), pod({})),
  changed("cronjobs", "1.36", ofJobs({ scheduling: {} }), ofJobs({})),
  changed("nodes", "1.37", claim({ podPreemptionPolicy: {} }), claim({})),
  changed("csidrivers", "1.36", claim({ preventPodSchedulingIfMissing: true }), claim({})),
  changed("resourceslices", "1.37", claim({ skipNodeOperations: ["a"] }), claim({})),
  changed("podgroups", "1.37", claim({ parentCompositePodGroupName: "a" }), claim({})),
];

describe("fields of disabled gates", () => {
  test.each(
    CASES.map((each): [string, Case] => [
      `${each.plural} ${each.release} ${JSON.stringify([each.sent, each.stored])}`,
      each,
    ]),
  )("%s", (_, { plural, release, sent, stored, spec }) => {
    const { strategy } = define(plural, release);
    const object = structuredClone(sent);
    if (stored === undefined) strategy.prepareForCreate?.(object);
    else strategy.prepareForUpdate?.(object, structuredClone(stored));
    expect(object["spec"]).toEqual(spec);
  });
});

interface StatusCase {
  readonly plural: string;
  readonly release: string;
  readonly stored?: JsonObject;
  readonly sent: JsonObject;
  readonly status: JsonObject;
}

const CLASS_NAME = { currentVolumeAttributesClassName: "a" };
const CODE = { attachError: { errorCode: 8 } };

const STATUS_CASES: readonly StatusCase[] = [
  { plural: "persistentvolumeclaims", release: "1.33", sent: CLASS_NAME, status: {} },
  { plural: "persistentvolumeclaims", release: "1.34", sent: CLASS_NAME, status: CLASS_NAME },
  { plural: "volumeattachments", release: "1.34", sent: CODE, status: { attachError: {} } },
  { plural: "volumeattachments", release: "1.35", sent: CODE, status: CODE },
  { plural: "volumeattachments", release: "1.34", sent: CODE, status: CODE, stored: { attachError: { errorCode: 7 } } },
  { plural: "nodes", release: "1.32", sent: { features: { supplementalGroupsPolicy: true } }, status: {} },
  {
    ...{ plural: "pods", release: "1.36", status: {} },
    sent: { nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "a" }] },
  },
  {
    ...{ plural: "pods", release: "1.32", status: { containerStatuses: [{ name: "c" }] } },
    sent: { containerStatuses: [{ name: "c", resources: {} }] },
  },
];

test.each(STATUS_CASES)("the status of $plural of $release drops fields of disabled gates: $sent", (each) => {
  const { plural, release, stored = {}, sent, status } = each;
  const { subresources } = define(plural, release);
  const object: JsonObject = { ...claim({}), status: structuredClone(sent) };
  subresources?.["status"]?.prepareForUpdate(object, { ...claim({}), status: stored });
  expect(object["status"]).toMatchObject(status);
  expect(Object.keys(object["status"] ?? {})).toEqual(expect.arrayContaining(Object.keys(status)));
  for (const name of Object.keys(sent)) if (!(name in status)) expect(object).not.toHaveProperty(["status", name]);
  expect(JSON.stringify(object["status"]).includes("errorCode")).toBe(JSON.stringify(status).includes("errorCode"));
  expect(JSON.stringify(object["status"]).includes("resources")).toBe(false);
});

test("a changed list of ephemeral containers loses the fields of disabled gates", () => {
  const { subresources } = define("pods", "1.36");
  const stored = pod({});
  const sent = pod({}, { ephemeralContainers: [{ name: "e", lifecycle: signal }] });
  subresources?.["ephemeralcontainers"]?.prepareForUpdate(sent, stored);
  expect(specOf(sent)["ephemeralContainers"]).toEqual([{ name: "e" }]);
});
