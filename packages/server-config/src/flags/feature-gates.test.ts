import { describe, expect, test } from "@jest/globals";
import type { GateRow } from "@orch/machinery";
import { FEATURE_GATES, gatesText, parseFeatureGates } from "./feature-gates";
import { GATES_WITHOUT_EFFECT } from "./gates-without-effect";

const TABLE = {
  Young: { stages: { alpha: "1.23" }, help: "" },
  Grown: { stages: { alpha: "1.8", beta: "1.9" }, help: "" },
  Old: { stages: { beta: "1.10", ga: "1.17" }, help: "" },
  Gone: { stages: { ga: "1.17" }, removed: "1.22", help: "" },
  Unborn: { stages: { alpha: "1.24" }, help: "" },
  Shy: { stages: { alpha: "1.21", beta: "1.23" }, onSince: "1.24", help: "" },
  Failed: { stages: { alpha: "1.17" }, removed: "1.22", help: "" },
} as const satisfies Readonly<Record<string, GateRow>>;

const parse = (pairs: Record<string, boolean>, release = "1.23") => parseFeatureGates(pairs, release, TABLE);

test.each<[string, Record<string, boolean>, object]>([
  ["have the default of their stage", {}, { Young: false, Grown: true, Old: true, Gone: true, Unborn: false }],
  ["may be off at first, as beta too", {}, { Shy: false }],
  ["that came to nothing stay off", { AllAlpha: true }, { Failed: false }],
  ["are switched by name", { Young: true, Grown: false }, { Young: true, Grown: false }],
  ["are switched by stage", { AllAlpha: true, AllBeta: false }, { Young: true, Grown: false, Old: true }],
  ["listen to their name rather than to their stage", { AllBeta: false, Grown: true }, { Grown: true }],
])("gates %s", (_behaviour, pairs, expected) => {
  const { gates, errors } = parse(pairs);
  expect(gates).toMatchObject(expected);
  expect(errors).toEqual([]);
});

describe("a gate", () => {
  test("at its last stage warns, and cannot be switched off", () => {
    expect(parse({ Old: true })).toMatchObject({ errors: [], warnings: [expect.stringContaining("Old")] });
    expect(parse({ Old: false }).errors).toEqual(["--feature-gates: Old is locked to true since v1.17"]);
  });

  test("before its last stage is switched without a word", () =>
    expect(parse({ Old: false }, "1.16")).toMatchObject({ gates: { Old: false }, errors: [], warnings: [] }));

  test.each([true, false])("that was removed is refused, asked for %s", (on) => {
    expect(parse({ Gone: on }).errors).toEqual([
      "--feature-gates: Gone was removed in v1.22: its feature is always on",
    ]);
    expect(parse({ Gone: true }, "1.21")).toMatchObject({ errors: [], warnings: [expect.stringContaining("v1.22")] });
  });

  test.each(["RotateKubeletServerCertificate", "AppArmor", "RemoveSelfLink", "CPUManager"])(
    "the gate of another component, %s, is accepted with a warning",
    (name) => {
      const { errors, warnings } = parse({ [name]: false });
      expect(errors).toEqual([]);
      expect(warnings).toEqual([`--feature-gates: ${name} has no effect in this server`]);
    },
  );

  test("that switches something is not among those that switch nothing", () => {
    expect(Object.keys(FEATURE_GATES).filter((name) => GATES_WITHOUT_EFFECT.has(name))).toEqual([]);
  });

  test.each(["Nothing", "Unborn", "constructor"])("that the release does not know, %s, is refused", (name) =>
    expect(parse({ [name]: true }).errors).toEqual([`--feature-gates: unknown gate ${name}`]),
  );
});

test.each<[string, object]>([
  ["1.15", { DryRun: true, ServerSideApply: false, WarningHeaders: false, WatchBookmark: false }],
  ["1.20", { DryRun: true, ServerSideApply: true, WarningHeaders: true, WatchBookmark: true }],
])("the server's own gates at %s", (release, expected) =>
  expect(parseFeatureGates({}, release, FEATURE_GATES).gates).toMatchObject(expected),
);

test("the help names every gate that there is, its default, and those that switch nothing any more", () => {
  expect(gatesText("1.20").split("; ")).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ServerSideApply \(BETA, default true\): /),
      expect.stringMatching(/^EphemeralContainers \(ALPHA, default false\): /),
      expect.stringMatching(/^DryRun \(GA, non-operational\): /),
    ]),
  );
  expect(gatesText("1.24")).not.toContain("WarningHeaders");
});
