import { expect, test } from "@jest/globals";
import { requestedSelectors, type SelectorRequirement } from "./requested-selectors";

test.each<[string, readonly SelectorRequirement[]]>([
  ["", []],
  ["spec.nodeName=n1", [{ key: "spec.nodeName", operator: "In", values: ["n1"] }]],
  ["a==b", [{ key: "a", operator: "In", values: ["b"] }]],
  ["status.phase!=Failed", [{ key: "status.phase", operator: "NotIn", values: ["Failed"] }]],
  ["no operator", []],
])("the field selector %j requires %j", (fields, expected) =>
  expect(requestedSelectors({ fields, labels: "" })).toEqual({ fields: expected, labels: [] }),
);

test.each<[string, readonly SelectorRequirement[]]>([
  ["a=b", [{ key: "a", operator: "In", values: ["b"] }]],
  ["a!=b", [{ key: "a", operator: "NotIn", values: ["b"] }]],
  ["a in (b,c)", [{ key: "a", operator: "In", values: ["b", "c"] }]],
  ["a notin (b)", [{ key: "a", operator: "NotIn", values: ["b"] }]],
  ["a", [{ key: "a", operator: "Exists" }]],
  ["!a", [{ key: "a", operator: "DoesNotExist" }]],
  ["a>1,b", [{ key: "b", operator: "Exists" }]],
  ["!!", []],
])("the label selector %j requires %j", (labels, expected) =>
  expect(requestedSelectors({ fields: "", labels })).toEqual({ fields: [], labels: expected }),
);
