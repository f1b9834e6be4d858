import { describe, expect, test } from "@jest/globals";
import { type Field, loadSchema, type StructType, vocabularyOf } from "../index";

const schema = loadSchema(vocabularyOf("orch"));

function field(id: string, type: string, name: string): Field {
  const found = (schema.type(id, type) as StructType).fieldByName.get(name);
  if (found === undefined) throw new Error(`no ${type}.${name}`);
  return found;
}

describe("a type tells how its values merge", () => {
  test("lists keyed by fields, sets and atomic lists", () => {
    expect(field("core/v1", "Container", "ports").type).toMatchObject({
      kind: "list",
      relation: "map",
      keys: ["containerPort", "protocol"],
    });
    expect(field("meta/v1", "ObjectMeta", "finalizers").type).toMatchObject({ relation: "set" });
    expect(field("core/v1", "Container", "args").type).toMatchObject({ relation: "atomic" });
  });

  test("a list that only has a patch strategy merges by that strategy's key", () => {
    expect(field("core/v1", "EphemeralContainers", "ephemeralContainers").type).toMatchObject({
      relation: "map",
      keys: ["name"],
    });
    expect(field("batch/v1", "JobStatus", "conditions").type).toMatchObject({ relation: "atomic" });
  });

  test("maps and structs that are replaced as a whole, and the field that says otherwise", () => {
    expect(field("core/v1", "PodSpec", "nodeSelector").type).toMatchObject({ kind: "map", relation: "atomic" });
    expect(schema.type("meta/v1", "LabelSelector")).toMatchObject({ relation: "atomic" });
    expect(field("core/v1", "PersistentVolumeSpec", "claimRef")).toMatchObject({
      structRelation: "granular",
      type: { relation: "atomic" },
    });
  });

  test("strategies and keys of patches", () => {
    expect(field("core/v1", "PodSpec", "volumes")).toMatchObject({
      patchStrategies: ["merge", "retainKeys"],
      patchMergeKey: "name",
    });
  });
});

test("strings know their values, and whether there may be others", () => {
  expect(field("core/v1", "ServicePort", "protocol").type).toMatchObject({
    values: { closed: true, values: ["TCP", "UDP", "SCTP"] },
  });
  expect(field("core/v1", "NamespaceSpec", "finalizers").type).toMatchObject({
    element: { values: { closed: false, values: ["orch"] } },
  });
});

test("the options and answers of requests are found in every group version", () => {
  for (const [group, version] of [
    ["", "v1"],
    ["apps", "v1"],
    ["rbac.authorization.orch.io", "v1"],
  ] as const) {
    expect(schema.objectType(group, version, "DeleteOptions")?.struct).toBe(schema.type("meta/v1", "DeleteOptions"));
  }
  expect(schema.objectType("", "v1", "Status")?.struct.name).toBe("meta/v1.Status");
  expect(schema.objectType("meta.orch.io", "v1beta1", "Table")?.struct.name).toBe("meta/v1.Table");
});

test.each([
  ["an unknown group", "no.such.group", "v1", "Pod"],
  ["an unknown version", "", "v2", "Pod"],
  ["an unknown kind", "", "v1", "Pods"],
  ["a type that is no object of its own", "", "v1", "PodSpec"],
  ["a name that all objects have", "", "v1", "constructor"],
])("%s has no object type", (_what, group, version, kind) => {
  expect(schema.objectType(group, version, kind)).toBeUndefined();
});

test("the kubernetes vocabulary names groups, fields and values its own way", () => {
  const other = loadSchema(vocabularyOf("kubernetes"));
  expect(other.objectType("rbac.authorization.k8s.io", "v1", "Role")?.kind).toBe("Role");
  expect(other.objectType("rbac.authorization.orch.io", "v1", "Role")).toBeUndefined();
  const props = other.type("apiextensions/v1", "JSONSchemaProps") as StructType;
  expect(props.fieldByName.has("x-kubernetes-list-type")).toBe(true);
  expect(other.wireFields("apiextensions/v1", "JSONSchemaProps")?.find(({ number }) => number === 42)?.name).toBe(
    "xKubernetesListType",
  );
  expect(JSON.stringify(other.groupVersions)).not.toMatch(/orch/);
});

describe("people read of types and fields what the comments of the record say", () => {
  test("descriptions of a type, of its fields and of inlined fields", () => {
    expect(schema.description("runtime", "Value")).toBe("Any JSON value, as the cells of a table hold.");
    expect(schema.description("core/v1", "ObjectReference", "namespace")).toMatch(/namespace/);
    expect(schema.description("core/v1", "Volume", "emptyDir")).toBe(
      schema.description("core/v1", "VolumeSource", "emptyDir"),
    );
    expect(schema.description("core/v1", "Volume", "emptyDir")).toBeDefined();
    expect(schema.description("core/v1", "Volume", "noSuchField")).toBeUndefined();
    expect(schema.description("core/v1", "Pod", "kind")).toBe(schema.description("runtime", "TypeMeta", "kind"));
    expect(schema.description("no/v1", "Volume")).toBeUndefined();
  });

  test.each(["orch", "kubernetes"] as const)("no reference to the vocabulary is left unresolved in %s", (name) => {
    const named = loadSchema(vocabularyOf(name));
    const all = named.groupVersions.flatMap(({ id }) =>
      named.typeNames(id).flatMap((type) => {
        const struct = named.type(id, type);
        const fields =
          struct?.kind === "struct" ? struct.fields.map((field) => named.description(id, type, field.name)) : [];
        return [named.description(id, type), ...fields];
      }),
    );
    expect(all.filter((text) => text?.match(/\{\w+\.\w+\}/))).toEqual([]);
    if (name === "kubernetes") expect(all.filter((text) => text?.match(/\borch\b/i))).toEqual([]);
  });
});
