// Writes of namespaces: invalid labels, exemptions, and warnings about existing pods.
import { describe, expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import { NEVER_ENDS } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { fakeDependencies } from "../../testing/admission-request";
import { type Judged, type Judgement, judgementOf, namespaceOf } from "../../testing/judgement";
import { storedObjects } from "../../testing/stored-objects";

type Policy = Readonly<Record<string, string>>;
type More = Omit<Judged, "request"> & {
  readonly name?: string;
  readonly subresource?: string;
  readonly endsAtMs?: number;
};

const asked = ({ name = "shop", subresource = "", endsAtMs }: More) => ({
  ...(endsAtMs !== undefined && { signal: { ...NEVER_ENDS, endsAtMs } }),
  plural: "namespaces",
  namespace: name,
  name,
  subresource,
});
const create = (policy: Policy, more: More = {}): Promise<Judgement> =>
  judgementOf({ ...rest(more), request: { ...asked(more), object: namespaceOf(policy) } });
const update = (old: Policy, policy: Policy, more: More = {}): Promise<Judgement> =>
  judgementOf({
    ...rest(more),
    request: { ...asked(more), operation: "UPDATE", object: namespaceOf(policy), oldObject: namespaceOf(old) },
  });
const rest = ({ name: _, subresource: __, endsAtMs: ___, ...more }: More): Omit<Judged, "request"> => more;

const LEVEL = "must be one of privileged, baseline, restricted";
const VERSION = 'must be "latest" or "v1.x"';

function invalid(...labels: readonly [string, string, string][]): Judgement {
  const errors = labels.map(([label, value, rule]) => ({
    field: `metadata.labels[pod-security.orch.io/${label}]`,
    message: `Invalid value: ${JSON.stringify(value)}: ${rule}`,
  }));
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  return {
    refusal: {
      code: 422,
      message: `Namespace "shop" is invalid: ${text}`,
      details: {
        name: "shop",
        group: "",
        kind: "Namespace",
        causes: errors.map((each) => ({ reason: "FieldValueInvalid", ...each })),
      },
    },
  };
}

const NOTHING: Judgement = {};

describe("a new namespace", () => {
  test.each<[string, Policy, Judgement]>([
    ["without labels", {}, NOTHING],
    ["of the lowest level", { enforce: "privileged" }, NOTHING],
    ["of another level", { enforce: "baseline", "enforce-version": "v1.20" }, NOTHING],
    ["of the highest level", { enforce: "restricted", warn: "restricted", audit: "restricted" }, NOTHING],
    ["of a version to come", { enforce: "baseline", "enforce-version": "v1.99" }, NOTHING],
    ["with other labels", { other: "x" }, NOTHING],
    ["of an unknown level", { enforce: "strict" }, invalid(["enforce", "strict", LEVEL])],
    ["of no level", { audit: "" }, invalid(["audit", "", LEVEL])],
    ["of a level in capitals", { warn: "Baseline" }, invalid(["warn", "Baseline", LEVEL])],
    ...["1.20", "v1", "v1.", "v1.01", "v2.1", "v1.20.3", "Latest", "", "v1.-1", "v1.x"].map(
      (text): [string, Policy, Judgement] => [
        `of version "${text}"`,
        { "enforce-version": text },
        invalid(["enforce-version", text, VERSION]),
      ],
    ),
    ["of version v1.0", { "audit-version": "v1.0" }, NOTHING],
    ["of version latest", { "warn-version": "latest" }, NOTHING],
    [
      "of mistakes",
      { warn: "a", "warn-version": "b", enforce: "c", "enforce-version": "d", audit: "e", "audit-version": "f" },
      invalid(
        ["enforce", "c", LEVEL],
        ["enforce-version", "d", VERSION],
        ["audit", "e", LEVEL],
        ["audit-version", "f", VERSION],
        ["warn", "a", LEVEL],
        ["warn-version", "b", VERSION],
      ),
    ],
  ])("%s", async (_what, policy, expected) => {
    expect(await create(policy)).toEqual(expected);
  });
});

describe("labels that cannot be read", () => {
  test.each<[string, Policy, Policy, Judgement]>([
    ["may be made readable", { enforce: "x" }, { enforce: "privileged" }, NOTHING],
    ["may be taken off", { enforce: "x" }, {}, NOTHING],
    ["may stay as they are", { enforce: "x" }, { enforce: "x" }, NOTHING],
    ["may stay while other things change", { enforce: "x" }, { enforce: "x", other: "y" }, NOTHING],
    ["may not come", {}, { enforce: "x" }, invalid(["enforce", "x", LEVEL])],
    ["may not change into others", { enforce: "x" }, { enforce: "y" }, invalid(["enforce", "y", LEVEL])],
    [
      "may not become more",
      { enforce: "x" },
      { enforce: "x", warn: "y" },
      invalid(["enforce", "x", LEVEL], ["warn", "y", LEVEL]),
    ],
    ["may not become fewer", { enforce: "x", warn: "y" }, { warn: "y" }, invalid(["warn", "y", LEVEL])],
  ])("%s", async (_what, old, policy, expected) => {
    expect(await update(old, policy)).toEqual(expected);
  });

  test("invalid labels are ignored in requests for subresources of a namespace", async () => {
    expect(await update({}, { enforce: "x" }, { subresource: "status" })).toEqual(NOTHING);
    expect(await update({}, { enforce: "x" }, { subresource: "finalize" })).toEqual(NOTHING);
  });
});

const exempt = (text: string): Judgement => ({
  warnings: [`namespace "shop" is exempt from Pod Security, and the policy (${text}) will be ignored`],
  audit: { exempt: "namespace" },
});
const QUIET: Judgement = { audit: { exempt: "namespace" } };

describe("an exempt namespace", () => {
  const exemptions = { namespaces: ["shop"] };
  test.each<[string, Policy | undefined, Policy, Judgement]>([
    ["is created without labels", undefined, {}, QUIET],
    ["is created of the lowest level", undefined, { enforce: "privileged" }, QUIET],
    ["is told of the level it asks for", undefined, { enforce: "baseline" }, exempt("enforce=baseline:latest")],
    [
      "is told of all modes",
      undefined,
      { enforce: "baseline", "enforce-version": "v1.1", audit: "restricted", warn: "restricted" },
      exempt("enforce=baseline:v1.1, audit=restricted:latest, warn=restricted:latest"),
    ],
    [
      "is told of stated modes alone",
      undefined,
      { audit: "restricted", warn: "privileged" },
      exempt("audit=restricted:latest"),
    ],
    ["may not have unreadable labels either", undefined, { enforce: "x" }, invalid(["enforce", "x", LEVEL])],
    ["is told when it asks for more", {}, { enforce: "baseline" }, exempt("enforce=baseline:latest")],
    ["is not told when it asks for less", { enforce: "restricted" }, { enforce: "baseline" }, NOTHING],
    ["is not told when nothing changes", { enforce: "baseline" }, { enforce: "baseline" }, NOTHING],
    ["is not told of what does not enforce", {}, { warn: "baseline" }, NOTHING],
  ])("%s", async (_what, old, policy, expected) => {
    const answer = old === undefined ? create(policy, { exemptions }) : update(old, policy, { exemptions });
    expect(await answer).toEqual(expected);
  });

  test("is not told of what all have", async () => {
    const defaults = { enforce: "baseline", warn: "restricted" };
    expect(await create({}, { exemptions, defaults })).toEqual(QUIET);
    expect(await create({ enforce: "baseline" }, { exemptions, defaults })).toEqual(QUIET);
    expect(await create({ enforce: "restricted" }, { exemptions, defaults })).toEqual(
      exempt("enforce=restricted:latest"),
    );
  });

  test("is one by its whole name", async () => {
    expect(await create({ enforce: "baseline" }, { exemptions: { namespaces: ["shop-2"] } })).toEqual(NOTHING);
  });
});

const pod = (name: string, spec: object = {}, owner?: string): JsonObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "shop",
    ...(owner !== undefined && {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }],
    }),
  },
  spec: { containers: [{ name: "c", image: "i" }], ...spec } as JsonObject,
});
const HEADER = (policy: string) =>
  `existing pods in namespace "shop" violate the new PodSecurity enforce level "${policy}"`;

describe("pods that are there", () => {
  const stored = [
    pod("plain"),
    pod("b-host", { hostNetwork: true }),
    pod("a-host", { hostNetwork: true }),
    pod("c-host", { hostNetwork: true }),
    pod("two", { hostPID: true, volumes: [{ name: "v", hostPath: { path: "/" } }] }),
    pod("zwei", { hostPID: true, volumes: [{ name: "w", hostPath: { path: "/x" } }] }),
    pod("sandboxed", { hostIPC: true, runtimeClassName: "gvisor" }),
  ];
  const elsewhere = { ...pod("other", { hostNetwork: true }), metadata: { name: "other", namespace: "else" } };
  const told = (...warnings: readonly string[]): Judgement => ({ warnings });

  test.each<[string, Policy, Policy, Judgement]>([
    ["are not looked at while nothing is enforced", {}, { warn: "restricted", audit: "restricted" }, NOTHING],
    ["are not looked at where nothing changes", { enforce: "baseline" }, { enforce: "baseline" }, NOTHING],
    ["are not looked at where less is asked", { enforce: "restricted" }, { enforce: "baseline" }, NOTHING],
    ["are not looked at where nothing more is asked", { enforce: "restricted" }, { enforce: "privileged" }, NOTHING],
    ["are not looked at when the level goes", { enforce: "restricted" }, {}, NOTHING],
  ])("%s", async (_what, old, policy, expected) => {
    expect(await update(old, policy, { stored })).toEqual(expected);
  });

  const LINES = [
    "a-host (and 3 other pods): host namespaces",
    "two (and 1 other pod): host namespaces, hostPath volumes",
  ];
  test.each<[string, Policy, Policy, readonly string[]]>([
    ["a level", {}, { enforce: "baseline" }, [HEADER("baseline:latest"), ...LINES]],
    [
      "a level by older rules",
      {},
      { enforce: "baseline", "enforce-version": "v1.10" },
      [HEADER("baseline:v1.10"), ...LINES],
    ],
    [
      "the same level by other rules",
      { enforce: "baseline" },
      { enforce: "baseline", "enforce-version": "v1.10" },
      [HEADER("baseline:v1.10"), ...LINES],
    ],
    [
      "a lower level by other rules",
      { enforce: "restricted" },
      { enforce: "baseline", "enforce-version": "v1.10" },
      [HEADER("baseline:v1.10"), ...LINES],
    ],
    [
      "what was unreadable",
      { enforce: "x" },
      { enforce: "baseline", "enforce-version": "v1.1" },
      [HEADER("baseline:v1.1"), ...LINES],
    ],
  ])("are told of who asks for %s", async (_what, old, policy, warnings) => {
    expect(await update(old, policy, { stored: [...stored, elsewhere] })).toEqual(told(...warnings));
  });

  test("are left out where their runtime class is exempt", async () => {
    const exemptions = { runtimeClasses: ["gvisor"] };
    const answer = await update({}, { enforce: "baseline" }, { stored, exemptions });
    const lines = ["a-host (and 2 other pods): host namespaces", ...LINES.slice(1)];
    expect(answer).toEqual(told(HEADER("baseline:latest"), ...lines));
  });

  test("pass without a word where all keep the rules", async () => {
    expect(await update({}, { enforce: "baseline" }, { stored: [pod("plain")] })).toEqual(NOTHING);
    expect(await update({}, { enforce: "restricted" }, { stored: [] })).toEqual(NOTHING);
  });

  test("pods of an exempt namespace are not evaluated", async () => {
    const exemptions = { namespaces: ["shop"] };
    expect(await update({}, { enforce: "baseline" }, { stored, exemptions })).toEqual(
      exempt("enforce=baseline:latest"),
    );
  });

  test("are compared with what holds without labels", async () => {
    const defaults = { enforce: "restricted" };
    expect(await update({}, { enforce: "baseline" }, { stored, defaults })).toEqual(NOTHING);
    const [header] = (await update({ enforce: "baseline" }, {}, { stored, defaults })).warnings ?? [];
    expect(header).toBe(HEADER("restricted:latest"));
  });
});

describe("a large number of pods", () => {
  const SOME = 3100;
  const many = Array.from({ length: SOME }, (_, at) =>
    pod(`p${String(at).padStart(5, "0")}`, { hostIPC: true }, "set"),
  );

  test("3000 are looked at, one of each controller before its like", async () => {
    const last = pod("zzz", { hostPID: true, hostNetwork: true, volumes: [{ name: "v", hostPath: {} }] }, "other");
    expect(await update({}, { enforce: "baseline" }, { stored: [...many, last] })).toEqual({
      warnings: [
        `new PodSecurity enforce level only checked against the first 3000 of ${SOME + 1} existing pods`,
        HEADER("baseline:latest"),
        "p00000 (and 2998 other pods): host namespaces",
        "zzz: host namespaces, hostPath volumes",
      ],
    });
  });

  test("the evaluation stops after one second", async () => {
    let now = 0;
    const clock = { now: () => 0, elapsed: () => (now += 100) };
    const { warnings } = await update({}, { enforce: "baseline" }, { stored: many, dependencies: { clock } });
    expect(warnings?.[0]).toBe(
      `new PodSecurity enforce level only checked against the first 10 of ${SOME} existing pods`,
    );
  });

  test.each<[string, number, number]>([
    ["an hour", 3_600_000, 10],
    ["no time", 0, 1],
  ])("the evaluation stops after half of the request's timeout: %s", async (_left, leftMs, looked) => {
    let now = 0;
    const dependencies = { clock: { now: () => 0, elapsed: () => (now += 100) } };
    const endsAtMs = performance.now() + leftMs;
    const { warnings } = await update({}, { enforce: "baseline" }, { stored: many, dependencies, endsAtMs });
    expect(warnings?.[0]).toBe(
      `new PodSecurity enforce level only checked against the first ${looked} of ${SOME} existing pods`,
    );
  });

  test("a warning tells that pods whose list takes too long were not evaluated", async () => {
    const { objects } = storedObjects([pod("a", { hostPID: true }), pod("b")]);
    const once: typeof objects.once = async (resource, at) => {
      if (at.name === "b") throw new StatusError("RequestEntityTooLarge", "too large");
      return objects.once(resource, at);
    };
    const answer = await update({}, { enforce: "baseline" }, { dependencies: { objects: { ...objects, once } } });
    expect(answer.warnings).toEqual([
      "new PodSecurity enforce level only checked against the first 1 of 2 existing pods",
      HEADER("baseline:latest"),
      "a: host namespaces",
    ]);
  });

  test("none are looked at where they cannot be listed", async () => {
    const { objects } = fakeDependencies();
    // biome-ignore lint/correctness/useYield: it fails before
    const heads: typeof objects.heads = async function* () {
      throw new Error("no cache");
    };
    const answer = await update({}, { enforce: "baseline" }, { dependencies: { objects: { ...objects, heads } } });
    expect(answer).toEqual({ warnings: ["failed to list pods while checking new PodSecurity enforce level"] });
  });
});
