import { expect, test } from "@jest/globals";
import { type GateRow, parseFeatureGates } from "./feature-gates";

const TABLE = {
  Young: { stage: "alpha", default: false, since: "1.23", help: "" },
  Grown: { stage: "beta", default: true, since: "1.9", help: "" },
  Old: { stage: "ga", default: true, since: "1.17", help: "" },
} as const satisfies Readonly<Record<string, GateRow>>;

test.each<[string, Record<string, boolean>, object]>([
  ["have the default of their stage", {}, { Young: false, Grown: true, Old: true }],
  ["are switched by name", { Young: true, Grown: false }, { Young: true, Grown: false }],
  ["are switched by stage", { AllAlpha: true, AllBeta: false }, { Young: true, Grown: false, Old: true }],
  ["listen to their name rather than to their stage", { AllBeta: false, Grown: true }, { Grown: true }],
])("gates %s", (_behaviour, pairs, expected) => {
  const { gates, errors } = parseFeatureGates(pairs, TABLE);
  expect(gates).toMatchObject(expected);
  expect(errors).toEqual([]);
});

test("a gate at its last stage warns, and cannot be switched off", () => {
  expect(parseFeatureGates({ Old: true }, TABLE)).toMatchObject({
    errors: [],
    warnings: [expect.stringContaining("Old")],
  });
  expect(parseFeatureGates({ Old: false }, TABLE).errors).toEqual([
    "--feature-gates: Old is locked to true since v1.17",
  ]);
});

test("an unknown gate is refused", () =>
  expect(parseFeatureGates({ Nothing: true }, TABLE).errors).toEqual(["--feature-gates: unknown gate Nothing"]));
