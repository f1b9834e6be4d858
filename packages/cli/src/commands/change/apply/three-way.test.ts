import { expect, test } from "@jest/globals";
import { applyMergePatch, applyStrategicMergePatch, rulesOfStruct, UNKNOWN_PATCH_RULES } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { threeWayPatch } from "./three-way";

const schema = loadSchema(vocabularyOf("orch"));
const struct = schema.objectType("apps", "v1", "Deployment")?.struct;
if (struct === undefined) throw new Error("the schema has no deployments");
const rules = rulesOfStruct(struct);

const pods = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
const containers = (...list: JsonObject[]): JsonObject => pods({ containers: list });

/** Title, what was applied, the file, the server's object, what the patch makes of it. */
type Case = readonly [string, JsonObject, JsonObject, JsonObject, JsonObject];

test.each<Case>([
  ["a field of the file is set", {}, { spec: { replicas: 2 } }, { spec: { replicas: 1 } }, { spec: { replicas: 2 } }],
  [
    "fields of others stay",
    {},
    { spec: { replicas: 2 } },
    { spec: { paused: true } },
    { spec: { paused: true, replicas: 2 } },
  ],
  [
    "a field that the file no longer has is removed",
    { spec: { paused: true, replicas: 2 } },
    { spec: { replicas: 2 } },
    { spec: { paused: true, replicas: 2, revisionHistoryLimit: 1 } },
    { spec: { replicas: 2, revisionHistoryLimit: 1 } },
  ],
  [
    "containers are merged by name",
    containers({ name: "a", image: "1" }, { name: "b", image: "1" }),
    containers({ name: "a", image: "2" }),
    containers({ name: "a", image: "1", tty: true }, { name: "b", image: "1" }, { name: "side", image: "1" }),
    containers({ name: "a", image: "2", tty: true }, { name: "side", image: "1" }),
  ],
  [
    "a volume of another type replaces the defaults of the former one",
    pods({ volumes: [{ name: "v" }] }),
    pods({ volumes: [{ name: "v", hostPath: { path: "/d" } }] }),
    pods({ volumes: [{ name: "v", emptyDir: {} }] }),
    pods({ volumes: [{ name: "v", hostPath: { path: "/d" } }] }),
  ],
  [
    "a container is added",
    containers({ name: "a" }),
    containers({ name: "new", image: "1" }, { name: "a" }),
    containers({ name: "a", image: "1" }),
    containers({ name: "new", image: "1" }, { name: "a", image: "1" }),
  ],
  [
    "values of a set are added and removed",
    { metadata: { finalizers: ["a", "b"] } },
    { metadata: { finalizers: ["b", "c"] } },
    { metadata: { finalizers: ["a", "b", "other"] } },
    { metadata: { finalizers: ["b", "c", "other"] } },
  ],
  [
    "a volume of another type replaces the former type",
    pods({ volumes: [{ name: "v", emptyDir: {} }] }),
    pods({ volumes: [{ name: "v", hostPath: { path: "/x" } }] }),
    pods({ volumes: [{ name: "v", emptyDir: {} }] }),
    pods({ volumes: [{ name: "v", hostPath: { path: "/x" } }] }),
  ],
  [
    "a list without merge keys is replaced",
    pods({ containers: [{ name: "a", args: ["1", "2"] }] }),
    pods({ containers: [{ name: "a", args: ["2"] }] }),
    pods({ containers: [{ name: "a", args: ["1", "2"] }] }),
    pods({ containers: [{ name: "a", args: ["2"] }] }),
  ],
])("%s", (_, original, modified, current, expected) => {
  const patch = threeWayPatch(rules, { original, modified, current });
  expect(applyStrategicMergePatch(struct, current, patch)).toEqual(expected);
  expect(threeWayPatch(rules, { original: modified, modified, current: expected })).toEqual({});
});

test("a merge patch replaces lists, and keeps the members of others", () => {
  const current = { data: { a: [1], b: 2, c: 3 } };
  const patch = threeWayPatch(UNKNOWN_PATCH_RULES, {
    original: { data: { b: 2 } },
    modified: { data: { a: [2] } },
    current,
  });
  expect(patch).toEqual({ data: { a: [2], b: null } });
  expect(applyMergePatch(current, patch)).toEqual({ data: { a: [2], c: 3 } });
});
