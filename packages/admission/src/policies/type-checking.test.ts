import { describe, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import type { ValidatingPolicySpec } from "./policy-objects";
import { typeCheckingSteps } from "./type-checking";

const vocabulary = vocabularyOf("orch");
const definitions = builtInResources(vocabulary, loadSchema(vocabulary), { release: "1.23" });

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  ...{ apiGroups, apiVersions, resources },
  operations: ["CREATE"],
});
const PODS = rule([""], ["v1"], ["pods"]);
const DEPLOYMENTS = rule(["apps"], ["v1"], ["deployments"]);

function warnings(expression: string, rules: readonly object[] = [PODS], more: object = {}): unknown {
  const spec = {
    matchConstraints: { resourceRules: rules },
    validations: [{ expression }],
    ...more,
  } as unknown as ValidatingPolicySpec;
  const steps = typeCheckingSteps(spec, { vocabulary, definitions });
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return (value as JsonObject)["expressionWarnings"];
  }
}

const at = (warning: string, fieldRef = "spec.validations[0].expression") => [{ fieldRef, warning }];

describe("type warnings of an expression", () => {
  test.each<[string, readonly object[], unknown]>([
    ["object.spec.containers.all(c, c.image != '')", [PODS], undefined],
    ["object.metadata.labels['a'] == 'b'", [PODS], undefined],
    ["object.spec.replicas > 1", [DEPLOYMENTS], undefined],
    ["object.spec.containers[0].ports[0].containerPort > 1024", [PODS], undefined],
    ["object.metadata.creationTimestamp < timestamp('2024-01-01T00:00:00Z')", [PODS], undefined],
    ["object.spec.template.spec.containers[0].resources.limits['cpu'] == '1'", [DEPLOYMENTS], undefined],
    ["object.spec.strategy.rollingUpdate.maxSurge == 1", [DEPLOYMENTS], undefined],
    ["oldObject.spec.nodeName == object.spec.nodeName", [PODS], undefined],
    [
      "object.spec.replicas > 1",
      [PODS],
      at(
        "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'replicas'\n | object.spec.replicas > 1\n | ...........^\n",
      ),
    ],
    [
      "object.spec.replicas > '1'",
      [DEPLOYMENTS],
      at(
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' applied to '(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n",
      ),
    ],
    [
      "object.foo == 1",
      [PODS, DEPLOYMENTS],
      at(
        "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n\n/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n",
      ),
    ],
    ["object.foo == 1", [rule(["*"], ["*"], ["*"])], undefined],
    ["object.foo == 1", [rule(["example.com"], ["v1"], ["nothings"])], undefined],
    ["object.foo == 1", [], undefined],
  ])("%s", (expression, rules, expected) => {
    expect(warnings(expression, rules)).toEqual(expected);
  });

  test("messages and parameters are looked at too", () => {
    const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
    expect(warnings("params.data.max == '1'", [PODS], { paramKind })).toBeUndefined();
    expect(
      warnings("true", [PODS], {
        paramKind,
        validations: [{ expression: "true", messageExpression: "params.spec.text" }],
      }),
    ).toEqual(
      at(
        "/v1, Kind=Pod: ERROR: <input>:1:7: undefined field 'spec'\n | params.spec.text\n | ......^\n",
        "spec.validations[0].messageExpression",
      ),
    );
  });

  test("variables have the types of what makes them", () => {
    const variables = [{ name: "pod", expression: "object.spec" }];
    expect(warnings("variables.pod.containers.size() > 0", [PODS], { variables })).toBeUndefined();
    expect(warnings("variables.pod.foo == 1", [PODS], { variables })).toEqual(
      at("/v1, Kind=Pod: ERROR: <input>:1:14: undefined field 'foo'\n | variables.pod.foo == 1\n | .............^\n"),
    );
  });
});
