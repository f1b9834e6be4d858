import {
  ageColumn,
  type BuiltInResource,
  column,
  fieldAt,
  nameColumn,
  objectAt,
  type RuleContext,
  text,
  type ValidationContext,
} from "@orch/apis-model";
import {
  type FieldError,
  field,
  fieldPath,
  qualifiedNameErrors,
  standardFinalizers,
  unknownFinalizerErrors,
} from "@orch/machinery";
import { type coreV1, isObject, type JsonObject, type Vocabulary } from "@orch/schema";

/** Namespace of objects when the client names none. */
export const DEFAULT_NAMESPACE = "default";

/**
 * Returns the names of the namespaces that exist in every cluster, in the order of creation. Source: Kubernetes
 * documentation, "Namespaces", "Initial namespaces".
 */
export function systemNamespaces(vocabulary: Vocabulary): readonly string[] {
  const { system, public: readableByAll, nodeLease } = vocabulary.namespaces;
  return [DEFAULT_NAMESPACE, system, readableByAll, nodeLease];
}

export const namespaces = {
  group: "core",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  scope: "Cluster",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  versions: [{ version: "v1" }],
  defaults: { fields: { "status.phase": "Active" } },
  rules: {
    nameFormat: "label1123",
    initialStatus: { phase: "Active" },
    keepOnUpdate: ["status", "spec.finalizers"],
    create: (object, context) => {
      labelWithName(object, context);
      holdUntilEmpty(object, context);
    },
    deletion: { termination: { begun: terminating, isOver: isEmptied } },
    update: (object, _old, context) => labelWithName(object, context),
    validateCreate: finalizerErrors,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      update: (object, _old, context) => labelWithName(object, context),
      validateUpdate: phaseErrors,
    },
    finalize: {
      verbs: ["update"],
      keeps: ["status"],
      update: (object, _old, context) => labelWithName(object, context),
      validateUpdate: (object, _old, context) => finalizerErrors(object, context),
    },
  },
  selectableFields: { "status.phase": text("status.phase") },
  deleteReturnsObject: true,
  columns: [
    nameColumn,
    column<coreV1.Namespace>(
      "Status",
      "Whether the namespace is in use or on its way out.",
      ({ status }) => status?.phase ?? "",
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/**
 * Sets the label with the namespace's name, by which selectors can choose namespaces. Source: KEP-2161, "Immutable
 * label selectors for all namespaces".
 */
function labelWithName(object: JsonObject, { vocabulary, features }: RuleContext): void {
  if (!features.isOn("NamespaceDefaultLabelName")) return;
  const metadata = objectAt(object, "metadata");
  const name = metadata["name"];
  if (typeof name === "string" && name !== "") objectAt(metadata, "labels")[vocabulary.labels.metadataName] = name;
}

/** Adds the finalizer that the namespace controller removes when a deleted namespace is empty. */
function holdUntilEmpty(object: JsonObject, { vocabulary }: RuleContext): void {
  const spec = objectAt(object, "spec");
  const finalizers = finalizersOf(object);
  const { product } = vocabulary.finalizers;
  if (!finalizers.includes(product)) spec["finalizers"] = [...finalizers, product];
}

function terminating(object: JsonObject): JsonObject {
  const { status } = object;
  return { ...object, status: { ...(isObject(status) ? status : {}), phase: "Terminating" } };
}

function isEmptied(object: JsonObject): boolean {
  return finalizersOf(object).length === 0;
}

function finalizersOf(object: JsonObject): readonly string[] {
  const finalizers = fieldAt(object, ["spec", "finalizers"]);
  return Array.isArray(finalizers) ? (finalizers as readonly string[]) : [];
}

function finalizerErrors(object: JsonObject, { vocabulary, features }: ValidationContext): readonly FieldError[] {
  const standard = standardFinalizers(vocabulary);
  return finalizersOf(object).flatMap((name, position) => {
    const path = fieldPath.index("spec.finalizers", position);
    const unknownAt = features?.since("1.36") ? "spec.finalizers" : path;
    const unqualified = qualifiedNameErrors(name).map((text) => field.invalid(path, name, text));
    return [...unqualified, ...unknownFinalizerErrors(unknownAt, name, standard)];
  });
}

/** Requires the phase that corresponds to the deletion timestamp. The error uses the path that clients know. */
function phaseErrors(object: JsonObject): readonly FieldError[] {
  const phase = fieldAt(object, ["status", "phase"]) ?? "";
  const ending = fieldAt(object, ["metadata", "deletionTimestamp"]) !== undefined;
  const [expected, when] = ending ? ["Terminating", "while"] : ["Active", "unless"];
  if (phase === expected) return [];
  return [field.invalid("status.Phase", phase, `must be "${expected}" ${when} the namespace is being deleted`)];
}
