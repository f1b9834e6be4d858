import { expect, test } from "@jest/globals";
import { loadSchema, type RuntimeType, type StructType, vocabularyOf } from "../index";

const schema = loadSchema(vocabularyOf("orch"));

/** The most common kinds, and the types shared by all: every type reachable from them must be described. */
const DESCRIBED_IN_FULL: Readonly<Record<string, string>> = {
  "admissionregistration/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
  "apiextensions/v1": "CustomResourceDefinition",
  "apps/v1": "DaemonSet Deployment ReplicaSet StatefulSet",
  "autoscaling/v1": "HorizontalPodAutoscaler",
  "autoscaling/v2": "HorizontalPodAutoscaler",
  "batch/v1": "CronJob Job",
  "coordination/v1": "Lease",
  "core/v1":
    "ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod ResourceQuota " +
    "Secret Service ServiceAccount",
  "discovery/v1": "EndpointSlice",
  "events/v1": "Event",
  "meta/v1":
    "Condition DeleteOptions LabelSelector ListMeta ListOptions ManagedFieldsEntry ObjectMeta OwnerReference " +
    "PartialObjectMetadata Status Table WatchEvent",
  "networking/v1": "Ingress IngressClass NetworkPolicy",
  "policy/v1": "PodDisruptionBudget",
  "rbac/v1": "ClusterRole ClusterRoleBinding Role RoleBinding",
  "scheduling/v1": "PriorityClass",
  "storage/v1": "StorageClass",
};

const DESCRIBED = Object.entries(DESCRIBED_IN_FULL).flatMap(([file, types]) =>
  types.split(" ").map((type) => [file, type] as const),
);

test.each(DESCRIBED)("%s.%s and everything under it is described", (file, type) => {
  const undescribed: string[] = [];
  for (const struct of reachable(structOf(file, type))) {
    const [home, name] = splitName(struct);
    if (schema.description(home, name) === undefined) undescribed.push(struct.name);
    for (const field of struct.fields) {
      if (schema.description(home, name, field.name) === undefined) undescribed.push(`${struct.name}.${field.name}`);
    }
  }
  expect(undescribed).toEqual([]);
});

test("every kind of every group version has a summary, whatever is said of its fields", () => {
  const kinds = schema.groupVersions.flatMap(({ id }) =>
    schema.typeNames(id).filter((name) => {
      const type = schema.type(id, name);
      return type?.kind === "struct" && type.isRoot && schema.description(id, name) === undefined;
    }),
  );
  expect(kinds).toEqual([]);
});

test("every description is one or a few sentences, short enough for a terminal", () => {
  const texts = [...new Set(allTexts())];
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.filter((text) => text.length > 400 || !/^[A-Z].*\.$/s.test(text))).toEqual([]);
});

function structOf(file: string, type: string): StructType {
  const found = schema.type(file, type);
  if (found?.kind !== "struct") throw new Error(`${file}.${type} is no struct`);
  return found;
}

function splitName(struct: StructType): readonly [file: string, type: string] {
  const dot = struct.name.lastIndexOf(".");
  return [struct.name.slice(0, dot), struct.name.slice(dot + 1)];
}

function reachable(root: StructType): ReadonlySet<StructType> {
  const structs = new Set([root]);
  for (const struct of structs) {
    for (const field of struct.fields) {
      const nested = structWithin(field.type);
      if (nested !== undefined) structs.add(nested);
    }
  }
  return structs;
}

function structWithin(type: RuntimeType): StructType | undefined {
  if (type.kind === "list") return structWithin(type.element);
  if (type.kind === "map") return structWithin(type.value);
  return type.kind === "struct" ? type : undefined;
}

function* allTexts(): Generator<string> {
  for (const { id } of schema.groupVersions) {
    for (const name of schema.typeNames(id)) {
      const struct = schema.type(id, name);
      const fields = struct?.kind === "struct" ? struct.fields : [];
      for (const field of [undefined, ...fields.map((field) => field.name)]) {
        const text = schema.description(id, name, field);
        if (text !== undefined) yield text;
      }
    }
  }
}
