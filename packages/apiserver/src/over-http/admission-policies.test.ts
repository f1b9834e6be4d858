// Admission policies in a real server that emulates a release without them.
import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ApiClient } from "../testing/api-client";
import { useServer } from "../testing/use-server";

const API = "/apis/admissionregistration.orch.io/v1";
const POLICIES = `${API}/validatingadmissionpolicies`;
const BINDINGS = `${API}/validatingadmissionpolicybindings`;
const MUTATIONS = `${API}/mutatingadmissionpolicies`;
const MUTATION_BINDINGS = `${API}/mutatingadmissionpolicybindings`;
const MAPS = "/api/v1/namespaces/default/configmaps";

let admin: ApiClient;
useServer(
  (running) => {
    ({ admin } = running);
  },
  { flags: { "emulated-release": "1.20" } },
);

const MAP_RULES = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] },
  ],
};
const policy = (name: string, spec: JsonObject): JsonObject => ({
  metadata: { name },
  spec: { matchConstraints: MAP_RULES, ...spec },
});
const binding = (name: string, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: `${name}-binding` },
  spec: { policyName: name, validationActions: ["Deny"], ...spec },
});
const map = (name: string, data: JsonObject = {}): JsonObject => ({ metadata: { name }, data });

async function has(path: string, body: JsonObject): Promise<JsonObject> {
  const { code, text, json } = await admin.post(path, body);
  expect([code, code === 201 ? "" : text]).toEqual([201, ""]);
  return json as unknown as JsonObject;
}

test("the kinds are served, told of and explained", async () => {
  const { json } = await admin.get(API);
  const names = json.resources.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "validatingadmissionpolicies",
      "validatingadmissionpolicies/status",
      "validatingadmissionpolicybindings",
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
    ]),
  );
  expect((await admin.get("/openapi/v2")).text).toContain("A condition in CEL that a request must meet");
});

describe("a policy", () => {
  test("is in force as soon as it is there, changes when it is changed, and ends with its binding", async () => {
    await has(
      POLICIES,
      policy("no-secrets", {
        matchConditions: [{ name: "named", expression: "object.metadata.name != 'exempt'" }],
        validations: [{ expression: "!('password' in object.data)", message: "no passwords" }],
      }),
    );
    await has(BINDINGS, binding("no-secrets"));
    const bad = await admin.post(MAPS, map("bad", { password: "x" }));
    expect(bad.code).toBe(422);
    expect(bad.json).toMatchObject({
      reason: "Invalid",
      message:
        "configmaps \"bad\" is forbidden: ValidatingAdmissionPolicy 'no-secrets' with binding 'no-secrets-binding' denied request: no passwords",
      details: {
        name: "bad",
        kind: "configmaps",
        causes: [
          {
            message:
              "ValidatingAdmissionPolicy 'no-secrets' with binding 'no-secrets-binding' denied request: no passwords",
          },
        ],
      },
    });
    await has(MAPS, map("good", { user: "x" }));
    const changed = { validations: [{ expression: "!('user' in object.data)", message: "no users" }] };
    const kept = (await admin.get(`${POLICIES}/no-secrets`)).json as unknown as {
      metadata: JsonObject;
      spec: JsonObject;
    };
    expect(kept.spec).toMatchObject({ failurePolicy: "Fail", matchConstraints: { matchPolicy: "Equivalent" } });
    await admin.put(`${POLICIES}/no-secrets`, { ...kept, spec: { ...kept.spec, ...changed } } as JsonObject);
    await has(MAPS, map("bad", { password: "x" }));
    expect((await admin.post(MAPS, map("other", { user: "x" }))).code).toBe(422);
    await admin.delete(`${BINDINGS}/no-secrets-binding`);
    await has(MAPS, map("other", { user: "x" }));
  });

  test("warns", async () => {
    await has(
      POLICIES,
      policy("warns", { validations: [{ expression: "object.metadata.name != 'warned'", message: "beware" }] }),
    );
    await has(BINDINGS, binding("warns", { validationActions: ["Warn"] }));
    const { code, headers } = await admin.post(MAPS, map("warned"));
    expect(code).toBe(201);
    expect(String(headers["warning"])).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns-binding': beware",
    );
    await admin.delete(`${BINDINGS}/warns-binding`);
  });

  test("is asked about large objects, which another thread takes", async () => {
    await has(
      POLICIES,
      policy("large", { validations: [{ expression: "object.data.size() < 20000", message: "too many" }] }),
    );
    await has(BINDINGS, binding("large"));
    const data = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, "x"]));
    await has(MAPS, map("large", data(19_999)));
    const { code, json } = await admin.post(MAPS, map("larger", data(20_000)));
    expect([code, json.message]).toEqual([422, expect.stringMatching(/denied request: too many$/)]);
    await admin.delete(`${BINDINGS}/large-binding`);
  });

  test("a policy of many expressions is compiled in a worker thread and takes effect", async () => {
    const validations = Array.from({ length: 500 }, (_, index) => ({
      expression: `object.metadata.name != 'long-${index}' && object.metadata.name != '${"x".repeat(200)}'`,
    }));
    await has(POLICIES, policy("long", { validations }));
    await has(BINDINGS, binding("long"));
    expect((await admin.post(MAPS, map("long-499"))).code).toBe(422);
    await has(MAPS, map("long-500"));
    await admin.delete(`${BINDINGS}/long-binding`);
    const broken = await admin.post(POLICIES, policy("broken", { validations: [...validations, { expression: "1" }] }));
    expect(broken.json.message).toContain(
      'spec.validations[500].expression: Invalid value: "1": must evaluate to bool',
    );
  });

  test("is asked about dry runs", async () => {
    await has(POLICIES, policy("dry", { validations: [{ expression: "!request.dryRun" }] }));
    await has(BINDINGS, binding("dry"));
    expect((await admin.post(`${MAPS}?dryRun=All`, map("dry"))).code).toBe(422);
    await admin.delete(`${BINDINGS}/dry-binding`);
  });

  test("takes its parameters from objects, and those of custom kinds", async () => {
    const metadata = { name: "limits.rules.example" };
    await has("/apis/apiextensions.orch.io/v1/customresourcedefinitions", {
      metadata,
      spec: {
        group: "rules.example",
        scope: "Cluster",
        names: { plural: "limits", singular: "limit", kind: "Limit", listKind: "LimitList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { max: { type: "integer" } } } },
          },
        ],
      },
    });
    const limits = "/apis/rules.example/v1/limits";
    while ((await admin.get(limits)).code !== 200);
    await has(limits, { apiVersion: "rules.example/v1", kind: "Limit", metadata: { name: "maps" }, max: 1 });
    await has(
      POLICIES,
      policy("limited", {
        paramKind: { apiVersion: "rules.example/v1", kind: "Limit" },
        validations: [
          { expression: "object.data.size() <= params.max", messageExpression: "'at most ' + string(params.max)" },
        ],
      }),
    );
    await has(BINDINGS, binding("limited", { paramRef: { name: "maps", parameterNotFoundAction: "Deny" } }));
    await has(MAPS, map("one", { a: "1" }));
    const { json } = await admin.post(MAPS, map("two", { a: "1", b: "2" }));
    expect(json).toMatchObject({ message: expect.stringMatching(/denied request: at most 1$/) });
    await admin.delete(`${BINDINGS}/limited-binding`);
  });

  test("is looked at by the types of what it is about", async () => {
    await has(POLICIES, policy("doubtful", { validations: [{ expression: "object.foo == 1" }] }));
    const watch = await admin.watch(`${POLICIES}?watch=true&fieldSelector=metadata.name=doubtful`);
    for (;;) {
      const { object } = (await watch.next()) as unknown as { object: { status: JsonObject } };
      if (object.status?.["typeChecking"] === undefined) continue;
      expect(object.status).toEqual({
        observedGeneration: 1,
        typeChecking: {
          expressionWarnings: [
            {
              fieldRef: "spec.validations[0].expression",
              warning:
                "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
            },
          ],
        },
      });
      break;
    }
    watch.close();
  });

  test("knows what its user may do", async () => {
    await has(
      POLICIES,
      policy("knows", {
        validations: [{ expression: "authorizer.group('').resource('pods').check('get').allowed()" }],
      }),
    );
    await has(BINDINGS, binding("knows"));
    await has(MAPS, map("allowed"));
    await admin.delete(`${BINDINGS}/knows-binding`);
  });
});

test("an explained request lists the result of each policy", async () => {
  await has(
    POLICIES,
    policy("told", { validations: [{ expression: "object.metadata.name != 'told'", message: "not so" }] }),
  );
  await has(BINDINGS, binding("told"));
  const { json } = await admin.post(`${MAPS}?dryRun=All&admission=explain`, map("told"));
  const steps = (json as unknown as { steps: JsonObject[] }).steps;
  expect(steps).toContainEqual(
    expect.objectContaining({ plugin: "ValidatingAdmissionPolicy", decision: "denied", code: 422, message: "not so" }),
  );
  await admin.delete(`${BINDINGS}/told-binding`);
});

describe("a policy that changes objects", () => {
  test("changes them before they are judged", async () => {
    await has(MUTATIONS, {
      metadata: { name: "labels" },
      spec: {
        matchConstraints: MAP_RULES,
        reinvocationPolicy: "Never",
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: {
              expression:
                "Object{metadata: Object.metadata{labels: {'made-by': request.userInfo.username.split(':')[0]}}}",
            },
          },
          {
            patchType: "JSONPatch",
            jsonPatch: { expression: "[JSONPatch{op: 'add', path: '/data/more', value: 'x'}]" },
          },
        ],
      },
    });
    await has(MUTATION_BINDINGS, { metadata: { name: "labels-binding" }, spec: { policyName: "labels" } });
    const made = await has(MAPS, map("changed", { a: "1" }));
    expect(made).toMatchObject({
      data: { a: "1", more: "x" },
      metadata: { labels: { "made-by": expect.any(String) } },
    });
    await admin.delete(`${MUTATION_BINDINGS}/labels-binding`);
    expect(await has(MAPS, map("unchanged"))).not.toHaveProperty("data.more");
  });
});

const METRIC =
  'apiserver_validating_admission_policy_check_total{policy="no-secrets",policy_binding="no-secrets-binding",error_type="no_error",enforcement_action="deny"} ';

test("policies are counted in metrics", async () => {
  const { text } = await admin.get("/metrics");
  expect(text).toContain(METRIC);
  expect(text).toContain(
    'apiserver_admission_match_condition_evaluation_seconds_count{name="no-secrets",kind="policy",type="validate",operation="CREATE"}',
  );
});

describe("a policy is refused", () => {
  const invalid = (name: string, spec: JsonObject) => admin.post(POLICIES, policy(name, spec));
  test.each<[string, JsonObject, string]>([
    [
      "without anything to say",
      {},
      "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
    ],
    [
      "without rules",
      { matchConstraints: {}, validations: [{ expression: "true" }] },
      "spec.matchConstraints.resourceRules: Required value",
    ],
    [
      "with an expression of no text",
      { validations: [{ expression: " " }] },
      "spec.validations[0].expression: Required value: expression is not specified",
    ],
    [
      "with an expression that does not compile",
      { validations: [{ expression: "object.x +" }] },
      'spec.validations[0].expression: Invalid value: "object.x +": compilation failed: ERROR: <input>:1:11: Syntax error',
    ],
    [
      "with an expression that says neither yes nor no",
      { validations: [{ expression: "1" }] },
      'spec.validations[0].expression: Invalid value: "1": must evaluate to bool',
    ],
    ["with an unknown variable", { validations: [{ expression: "variables.a" }] }, "undefined field 'a'"],
    [
      "with a variable that does not compile",
      { variables: [{ name: "a", expression: "b" }], validations: [{ expression: "true" }] },
      'spec.variables[0].expression: Invalid value: "b": compilation failed',
    ],
    [
      "with a variable of no name",
      { variables: [{ name: "1a", expression: "1" }], validations: [{ expression: "true" }] },
      'spec.variables[0].name: Invalid value: "1a": must be a valid CEL identifier',
    ],
    [
      "with an unknown reason",
      { validations: [{ expression: "true", reason: "Why" }] },
      'spec.validations[0].reason: Unsupported value: "Why": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
    [
      "with two conditions of one name",
      {
        matchConditions: [
          { name: "a", expression: "true" },
          { name: "a", expression: "true" },
        ],
        validations: [{ expression: "true" }],
      },
      'spec.matchConditions[1].name: Duplicate value: "a"',
    ],
    [
      "with a condition that does not compile",
      { matchConditions: [{ name: "a", expression: "x" }], validations: [{ expression: "true" }] },
      'spec.matchConditions[0].expression: Invalid value: "x": compilation failed',
    ],
    [
      "with a message of lines",
      { validations: [{ expression: "true", message: "a\nb" }] },
      'spec.validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
    ],
    [
      "with lines and no message",
      { validations: [{ expression: "true\n|| false" }] },
      "spec.validations[0].message: Required value: message must be specified if expression contains line breaks",
    ],
    [
      "with a message that is no text",
      { validations: [{ expression: "true", messageExpression: "1" }] },
      'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string',
    ],
    [
      "with a note that is no text",
      { auditAnnotations: [{ key: "a", valueExpression: "1" }] },
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
    ],
    [
      "with a note of no key",
      { auditAnnotations: [{ key: "", valueExpression: "''" }] },
      "spec.auditAnnotations[0].key: Required value",
    ],
    [
      "with parameters of no kind",
      { paramKind: { apiVersion: "v1" }, validations: [{ expression: "true" }] },
      "spec.paramKind.kind: Required value",
    ],
    [
      "with an unknown operation",
      {
        matchConstraints: { resourceRules: [{ ...MAP_RULES.resourceRules[0], operations: ["READ"] }] },
        validations: [{ expression: "true" }],
      },
      'spec.matchConstraints.resourceRules[0].operations[0]: Unsupported value: "READ"',
    ],
    [
      "with an unknown failure policy",
      { failurePolicy: "Maybe", validations: [{ expression: "true" }] },
      'spec.failurePolicy: Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
    ],
  ])("%s", async (_behaviour, spec, message) => {
    const { code, json } = await invalid("wrong", spec);
    expect([code, json.message]).toEqual([422, expect.stringContaining(message)]);
  });

  test.each<[string, string, JsonObject, string]>([
    ["a binding without a policy", BINDINGS, { validationActions: ["Deny"] }, "spec.policyName: Required value"],
    ["a binding without actions", BINDINGS, { policyName: "a" }, "spec.validationActions: Required value"],
    [
      "a binding that refuses and warns",
      BINDINGS,
      { policyName: "a", validationActions: ["Deny", "Warn"] },
      "must not contain both Deny and Warn",
    ],
    [
      "a binding with an unknown action",
      BINDINGS,
      { policyName: "a", validationActions: ["Log"] },
      'spec.validationActions[0]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
    ],
    [
      "a binding with parameters by nothing",
      BINDINGS,
      { policyName: "a", validationActions: ["Deny"], paramRef: { parameterNotFoundAction: "Deny" } },
      "spec.paramRef: Required value: one of name or selector must be specified",
    ],
    [
      "a binding that does not say what to do without parameters",
      BINDINGS,
      { policyName: "a", validationActions: ["Deny"], paramRef: { name: "a" } },
      "spec.paramRef.parameterNotFoundAction: Required value",
    ],
    [
      "mutations that are none",
      MUTATIONS,
      { matchConstraints: MAP_RULES, reinvocationPolicy: "Never" },
      "spec.mutations: Required value",
    ],
    [
      "mutations of deletions",
      MUTATIONS,
      {
        matchConstraints: { resourceRules: [{ ...MAP_RULES.resourceRules[0], operations: ["DELETE"] }] },
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "[]" } }],
      },
      'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE"',
    ],
    [
      "mutations of an unknown type, and nothing else about them",
      MUTATIONS,
      { matchConstraints: MAP_RULES, reinvocationPolicy: "Never", mutations: [{ patchType: "X", jsonPatch: {} }] },
      'is invalid: spec.mutations[0].patchType: Unsupported value: "X"',
    ],
    [
      "a variable with a reserved name",
      MUTATIONS,
      {
        matchConstraints: MAP_RULES,
        reinvocationPolicy: "Never",
        variables: [{ name: "if", expression: "1" }],
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }],
      },
      'spec.variables[0].name: Invalid value: "if": must be a valid CEL identifier',
    ],
    [
      "a variable without an expression, which is not declared either",
      MUTATIONS,
      {
        matchConstraints: MAP_RULES,
        reinvocationPolicy: "Never",
        variables: [{ name: "v" }],
        mutations: [
          { patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{data: variables.v}" } },
        ],
      },
      "undefined field 'v'",
    ],
    [
      "mutations without an expression",
      MUTATIONS,
      { matchConstraints: MAP_RULES, reinvocationPolicy: "Never", mutations: [{ patchType: "JSONPatch" }] },
      "spec.mutations[0].jsonPatch: Required value",
    ],
    [
      "mutations that make no object",
      MUTATIONS,
      {
        matchConstraints: MAP_RULES,
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "1" } }],
      },
      'spec.mutations[0].applyConfiguration.expression: Invalid value: "1": must evaluate to Object',
    ],
  ])("%s", async (_behaviour, path, spec, message) => {
    const { code, json } = await admin.post(path, { metadata: { name: "wrong" }, spec });
    expect([code, json.message]).toEqual([422, expect.stringContaining(message)]);
  });
});
