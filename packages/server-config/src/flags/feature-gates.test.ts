import { describe, expect, test } from "@jest/globals";
import type { GateRow } from "@orch/machinery";
import { FEATURE_GATES, gatesText, parseFeatureGates, reportedGates } from "./feature-gates";
import { gateState, historyText, rowHistory } from "./gate-history";
import { FORMER_GATES } from "./gates-without-effect";
import { knownGates } from "./known-gates";

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

  test("with an effect is not among the former gates", () => {
    const names = [...Object.keys(FEATURE_GATES), ...knownGates().keys()];
    expect(names.filter((name) => FORMER_GATES.has(name))).toEqual([]);
  });

  test.each(["Nothing", "constructor", "wardle:Young"])("that no release knows, %s, is rejected", (name) =>
    expect(parse({ [name]: true }).errors).toEqual([`--feature-gates: unknown gate ${name}`]),
  );

  test("is rejected in a release before its first one", () =>
    expect(parse({ Unborn: true }).errors).toEqual([
      "--feature-gates: unknown gate Unborn: its first release is v1.24",
    ]));

  test("may follow the name of the component", () =>
    expect(parse({ "kube:Young": true })).toMatchObject({ gates: { Young: true }, errors: [], warnings: [] }));
});

// The gates have no code, so that only errors and warnings show their state.
test.each<[string, boolean, string, "accepted" | RegExp]>([
  ["VolumeLimitScaling", true, "1.34", /^unknown gate VolumeLimitScaling: its first release is v1\.35$/],
  ["VolumeLimitScaling", true, "1.35", "accepted"],
  ["SidecarContainers", false, "1.28", "accepted"],
  ["SidecarContainers", false, "1.33", /^SidecarContainers is locked to true since v1\.33$/],
  ["SidecarContainers", true, "1.33", "accepted"],
  ["DisableAllocatorDualWrite", false, "1.34", "accepted"],
  ["DisableAllocatorDualWrite", false, "1.35", /^DisableAllocatorDualWrite is locked to true since v1\.35$/],
  ["JobPodFailurePolicy", true, "1.30", "accepted"],
  ["SkipReadOnlyValidationGCE", false, "1.30", "accepted"],
  ["CSIMigrationRBD", true, "1.31", /^CSIMigrationRBD was removed in v1\.31: its feature is gone$/],
  [
    "ServiceNodePortStaticSubrange",
    true,
    "1.31",
    /^ServiceNodePortStaticSubrange was removed in v1\.31: .* always on$/,
  ],
  ["VolumeLimitScaling", true, "1.37", "accepted"],
])("%s=%s at %s: %s", (name, on, release, expected) => {
  const { errors, warnings } = parseFeatureGates({ [name]: on }, release, {});
  if (expected === "accepted") {
    expect(errors).toEqual([]);
    expect(warnings).toContain(`--feature-gates: ${name} has no effect in this server`);
  } else {
    expect(errors).toEqual([expect.stringMatching(new RegExp(expected.source.replace("^", "^--feature-gates: ")))]);
  }
});

test("all gates of 1.36 are known, and none that it does not have", () => {
  const states = [...knownGates().values()].map((history) => gateState(history, "1.36"));
  expect(states.filter((state) => state !== undefined)).toHaveLength(240);
});

/** The table of Kubernetes ends with 1.36. */
const RELEASES = Array.from({ length: 10 }, (_, index) => `1.${27 + index}`);

test.each(Object.entries(FEATURE_GATES).filter(([name]) => knownGates().has(name)))(
  "%s has the stages, defaults and locks of Kubernetes",
  (name, row) => {
    const known = knownGates().get(name);
    const states = (history: typeof known) =>
      RELEASES.map((release) => {
        const state = history && gateState(history, release);
        return `${release} ${state === undefined ? "none" : `${state.stage} ${state.on} ${state.locked}`}`;
      });
    expect(states(rowHistory(row))).toEqual(states(known));
  },
);

test.each<[string, object]>([
  ["1.15", { DryRun: true, ServerSideApply: false, WarningHeaders: false, WatchBookmark: false }],
  ["1.20", { DryRun: true, ServerSideApply: true, WarningHeaders: true, WatchBookmark: true }],
])("the server's own gates at %s", (release, expected) =>
  expect(parseFeatureGates({}, release, FEATURE_GATES).gates).toMatchObject(expected),
);

test("the help names every gate with its history, and those without effect", () => {
  const text = gatesText();
  expect(text).toMatch(/^ {2}ServerSideApply\n {6}ALPHA 1\.14, BETA 1\.16, GA 1\.22/m);
  expect(text).toMatch(/^Feature gates without effect:$/m);
  expect(text).toMatch(/^ {2}WindowsHostNetwork\n {6}ALPHA 1\.26, DEPRECATED 1\.33$/m);
});

test.each<[string, string]>([
  ["DisableAllocatorDualWrite", "ALPHA 1.31, BETA 1.33 off, GA 1.34, 1.35 locked"],
  ["WatchList", "ALPHA 1.27, BETA 1.32, 1.33 off, 1.34 on"],
  ["StorageNamespaceIndex", "BETA 1.30, DEPRECATED 1.33 on"],
  ["CSIMigrationRBD", "ALPHA 1.23, DEPRECATED 1.28, removed in 1.31"],
])("the history of %s is %s", (name, text) => {
  const history = knownGates().get(name);
  expect(history && historyText(history)).toBe(text);
});

test("the report of gates has their settings by name, by stage and by default", () => {
  const pairs = { AllAlpha: true, HPAScaleToZero: false, KMSv1: true };
  const { gates } = parseFeatureGates(pairs, "1.36");
  const reported = new Map(reportedGates(pairs, "1.36", gates).map(({ name, stage, isOn }) => [name, [stage, isOn]]));
  expect(Object.fromEntries(reported)).toMatchObject({
    AllAlpha: ["ALPHA", true],
    AllBeta: ["BETA", false],
    HPAScaleToZero: ["ALPHA", false],
    VolumeLimitScaling: ["ALPHA", true],
    SidecarContainers: ["", true],
    ComponentFlagz: ["BETA", true],
    KMSv1: ["DEPRECATED", true],
  });
  expect(reported.has("EphemeralContainers")).toBe(false);
});

test.each<[string, string, string | undefined]>([
  ["ClusterTrustBundle", "1.36", undefined],
  ["ClusterTrustBundle", "1.37", undefined],
  ["GenericWorkload", "1.36", undefined],
  ["APIServerIdentity", "1.26", undefined],
  ["KubeletFineGrainedAuthz", "1.33", undefined],
  ["StorageVersionMigrator", "1.35", undefined],
  ["DetectCacheInconsistency", "1.36", undefined],
  ["PreventStaticPodAPIReferences", "1.36", "PreventStaticPodAPIReferences has no effect in this server"],
])("%s at %s warns: %s", (name, release, warning) => {
  const { errors, warnings } = parseFeatureGates({ [name]: true }, release);
  expect(errors).toEqual([]);
  expect(warnings).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
});

test("gates that only bootstrap roles follow are switched by stage and by name", () => {
  const gatesOf = (pairs: Record<string, boolean>) => parseFeatureGates(pairs, "1.36").gates as Record<string, boolean>;
  expect(gatesOf({ AllAlpha: true, AllBeta: true })).toMatchObject({ GenericWorkload: true, ClusterTrustBundle: true });
  expect(gatesOf({ AllAlpha: true, GenericWorkload: false })).toMatchObject({ GenericWorkload: false });
  expect(gatesOf({ AllAlpha: true })).toMatchObject({ ClusterTrustBundle: false, StorageVersionAPI: true });
});
