// Table tests of validating policies: a policy, its binding, a request, and the outcome.
import { describe, expect, test } from "@jest/globals";
import type { Attributes } from "@orch/auth";
import type { JsonObject } from "@orch/schema";
import {
  type AskedRequest,
  bindingOf,
  type ClusterParts,
  PolicyCluster,
  podOf,
  policyOf,
  ruleOf,
} from "../testing/policy-case";

const valid = (expression: string, more: JsonObject = {}): JsonObject => ({ expression, ...more });
const rules = (...validations: JsonObject[]): JsonObject => ({ validations });
const DENIED = "ValidatingAdmissionPolicy 'rules' with binding 'binds' denied request: ";
const refusal = (message: string, code = "422 Invalid", what = 'pods "web"') =>
  `${code}: ${what} is forbidden: ${DENIED}${message}`;

const ask = (
  policy: JsonObject,
  asked: AskedRequest = {},
  { binding = {}, ...parts }: ClusterParts & { readonly binding?: JsonObject } = {},
) =>
  new PolicyCluster({ ...parts, objects: [policyOf(policy), bindingOf(binding), ...(parts.objects ?? [])] }).ask({
    object: podOf(),
    ...asked,
  });

describe("an expression", () => {
  test.each<[string, string, string | undefined]>([
    ["that holds lets the request pass", "true", undefined],
    ["that does not hold refuses", "false", "failed expression: false"],
    ["is shown without the space around it", "  1 > 2 ", "failed expression: 1 > 2"],
    ["sees the object", "object.spec.containers.size() == 1", undefined],
    ["sees its names", "object.metadata.name == 'web'", undefined],
    ["sees its kind and version", "object.kind == 'Pod' && object.apiVersion == 'v1'", undefined],
    ["has no old object on create", "oldObject == null", undefined],
    ["sees whole numbers as integers", "object.spec.terminationGracePeriodSeconds == 30", undefined],
    [
      "fails where a field is missing",
      "object.spec.hostNetwork == true",
      "expression 'object.spec.hostNetwork == true' resulted in error: no such key: hostNetwork",
    ],
    ["may ask whether a field is there", "!has(object.spec.hostNetwork)", undefined],
    ["may take an absent field for another", "object.spec.?hostNetwork.orValue(false) == false", undefined],
    ["knows the operation", "request.operation == 'CREATE'", undefined],
    ["knows the resource", "request.resource.resource == 'pods' && request.resource.group == ''", undefined],
    ["knows the kind", "request.kind.kind == 'Pod' && request.requestKind.version == 'v1'", undefined],
    ["knows the name and the namespace", "request.name == 'web' && request.namespace == 'shop'", undefined],
    ["knows the user", "request.userInfo.username == 'ann' && request.userInfo.uid == '7'", undefined],
    ["knows the user's groups", "'devs' in request.userInfo.groups", undefined],
    ["knows whether it is for show", "request.dryRun == false", undefined],
    ["knows the options", "request.options.fieldManager == 'tests'", undefined],
    ["has no sub-resource where there is none", "!has(request.subResource)", undefined],
    ["sees the namespace's labels", "namespaceObject.metadata.labels['env'] == 'test'", undefined],
    ["sees the namespace's state", "namespaceObject.status.phase == 'Active'", undefined],
    [
      "sees the namespace's times as times",
      "namespaceObject.metadata.creationTimestamp < timestamp('2025-01-01T00:00:00Z')",
      undefined,
    ],
    ["may take a field that is there for an optional one", "object.spec.containers.orValue([]).size() == 1", undefined],
    ["may use macros", "object.spec.containers.all(c, c.image.startsWith('example.com/'))", undefined],
    ["may use the strings' library", "object.metadata.name.upperAscii() == 'WEB'", undefined],
    ["may use quantities", "quantity('1Gi').isGreaterThan(quantity('1M'))", undefined],
    ["may use regular expressions", "object.metadata.name.matches('^[a-z]+$')", undefined],
    ["may use URLs", "url('https://example.com/a').getHost() == 'example.com'", undefined],
    ["may use addresses", "ip('10.0.0.1').family() == 4", undefined],
    ["may use lists' library", "[1, 2, 3].sum() == 6", undefined],
    ["may use sets", "sets.contains(['a', 'b'], ['a'])", undefined],
    ["that divides by nothing fails", "1 / 0 == 1", "expression '1 / 0 == 1' resulted in error: division by zero"],
    [
      "that compares what cannot be compared fails",
      "object.metadata.name > 3",
      "expression 'object.metadata.name > 3' resulted in error: no such overload",
    ],
    [
      "that does not compile fails",
      "object.spec.",
      "compilation error: compilation failed: ERROR: <input>:1:13: Syntax error: mismatched input '<EOF>'\n | object.spec.\n | ............^",
    ],
    ["of another type fails", "'text'", "compilation error: must evaluate to bool but got string"],
    [
      "knows no parameters where there are none",
      "params == null",
      "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params == null\n | ^",
    ],
    [
      "that costs too much fails",
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0))))))",
      "expression '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0))))))' resulted in error: operation cancelled: actual cost limit exceeded",
    ],
  ])("%s", async (_behaviour, expression, message) => {
    const { refused } = await ask(rules(valid(expression)), {
      object: podOf({ terminationGracePeriodSeconds: 30 }),
    });
    expect(refused).toBe(message === undefined ? undefined : refusal(message));
  });

  test.each<[string, AskedRequest, string]>([
    [
      "an update has both",
      { operation: "UPDATE", oldObject: podOf({ nodeName: "n1" }) },
      "object.spec.containers == oldObject.spec.containers && oldObject.spec.nodeName == 'n1'",
    ],
    [
      "a deletion has no object",
      { operation: "DELETE", oldObject: podOf(), object: undefined as never },
      "object == null",
    ],
    ["a deletion has an old one", { operation: "DELETE", oldObject: podOf() }, "oldObject.metadata.name == 'web'"],
    ["a dry run is known", { dryRun: true }, "request.dryRun && request.options.dryRun == ['All']"],
  ])("%s", async (_behaviour, asked, expression) => {
    expect((await ask(rules(valid(expression)), asked)).refused).toBeUndefined();
  });
});

describe("the message of a refusal", () => {
  test.each<[string, JsonObject, string, string?]>([
    ["is the message", { message: "no way" }, "no way"],
    ["is the message without space", { message: "  no way \n" }, "no way"],
    ["is what the expression makes", { messageExpression: "'no ' + object.metadata.name" }, "no web"],
    ["is the message where the expression makes none", { message: "no way", messageExpression: "''" }, "no way"],
    ["is the message where the expression fails", { message: "no way", messageExpression: "string(1 / 0)" }, "no way"],
    ["is the message where the other has lines", { message: "no way", messageExpression: "'a\\nb'" }, "no way"],
    [
      "is the message where the other is too long",
      {
        message: "no way",
        messageExpression:
          "['1234567890'].map(x, x.replace('', '0123456789'.replace('', '0123456789'.replace('', '0123456789')))).join('')",
      },
      "no way",
    ],
    ["is the expression where nothing else is said", {}, "failed expression: false"],
    ["is the expression where both fail", { messageExpression: "string(1 / 0)" }, "failed expression: false"],
    ["has the reason Forbidden", { message: "no", reason: "Forbidden" }, "no", "403 Forbidden"],
    ["has the reason Unauthorized", { message: "no", reason: "Unauthorized" }, "no", "401 Unauthorized"],
    ["has the reason Invalid", { message: "no", reason: "Invalid" }, "no", "422 Invalid"],
    [
      "has the reason RequestEntityTooLarge",
      { message: "no", reason: "RequestEntityTooLarge" },
      "no",
      "413 RequestEntityTooLarge",
    ],
    ["knows nobody's rights in its message", { messageExpression: "string(authorizer != null)", message: "m" }, "m"],
  ])("%s", async (...[_behaviour, more, message, code]) => {
    expect((await ask(rules(valid("false", more)))).refused).toBe(refusal(message, code));
  });

  test("names the first of several", async () => {
    const { refused } = await ask(
      rules(valid("true"), valid("false", { message: "a" }), valid("false", { message: "b" })),
    );
    expect(refused).toBe(refusal("a"));
  });
});

describe("which requests a policy is about", () => {
  const about = (match: JsonObject, asked: AskedRequest = {}, binding: JsonObject = {}) =>
    ask({ matchConstraints: match, ...rules(valid("false")) }, asked, { binding }).then(
      ({ refused }) => refused !== undefined,
    );
  const DEPLOYMENT: AskedRequest = {
    group: "apps",
    resource: "deployments",
    object: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: {} },
  };
  const pods = ruleOf("", "pods");

  test.each<[string, JsonObject, AskedRequest, boolean]>([
    ["those of a rule", { resourceRules: [pods] }, {}, true],
    ["no others", { resourceRules: [pods] }, DEPLOYMENT, false],
    ["all, without rules", {}, DEPLOYMENT, true],
    ["one of several rules", { resourceRules: [ruleOf("apps", "deployments"), pods] }, {}, true],
    ["of any group", { resourceRules: [ruleOf("*", "*")] }, DEPLOYMENT, true],
    ["of the operation", { resourceRules: [ruleOf("", "pods", ["CREATE"])] }, {}, true],
    ["of no other operation", { resourceRules: [ruleOf("", "pods", ["UPDATE", "DELETE"])] }, {}, false],
    ["of the version", { resourceRules: [ruleOf("", "pods", ["*"], "v1")] }, {}, true],
    ["of no other version", { resourceRules: [ruleOf("", "pods", ["*"], "v2")] }, {}, false],
    [
      "sub-resources only where named",
      { resourceRules: [pods] },
      { subresource: "status", operation: "UPDATE", oldObject: podOf() },
      false,
    ],
    [
      "a sub-resource that is named",
      { resourceRules: [ruleOf("", "pods/status")] },
      { subresource: "status", operation: "UPDATE", oldObject: podOf() },
      true,
    ],
    [
      "any part",
      { resourceRules: [ruleOf("", "pods/*")] },
      { subresource: "status", operation: "UPDATE", oldObject: podOf() },
      true,
    ],
    ["of a name", { resourceRules: [{ ...pods, resourceNames: ["web"] }] }, {}, true],
    ["of no other name", { resourceRules: [{ ...pods, resourceNames: ["db"] }] }, {}, false],
    ["namespaced ones", { resourceRules: [{ ...pods, scope: "Namespaced" }] }, {}, true],
    ["those of the cluster", { resourceRules: [{ ...pods, scope: "Cluster" }] }, {}, false],
    ["none that are left out", { resourceRules: [pods], excludeResourceRules: [pods] }, {}, false],
    [
      "none of a name that is left out",
      { resourceRules: [pods], excludeResourceRules: [{ ...pods, resourceNames: ["web"] }] },
      {},
      false,
    ],
    [
      "all but a name that is left out",
      { resourceRules: [pods], excludeResourceRules: [{ ...pods, resourceNames: ["db"] }] },
      {},
      true,
    ],
    [
      "of a namespace with labels",
      { resourceRules: [pods], namespaceSelector: { matchLabels: { env: "test" } } },
      {},
      true,
    ],
    [
      "of no namespace without",
      { resourceRules: [pods], namespaceSelector: { matchLabels: { env: "prod" } } },
      {},
      false,
    ],
    [
      "of a namespace by expressions",
      {
        resourceRules: [pods],
        namespaceSelector: { matchExpressions: [{ key: "env", operator: "NotIn", values: ["prod"] }] },
      },
      {},
      true,
    ],
    [
      "with labels",
      { resourceRules: [pods], objectSelector: { matchLabels: { app: "web" } } },
      { object: podOf({}, { labels: { app: "web" } }) },
      true,
    ],
    ["none without", { resourceRules: [pods], objectSelector: { matchLabels: { app: "web" } } }, {}, false],
    [
      "that had labels before",
      { resourceRules: [pods], objectSelector: { matchLabels: { app: "web" } } },
      { operation: "UPDATE", oldObject: podOf({}, { labels: { app: "web" } }) },
      true,
    ],
    [
      "under another version of its",
      { resourceRules: [ruleOf("autoscaling", "horizontalpodautoscalers", ["*"], "v1")] },
      HPA("v2"),
      true,
    ],
    [
      "under another version not, where exact",
      { matchPolicy: "Exact", resourceRules: [ruleOf("autoscaling", "horizontalpodautoscalers", ["*"], "v1")] },
      HPA("v2"),
      false,
    ],
    [
      "under its own version, where exact",
      { matchPolicy: "Exact", resourceRules: [ruleOf("autoscaling", "horizontalpodautoscalers", ["*"], "v2")] },
      HPA("v2"),
      true,
    ],
  ])("%s", async (_behaviour, match, asked, is) => {
    expect(await about(match, asked)).toBe(is);
    expect(await about({}, asked, { matchResources: match })).toBe(is);
  });

  function HPA(version: string): AskedRequest {
    const metadata = { name: "web", namespace: "shop" };
    return {
      group: "autoscaling",
      resource: "horizontalpodautoscalers",
      version,
      object: {
        apiVersion: `autoscaling/${version}`,
        kind: "HorizontalPodAutoscaler",
        metadata,
        spec: { maxReplicas: 3 },
      },
    };
  }

  test.each(["v1", "v2"])("see the object in the version that the rule names: %s", async (version) => {
    const group = "autoscaling";
    const policy = {
      matchConstraints: { resourceRules: [ruleOf(group, "horizontalpodautoscalers", ["*"], version)] },
      ...rules(
        valid(`object.apiVersion == 'autoscaling/${version}' && request.kind.version == '${version}'`),
        valid("request.requestKind.version == 'v2' && object.spec.maxReplicas == 3"),
      ),
    };
    expect((await ask(policy, HPA("v2"))).refused).toBeUndefined();
  });

  test("those of the configuration of admission are never asked about", async () => {
    const group = "admissionregistration.orch.io";
    for (const [resource, kind] of [
      ["validatingadmissionpolicies", "ValidatingAdmissionPolicy"],
      ["validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"],
      ["mutatingadmissionpolicies", "MutatingAdmissionPolicy"],
      ["mutatingadmissionpolicybindings", "MutatingAdmissionPolicyBinding"],
      ["validatingwebhookconfigurations", "ValidatingWebhookConfiguration"],
      ["mutatingwebhookconfigurations", "MutatingWebhookConfiguration"],
    ] as const) {
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name: "any" } };
      expect(await about({}, { group, resource, object })).toBe(false);
    }
  });

  test("none while the feature is off", async () => {
    expect((await ask(rules(valid("false")), {}, { gate: false })).refused).toBeUndefined();
  });

  test("none without a binding", async () => {
    const cluster = new PolicyCluster({ objects: [policyOf(rules(valid("false")))] });
    expect((await cluster.ask({ object: podOf() })).refused).toBeUndefined();
  });

  test("none by a binding without a policy", async () => {
    const cluster = new PolicyCluster({ objects: [bindingOf()] });
    expect((await cluster.ask({ object: podOf() })).refused).toBeUndefined();
  });
});

describe("conditions", () => {
  const conditions = (...expressions: string[]): JsonObject => ({
    ...rules(valid("false", { message: "asked" })),
    matchConditions: expressions.map((expression, index) => ({ name: `c${index}`, expression })),
  });
  test.each<[string, JsonObject, string | undefined]>([
    ["that hold", conditions("true", "object.metadata.name == 'web'"), "asked"],
    ["of which one does not hold", conditions("true", "false"), undefined],
    ["of which one does not hold and one fails", conditions("1 / 0 == 1", "false"), undefined],
    ["of which one fails", conditions("1 / 0 == 1"), "expression '1 / 0 == 1' resulted in error: division by zero"],
    ["that fail, where failures are ignored", { ...conditions("1 / 0 == 1"), failurePolicy: "Ignore" }, undefined],
    ["that know the user", conditions("request.userInfo.username != 'ann'"), undefined],
    [
      "that know no variables",
      { ...conditions("variables.a"), variables: [{ name: "a", expression: "true" }] },
      "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.a\n | ^",
    ],
  ])("%s", async (_behaviour, policy, message) => {
    expect((await ask(policy)).refused).toBe(message === undefined ? undefined : refusal(message));
  });

  test.each<[string[], string[]]>([
    [["true", "true"], ["rules validate CREATE held"]],
    [["true", "false"], ["rules validate CREATE excluded"]],
    [["1 / 0 == 1", "false"], ["rules validate CREATE excluded"]],
    [["1 / 0 == 1", "true"], ["rules validate CREATE failed"]],
    [[], []],
  ])("%j are counted", async (expressions, counted) => {
    const cluster = new PolicyCluster({ objects: [policyOf(conditions(...expressions)), bindingOf()] });
    await cluster.ask({ object: podOf() });
    expect(cluster.conditions).toEqual(counted);
  });
});

describe("variables", () => {
  const named = (variables: Record<string, string>, ...validations: JsonObject[]): JsonObject => ({
    variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    ...rules(...validations),
  });
  test.each<[string, JsonObject, string | undefined]>([
    ["have values", named({ a: "object.metadata.name" }, valid("variables.a == 'web'")), undefined],
    ["may use those before them", named({ a: "1", b: "variables.a + 1" }, valid("variables.b == 2")), undefined],
    [
      "may not use those behind them",
      named({ b: "variables.a + 1", a: "1" }, valid("variables.b == 2")),
      "expression 'variables.b == 2' resulted in error: compilation failed: ERROR: <input>:1:10: undefined field 'a'\n | variables.a + 1\n | .........^",
    ],
    ["that nobody uses may fail", named({ a: "1 / 0" }, valid("true")), undefined],
    [
      "that somebody uses may not",
      named({ a: "1 / 0" }, valid("variables.a == 1")),
      "expression 'variables.a == 1' resulted in error: composited variable \"a\" fails to evaluate: division by zero",
    ],
    ["that fail where it does not matter", named({ a: "1 / 0" }, valid("variables.a == 1 || true")), undefined],
    [
      "have types",
      named({ a: "1" }, valid("variables.a == 'x'")),
      "compilation error: compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.a == 'x'\n | ............^",
    ],
    [
      "are known to messages",
      named({ a: "'no ' + 'way'" }, valid("false", { messageExpression: "variables.a" })),
      "no way",
    ],
    ["may be asked for", named({ a: "1" }, valid("has(variables.a)")), undefined],
    [
      "that nobody has named are unknown",
      named({ a: "1" }, valid("variables.c == 1")),
      "compilation error: compilation failed: ERROR: <input>:1:10: undefined field 'c'\n | variables.c == 1\n | .........^",
    ],
    [
      "that cost much are made all the same",
      named(
        {
          tens: "[0,1,2,3,4,5,6,7,8,9]",
          many: "variables.tens.map(a, variables.tens.map(b, variables.tens.map(c, a + b + c))).size()",
          more: "variables.tens.all(a, variables.tens.all(b, variables.tens.all(c, variables.tens.all(d, a + b + c + d >= 0))))",
        },
        valid("variables.many == 10 && variables.more"),
      ),
      undefined,
    ],
  ])("%s", async (_behaviour, policy, message) => {
    expect((await ask(policy)).refused).toBe(message === undefined ? undefined : refusal(message));
  });
});

describe("parameters", () => {
  const configMap = (name: string, data: JsonObject, namespace = "shop", labels: JsonObject = {}): JsonObject => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels },
    data,
  });
  const OBJECTS = [
    configMap("limits", { max: "1" }),
    configMap("strict", { max: "0" }, "shop", { set: "both" }),
    configMap("loose", { max: "5" }, "shop", { set: "both" }),
    configMap("limits", { max: "0" }, "rules"),
  ];
  const BY_PARAMS: JsonObject = {
    paramKind: { apiVersion: "v1", kind: "ConfigMap" },
    ...rules(
      valid("object.spec.containers.size() <= int(params.data.max)", {
        messageExpression: "'at most ' + params.data.max",
      }),
    ),
  };
  const configured = (message: string) => refusal(`failed to configure binding: ${message}`);
  test.each<[string, JsonObject, JsonObject | undefined, string | undefined]>([
    ["by name, in the object's namespace", BY_PARAMS, { name: "limits", parameterNotFoundAction: "Deny" }, undefined],
    ["by name, in another", BY_PARAMS, { name: "limits", namespace: "rules" }, refusal("at most 0")],
    ["by labels: each is asked with", BY_PARAMS, { selector: { matchLabels: { set: "both" } } }, refusal("at most 0")],
    [
      "by labels that only one has",
      BY_PARAMS,
      { selector: { matchLabels: { set: "none" } }, parameterNotFoundAction: "Allow" },
      undefined,
    ],
    ["that are not there", BY_PARAMS, { name: "none", parameterNotFoundAction: "Allow" }, undefined],
    [
      "that have to be there",
      BY_PARAMS,
      { name: "none", parameterNotFoundAction: "Deny" },
      configured("no params found for policy binding with `Deny` parameterNotFoundAction"),
    ],
    [
      "of labels that have to be there",
      BY_PARAMS,
      { selector: { matchLabels: { set: "none" } }, parameterNotFoundAction: "Deny" },
      configured("no params found for policy binding with `Deny` parameterNotFoundAction"),
    ],
    [
      "that have to be there, where failures are ignored",
      { ...BY_PARAMS, failurePolicy: "Ignore" },
      { name: "none", parameterNotFoundAction: "Deny" },
      undefined,
    ],
    [
      "of no kind that there is",
      { ...BY_PARAMS, paramKind: { apiVersion: "v1", kind: "Limits" } },
      { name: "limits" },
      `422 Invalid: pods "web" is forbidden: ValidatingAdmissionPolicy 'rules' denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Limits'`,
    ],
    [
      "of the cluster, in a namespace",
      { ...BY_PARAMS, paramKind: { apiVersion: "v1", kind: "Node" } },
      { name: "limits", namespace: "rules" },
      configured("paramRef.namespace must not be provided for a cluster-scoped `paramKind`"),
    ],
    ["by nothing", BY_PARAMS, {}, configured("one of name or selector must be provided")],
    ["that no binding names", { ...BY_PARAMS, ...rules(valid("params == null")) }, undefined, undefined],
    [
      "of another version of their kind",
      {
        paramKind: { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler" },
        ...rules(valid("params.kind == 'HorizontalPodAutoscaler'")),
      },
      { name: "none", parameterNotFoundAction: "Allow" },
      undefined,
    ],
  ])("%s", async (_behaviour, policy, paramRef, refused) => {
    const binding = paramRef === undefined ? {} : { paramRef };
    expect((await ask(policy, {}, { objects: OBJECTS, binding })).refused).toBe(refused);
  });

  test("namespaced parameters cannot be used for cluster-scoped objects", async () => {
    const { refused } = await ask(
      { ...BY_PARAMS, matchConstraints: {} },
      { resource: "nodes", object: { apiVersion: "v1", kind: "Node", metadata: { name: "web" } } },
      { objects: OBJECTS, binding: { paramRef: { name: "limits" } } },
    );
    const message =
      "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
    expect(refused).toBe(refusal(message, undefined, 'nodes "web"'));
  });
});

describe("actions", () => {
  const POLICY = rules(valid("false", { message: "bad" }), valid("false", { message: "worse" }));
  const WARNINGS = ["bad", "worse"].map(
    (message) => `Validation failed for ValidatingAdmissionPolicy 'rules' with binding 'binds': ${message}`,
  );
  const failures = (validationActions: string[]) => ({
    "validation.policy.admission.orch.io/validation_failure": JSON.stringify(
      ["bad", "worse"].map((message, expressionIndex) => ({
        message,
        policy: "rules",
        binding: "binds",
        expressionIndex,
        validationActions,
      })),
    ),
  });
  test.each<[string[], string | undefined, string[], object]>([
    [["Deny"], refusal("bad"), [], {}],
    [["Warn"], undefined, WARNINGS, {}],
    [["Audit"], undefined, [], failures(["Audit"])],
    [["Warn", "Audit"], undefined, WARNINGS, failures(["Warn", "Audit"])],
    [["Deny", "Audit"], refusal("bad"), [], failures(["Deny", "Audit"])],
    [[], undefined, [], {}],
  ])("%j", async (validationActions, refused, warnings, annotations) => {
    const outcome = await ask(POLICY, {}, { binding: { validationActions } });
    expect(outcome).toMatchObject({ refused, warnings });
    expect(outcome.annotations).toEqual(annotations);
    expect(outcome.checks).toEqual(
      ["bad", "worse"].flatMap(() => validationActions.map((each) => `rules binds no_error ${each.toLowerCase()}`)),
    );
  });

  test.each<[string, string, string[]]>([
    ["1 / 0 == 1", "Fail", ["rules binds invalid_error deny"]],
    ["1 / 0 == 1", "Ignore", ["rules binds invalid_error allow"]],
    ["nobody", "Fail", ["rules binds compile_error deny"]],
    ["nobody", "Ignore", ["rules binds compile_error allow"]],
    ["true", "Fail", []],
    ["false", "Ignore", ["rules binds no_error deny"]],
  ])("actions of %s with the failure policy %s", async (expression, failurePolicy, checks) => {
    const outcome = await ask({ ...rules(valid(expression)), failurePolicy });
    expect(outcome.checks).toEqual(checks);
    expect(outcome.refused === undefined).toBe(!checks.some((check) => check.endsWith("deny")));
  });

  test("all policies are asked, though one refuses", async () => {
    const cluster = new PolicyCluster({
      objects: [
        policyOf(rules(valid("false", { message: "a" })), "a"),
        policyOf(rules(valid("false", { message: "b" })), "b"),
        bindingOf({}, "ba", "a"),
        bindingOf({ validationActions: ["Warn"] }, "bb", "b"),
      ],
    });
    const outcome = await cluster.ask({ object: podOf() });
    expect(outcome.refused).toContain("ValidatingAdmissionPolicy 'a' with binding 'ba' denied request: a");
    expect(outcome.warnings).toEqual(["Validation failed for ValidatingAdmissionPolicy 'b' with binding 'bb': b"]);
  });
});

describe("notes for the audit log", () => {
  const noting = (valueExpression: string, more: JsonObject = {}): JsonObject => ({
    auditAnnotations: [{ key: "note", valueExpression }],
    ...more,
  });
  test.each<[string, JsonObject, string | undefined, string | undefined]>([
    ["are texts", noting("'name ' + object.metadata.name"), "name web", undefined],
    ["are without space around them", noting("'  a '"), "a", undefined],
    ["are none where there is nothing to say", noting("''"), undefined, undefined],
    ["are none for null", noting("null"), undefined, undefined],
    [
      "are cut where they are long",
      noting(
        "['0123456789'].map(x, x.replace('', '0123456789'.replace('', '0123456789'.replace('', '0123456789')))).join('')",
      ),
      "cut",
      undefined,
    ],
    [
      "refuse where they fail",
      noting("string(1 / 0)"),
      undefined,
      refusal("expression 'string(1 / 0)' resulted in error: division by zero"),
    ],
    [
      "are left out where they fail and failures are ignored",
      noting("string(1 / 0)", { failurePolicy: "Ignore" }),
      undefined,
      undefined,
    ],
    [
      "are made though the request is refused",
      noting("'a'", rules(valid("false"))),
      "a",
      refusal("failed expression: false"),
    ],
    [
      "are not made where the conditions do not hold",
      noting("'a'", { matchConditions: [{ name: "c", expression: "false" }] }),
      undefined,
      undefined,
    ],
    [
      "of another type are none",
      noting("1"),
      undefined,
      refusal("compilation error: must evaluate to one of [string null_type] but got int"),
    ],
  ])("%s", async (_behaviour, policy, value, refused) => {
    const outcome = await ask(policy);
    expect(outcome.refused).toBe(refused);
    const { "rules/note": note } = outcome.annotations;
    if (value === "cut") expect(note?.length).toBe(10 * 1024);
    else expect(note).toBe(value);
  });

  test("audit annotations of several bindings are listed once each", async () => {
    const params = (name: string, data: JsonObject) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "shop" },
      data,
    });
    const policy = { ...noting("string(params.data.note)"), paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
    const cluster = new PolicyCluster({
      objects: [
        policyOf(policy),
        params("a", { note: "one" }),
        params("b", { note: "two" }),
        ...["a", "b", "a"].map((name, index) => bindingOf({ paramRef: { name } }, `binds${index}`)),
      ],
    });
    expect((await cluster.ask({ object: podOf() })).annotations).toEqual({ "rules/note": "one, two" });
  });
});

describe("the permissions of users", () => {
  const asked: Attributes[] = [];
  const allowed = (attributes: Attributes) => {
    asked.push(attributes);
    if (attributes.kind === "nonResource")
      return { kind: attributes.path === "/healthz" ? ("allow" as const) : ("deny" as const), reason: "by path" };
    const is =
      attributes.user.name === "ann"
        ? attributes.verb === "bind"
        : attributes.user.groups.includes("system:serviceaccounts:ops");
    return { kind: is ? ("allow" as const) : ("noOpinion" as const), reason: is ? "granted" : "" };
  };
  const ROWS: [string, string | undefined][] = [
    ["authorizer.path('/healthz').check('get').allowed()", undefined],
    ["!authorizer.path('/metrics').check('get').allowed()", undefined],
    ["authorizer.path('/healthz').check('get').reason() == 'by path'", undefined],
    ["authorizer.group('apps').resource('deployments').check('bind').allowed()", undefined],
    ["!authorizer.group('apps').resource('deployments').check('create').allowed()", undefined],
    [
      "authorizer.group('').resource('pods').subresource('status').namespace('x').name('y').check('bind').allowed()",
      undefined,
    ],
    ["authorizer.requestResource.check('bind').allowed()", undefined],
    ["authorizer.serviceAccount('ops', 'robot').group('').resource('pods').check('get').allowed()", undefined],
    ["!authorizer.serviceAccount('dev', 'robot').group('').resource('pods').check('get').allowed()", undefined],
    [
      "!authorizer.path('/healthz').check('get').errored() && authorizer.path('/healthz').check('get').error() == ''",
      undefined,
    ],
    [
      "authorizer.path('').check('get').allowed()",
      "expression 'authorizer.path('').check('get').allowed()' resulted in error: path must not be empty",
    ],
    [
      "authorizer.serviceAccount('ops', 'No!').path('/x').check('get').allowed()",
      "expression 'authorizer.serviceAccount('ops', 'No!').path('/x').check('get').allowed()' resulted in error: Invalid service account name",
    ],
    [
      "[1, 2, 3].all(n, authorizer.group(string(n)).resource('x').check('bind').allowed())",
      "expression '[1, 2, 3].all(n, authorizer.group(string(n)).resource('x').check('bind').allowed())' resulted in error: operation cancelled: actual cost limit exceeded",
    ],
  ];
  test.each(ROWS)("%s", async (expression, message) => {
    const outcome = await ask(rules(valid(expression)), {}, { allowed });
    expect(outcome.refused).toBe(message === undefined ? undefined : refusal(message));
    const later = await ask(rules(valid(expression)), {}, { allowed: async (attributes) => allowed(attributes) });
    expect(later.refused).toBe(outcome.refused);
  });

  test("is asked about the request's own object", async () => {
    asked.length = 0;
    await ask(rules(valid("authorizer.requestResource.check('bind').allowed()")), {}, { allowed });
    expect(asked).toMatchObject([{ apiGroup: "", resource: "pods", namespace: "shop", name: "web", verb: "bind" }]);
  });

  test("is asked about the selected objects only", async () => {
    asked.length = 0;
    const pods = "authorizer.group('').resource('pods')";
    const checks = ["fieldSelector('spec.nodeName=n1').labelSelector('a in (b,c)')", "fieldSelector('no selector')"];
    for (const check of checks) await ask(rules(valid(`${pods}.${check}.check('bind').allowed()`)), {}, { allowed });
    expect(asked.map((each) => (each.kind === "resource" ? each.selectors?.() : undefined))).toEqual([
      {
        fields: [{ key: "spec.nodeName", operator: "In", values: ["n1"] }],
        labels: [{ key: "a", operator: "In", values: ["b", "c"] }],
      },
      { fields: [], labels: [] },
    ]);
  });

  test("is asked once for one question, however often it stands there", async () => {
    asked.length = 0;
    const check = "authorizer.path('/healthz').check('get').allowed()";
    await ask(rules(valid(`${check} && ${check}`), valid(check)), {}, { allowed: async (each) => allowed(each) });
    expect(asked.length).toBe(1);
  });
});
