import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { emptySelectorConversion } from "./empty-selector-conversion";

const key = "pdb.orch.io/deprecated-v1beta1-empty-selector-match";
const vocabulary = vocabularyOf("orch");
const budget = (selector?: JsonObject): JsonObject => ({ spec: selector === undefined ? {} : { selector } });

test.each<[string, stable: JsonObject | undefined, beta: JsonObject | undefined]>([
  ["every pod", {}, { matchExpressions: [{ key, operator: "DoesNotExist" }] }],
  ["no pod, said by an empty selector in v1beta1", { matchExpressions: [{ key, operator: "Exists" }] }, {}],
  ["no pod, for lack of a selector", undefined, undefined],
  ["pods by label", { matchLabels: { app: "web" } }, { matchLabels: { app: "web" } }],
  [
    "pods by expression",
    { matchExpressions: [{ key: "a", operator: "Exists" }] },
    { matchExpressions: [{ key: "a", operator: "Exists" }] },
  ],
])("a budget for %s says so in v1 and v1beta1", (_, stable, beta) => {
  expect(emptySelectorConversion.fromHub(budget(structuredClone(stable)), vocabulary)).toEqual(budget(beta));
  expect(emptySelectorConversion.toHub(budget(structuredClone(beta)), vocabulary)).toEqual(budget(stable));
});
