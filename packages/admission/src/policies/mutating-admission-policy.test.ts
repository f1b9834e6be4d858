// Table tests of mutating policies: mutations, a request, and the resulting object.
import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { type AskedRequest, mutationBindingOf, mutationOf, PolicyCluster, podOf, ruleOf } from "../testing/policy-case";

const apply = (expression: string): JsonObject => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string): JsonObject => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const changes = (...mutations: JsonObject[]): JsonObject => ({ mutations });

const ask = (policy: JsonObject, asked: AskedRequest = {}, more: readonly JsonObject[] = [mutationBindingOf()]) =>
  new PolicyCluster({ objects: [mutationOf(policy), ...more] }).ask({ object: podOf(), ...asked });

const refusal = (message: string) => `403 Invalid: policy 'changes' with binding 'binds' denied request: ${message}`;

const at = (object: JsonObject | undefined, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);

describe("a configuration that is applied", () => {
  test.each<[string, string, string, unknown]>([
    ["sets a field", "Object{spec: Object.spec{priorityClassName: 'high'}}", "spec.priorityClassName", "high"],
    ["sets a label", "Object{metadata: Object.metadata{labels: {'tier': 'front'}}}", "metadata.labels.tier", "front"],
    [
      "sets a label beside others",
      "Object{metadata: Object.metadata{labels: {'tier': 'front'}}}",
      "metadata.labels.app",
      "web",
    ],
    [
      "sets what it computes",
      "Object{spec: Object.spec{hostname: object.metadata.name + '-0'}}",
      "spec.hostname",
      "web-0",
    ],
    [
      "sets a number",
      "Object{spec: Object.spec{terminationGracePeriodSeconds: 5}}",
      "spec.terminationGracePeriodSeconds",
      5,
    ],
    ["sets a truth", "Object{spec: Object.spec{hostNetwork: true}}", "spec.hostNetwork", true],
    [
      "changes an item of a keyed list",
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'main', imagePullPolicy: 'Always'}]}}",
      "spec.containers.0.imagePullPolicy",
      "Always",
    ],
    [
      "keeps the rest of an item",
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'main', imagePullPolicy: 'Always'}]}}",
      "spec.containers.0.image",
      "example.com/web:1",
    ],
    [
      "adds an item to a keyed list",
      "Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'mesh', image: 'mesh:1', restartPolicy: 'Always'}]}}",
      "spec.initContainers.0.name",
      "mesh",
    ],
    [
      "changes all items",
      "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, tty: true})}}",
      "spec.containers.0.tty",
      true,
    ],
    [
      "fills defaults of what it adds",
      "Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'mesh', image: 'mesh:1'}]}}",
      "spec.initContainers.0.imagePullPolicy",
      "IfNotPresent",
    ],
    [
      "leaves out what is optional",
      "Object{spec: Object.spec{?hostname: optional.none()}}",
      "spec.hostname",
      undefined,
    ],
    ["may change nothing", "Object{}", "spec.hostname", undefined],
    [
      "may be one of two",
      "has(object.spec.hostname) ? Object{} : Object{spec: Object.spec{hostname: 'h'}}",
      "spec.hostname",
      "h",
    ],
  ])("%s", async (_behaviour, expression, path, value) => {
    const object = podOf({}, { labels: { app: "web" } });
    const outcome = await ask(changes(apply(expression)), { object });
    expect(outcome.refused).toBeUndefined();
    expect(at(outcome.object, path)).toEqual(value);
  });

  test.each<[string, string, string]>([
    [
      "names a part by another place",
      "Object{spec: Object.status{phase: 'x'}}",
      'type mismatch: unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    ],
    [
      "sets a field that there is not",
      "Object{spec: Object.spec{colour: 'red'}}",
      "error applying patch: failed to convert patch object to typed object: .spec.colour: field not declared in schema",
    ],
    [
      "sets a field to what it cannot be",
      "Object{spec: Object.spec{hostname: 3}}",
      "error applying patch: failed to convert patch object to typed object: .spec.hostname: expected string, got number 3",
    ],
    [
      "replaces what can only be replaced as a whole",
      "Object{spec: Object.spec{nodeSelector: {'a': 'b'}}}",
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.nodeSelector",
    ],
    [
      "fails",
      "Object{spec: Object.spec{hostname: string(1 / 0)}}",
      "expression 'Object{spec: Object.spec{hostname: string(1 / 0)}}' resulted in error: division by zero",
    ],
    ["is no object", "'text'", "compilation error: must evaluate to Object but got string"],
    [
      "is a part of an object",
      "Object.spec{hostname: 'a'}",
      "compilation error: must evaluate to Object but got Object.spec",
    ],
  ])("refuses the request where it %s", async (_behaviour, expression, message) => {
    expect((await ask(changes(apply(expression)))).refused).toBe(refusal(message));
    const ignored = await ask({ ...changes(apply(expression)), failurePolicy: "Ignore" });
    expect(ignored).toMatchObject({ refused: undefined, object: podOf() });
  });
});

describe("a patch", () => {
  test.each<[string, string, string, unknown]>([
    ["adds", "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]", "metadata.labels", { a: "b" }],
    [
      "replaces",
      "[JSONPatch{op: 'replace', path: '/spec/containers/0/image', value: 'x:2'}]",
      "spec.containers.0.image",
      "x:2",
    ],
    ["removes", "[JSONPatch{op: 'remove', path: '/spec/hostname'}]", "spec.hostname", undefined],
    ["moves", "[JSONPatch{op: 'move', from: '/spec/hostname', path: '/spec/subdomain'}]", "spec.subdomain", "h"],
    ["copies", "[JSONPatch{op: 'copy', from: '/spec/hostname', path: '/spec/subdomain'}]", "spec.subdomain", "h"],
    [
      "tests, and goes on",
      "[JSONPatch{op: 'test', path: '/spec/hostname', value: 'h'}, JSONPatch{op: 'add', path: '/spec/subdomain', value: 's'}]",
      "spec.subdomain",
      "s",
    ],
    ["may have no operation", "[]", "spec.subdomain", undefined],
    [
      "adds parts of an object",
      "[JSONPatch{op: 'add', path: '/spec/tolerations', value: [Object.spec.tolerations{key: 'a', operator: 'Exists'}]}]",
      "spec.tolerations",
      [{ key: "a", operator: "Exists" }],
    ],
    [
      "spells keys for paths",
      "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('example.com/a~b'), value: 'c'}]",
      "metadata.annotations.example",
      undefined,
    ],
    [
      "is made of parts",
      "object.spec.containers.map(c, JSONPatch{op: 'add', path: '/spec/containers/0/tty', value: true})",
      "spec.containers.0.tty",
      true,
    ],
  ])("%s", async (_behaviour, expression, path, value) => {
    const object = podOf({ hostname: "h" }, { annotations: { note: "n" } });
    const outcome = await ask(changes(patch(expression)), { object });
    expect(outcome.refused).toBeUndefined();
    expect(at(outcome.object, path)).toEqual(value);
  });

  test("spells keys as paths have them", async () => {
    const expression =
      "[JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('a.b/c~d'), value: 'x'}]";
    const { object } = await ask(changes(patch(expression)), { object: podOf({}, { annotations: {} }) });
    expect(at(object, "metadata.annotations")).toEqual({ "a.b/c~d": "x" });
  });

  test.each<[string, string, string]>([
    [
      "does not fit the object",
      "[JSONPatch{op: 'remove', path: '/spec/hostname'}]",
      'JSON Patch: operation 0 (remove at "/spec/hostname") does not apply',
    ],
    [
      "has an operation that there is not",
      "[JSONPatch{op: 'turn', path: '/spec/hostname'}]",
      "JSON Patch: error decoding patch: operation 0 has the unknown",
    ],
    [
      "is no list",
      "JSONPatch{op: 'remove', path: '/spec/hostname'}",
      "compilation error: must evaluate to list(JSONPatch) but got JSONPatch",
    ],
    [
      "has a field that there is not",
      "[JSONPatch{op: 'add', to: '/x'}]",
      "compilation error: compilation failed: ERROR: <input>:1:25: undefined field 'to'",
    ],
    [
      "names a part by another place",
      "[JSONPatch{op: 'add', path: '/spec', value: Object.spec{containers: Object.spec{}}}]",
      'type mismatch: unexpected type name "Object.spec", expected "Object.spec.containers"',
    ],
  ])("refuses the request where it %s", async (_behaviour, expression, message) => {
    const { refused } = await ask(changes(patch(expression)));
    expect(refused).toContain(refusal(message));
    expect((await ask({ ...changes(patch(expression)), failurePolicy: "Ignore" })).refused).toBeUndefined();
  });

  test.each<[string, string, string]>([
    ["a timestamp as text", "timestamp('2024-01-01T00:00:00Z')", "2024-01-01T00:00:00Z"],
    ["a duration in seconds", "duration('1h')", "3600s"],
    ["bytes in base64", "b'abc'", "YWJj"],
    ["an integer beyond 53 bits as text", "9007199254740993", "9007199254740993"],
  ])("sets %s", async (_behaviour, value, expected) => {
    const expression = `[JSONPatch{op: 'add', path: '/spec/hostname', value: ${value}}]`;
    expect(at((await ask(changes(patch(expression)))).object, "spec.hostname")).toBe(expected);
  });

  test.each<[string, string]>([
    ["finds another value", "JSONPatch{op: 'test', path: '/metadata/name', value: 'x'}"],
    ["finds no value", "JSONPatch{op: 'test', path: '/spec/hostname', value: 'x'}"],
  ])("changes nothing where its test %s", async (_behaviour, operation) => {
    const expression = `[${operation}, JSONPatch{op: 'add', path: '/spec/subdomain', value: 's'}]`;
    expect(await ask(changes(patch(expression)))).toMatchObject({ refused: undefined, object: podOf() });
  });

  test.each<[string, string, string]>([
    [
      "another kind",
      "{op: 'replace', path: '/kind', value: 'Node'}",
      "the patch changes the object's kind or apiVersion",
    ],
    [
      "an unknown field",
      "{op: 'add', path: '/spec/colour', value: 'red'}",
      'strict decoding error: unknown field "spec.colour"',
    ],
    ["a value of another type", "{op: 'replace', path: '/spec', value: 'x'}", "spec: expected an object"],
  ])("that makes %s is an internal error, whatever the failure policy", async (_behaviour, operation, message) => {
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const { refused } = await ask({ ...changes(patch(`[JSONPatch${operation}]`)), failurePolicy });
      expect(refused).toContain(`500 InternalError: Internal error occurred: ${message}`);
    }
  });

  test("without kind and apiVersion keeps those of the object", async () => {
    const expression = "[JSONPatch{op: 'remove', path: '/kind'}, JSONPatch{op: 'remove', path: '/apiVersion'}]";
    expect(await ask(changes(patch(expression)))).toMatchObject({ refused: undefined, object: podOf() });
  });
});

describe("mutations", () => {
  const LABEL = (name: string, value: string) =>
    apply(`Object{metadata: Object.metadata{labels: {'${name}': '${value}'}}}`);
  const labels = (object: JsonObject | undefined) => at(object, "metadata.labels");

  test("mutations of a policy run in order, each on the result of the previous one", async () => {
    const { object } = await ask(
      changes(
        LABEL("a", "1"),
        patch("[JSONPatch{op: 'add', path: '/metadata/labels/b', value: object.metadata.labels.a + '2'}]"),
      ),
    );
    expect(labels(object)).toEqual({ a: "1", b: "12" });
  });

  test("policies run in the order of their names", async () => {
    const { object } = await ask(changes(LABEL("a", "1")), {}, [
      mutationBindingOf(),
      mutationOf(
        { mutations: [apply("Object{metadata: Object.metadata{labels: {'b': object.metadata.labels.a}}}")] },
        "later",
      ),
      mutationBindingOf({}, "binds-later", "later"),
    ]);
    expect(labels(object)).toEqual({ a: "1", b: "1" });
  });

  test.each<[string, AskedRequest, JsonObject, object | undefined]>([
    ["are made on create", {}, {}, { a: "1" }],
    ["are made on update", { operation: "UPDATE", oldObject: podOf() }, {}, { a: "1" }],
    [
      "are not made of other resources",
      {},
      { matchConstraints: { resourceRules: [ruleOf("apps", "deployments")] } },
      undefined,
    ],
    [
      "are not made where a condition does not hold",
      {},
      { matchConditions: [{ name: "c", expression: "false" }] },
      undefined,
    ],
    [
      "are made where all conditions hold",
      {},
      { matchConditions: [{ name: "c", expression: "object.metadata.name == 'web'" }] },
      { a: "1" },
    ],
  ])("%s", async (_behaviour, asked, more, expected) => {
    expect(labels((await ask({ ...changes(LABEL("a", "1")), ...more }, asked)).object)).toEqual(expected);
  });

  test.each(["true held", "false excluded", "1/0==1 failed"])("are counted by their conditions: %s", async (row) => {
    const [expression = "", outcome] = row.split(" ");
    const policy = mutationOf({ ...changes(LABEL("a", "1")), matchConditions: [{ name: "c", expression }] });
    const cluster = new PolicyCluster({ objects: [policy, mutationBindingOf()] });
    await cluster.ask({ object: podOf() });
    expect(cluster.conditions).toEqual([`changes mutate CREATE ${outcome}`]);
  });

  test("are not made of deletions", async () => {
    const outcome = await ask(
      { ...changes(apply("Object{}")) },
      { operation: "DELETE", oldObject: podOf(), object: undefined as never },
    );
    expect(outcome).toMatchObject({ refused: undefined, checks: [] });
  });

  test("know parameters, variables and the namespace", async () => {
    const params = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "team", namespace: "shop" },
      data: { team: "red" },
    };
    const { object } = await ask(
      {
        paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        variables: [{ name: "team", expression: "params.data.team + '-' + namespaceObject.metadata.labels['env']" }],
        ...changes(apply("Object{metadata: Object.metadata{labels: {'team': variables.team}}}")),
      },
      {},
      [params, mutationBindingOf({ paramRef: { name: "team", parameterNotFoundAction: "Deny" } })],
    );
    expect(labels(object)).toEqual({ team: "red-test" });
  });

  test("that want to see what came later are made once more, where it has changed the object", async () => {
    const count = (name: string) =>
      apply(
        `Object{metadata: Object.metadata{labels: {'${name}': has(object.metadata.labels) && '${name}' in object.metadata.labels ? 'again' : 'once'}}}`,
      );
    for (const [reinvocationPolicy, seen] of [
      ["IfNeeded", "again"],
      ["Never", "once"],
    ] as const) {
      const { object } = await ask({ ...changes(count("first")), reinvocationPolicy }, {}, [
        mutationBindingOf(),
        mutationOf(changes(LABEL("later", "x")), "later"),
        mutationBindingOf({}, "binds-later", "later"),
      ]);
      expect(labels(object)).toEqual({ first: seen, later: "x" });
    }
  });

  test.each<[string, string]>([
    ["null", "Object{spec: Object.spec{hostname: null}}"],
    ["bytes", "Object{spec: Object.spec{hostname: b'a'}}"],
    ["an unsigned integer", "Object{spec: Object.spec{terminationGracePeriodSeconds: 5u}}"],
    ["a timestamp", "Object{metadata: Object.metadata{creationTimestamp: timestamp('2024-01-01T00:00:00Z')}}"],
    ["a map inside of a map", "Object{metadata: {'labels': {'a': 'b'}}}"],
    ["a map inside of a list", "Object{spec: Object.spec{containers: [{'name': 'main'}]}}"],
  ])("do not apply %s", async (_value, expression) => {
    const { refused } = await ask(changes(apply(expression)));
    expect(refused).toContain("error applying patch: failed to convert patch object to typed object: .");
  });

  test("go on after one that fails, and the answer names all failures", async () => {
    const policy = changes(patch("[JSONPatch{op: 'remove', path: '/zz'}]"), LABEL("a", "1"), apply("Object{zz: 'b'}"));
    const ignored = await ask({ ...policy, failurePolicy: "Ignore" });
    expect(ignored.refused).toBeUndefined();
    expect(labels(ignored.object)).toEqual({ a: "1" });
    const denied = "policy 'changes' with binding 'binds' denied request: ";
    expect((await ask(policy)).causes).toEqual([
      { message: `${denied}JSON Patch: operation 0 (remove at "/zz") does not apply` },
      {
        message: `${denied}error applying patch: failed to convert patch object to typed object: .zz: field not declared in schema`,
      },
    ]);
  });

  test("read a missing member of null as a missing key", async () => {
    const expression = "Object{metadata: Object.metadata{labels: {'old': has(oldObject.spec) ? 'yes' : 'no'}}}";
    expect(labels((await ask(changes(apply(expression)))).object)).toEqual({ old: "no" });
    const { refused } = await ask(changes(apply("Object{spec: Object.spec{hostname: oldObject.spec.hostname}}")));
    expect(refused).toContain("resulted in error: no such key: spec");
  });

  test("are counted", async () => {
    expect((await ask(changes(LABEL("a", "1")))).checks).toEqual(["changes binds no_error allow"]);
    expect((await ask(changes(apply("Object{spec: 1 / 0}")))).checks).toEqual(["changes binds invalid_error deny"]);
    const ignored = await ask({ ...changes(apply("Object{spec: 1 / 0}")), failurePolicy: "Ignore" });
    expect(ignored.checks).toEqual(["changes binds invalid_error allow"]);
  });

  test("leave an object alone that they do not change", async () => {
    const { object } = await ask(changes(LABEL("a", "1")));
    if (object === undefined) throw new Error("the object is lost");
    expect((await ask(changes(LABEL("a", "1")), { object })).object).toBe(object);
  });
});
