import { describe, expect, test } from "@jest/globals";
import { microTimeText } from "@orch/schema";
import { type Candidate, candidateOf, electedLease, electionStep, type LeaseSpec } from "./election-rules";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const at = (seconds: number): string => microTimeText(NOW + seconds * 1000);

interface Given {
  readonly binary?: string;
  readonly emulation?: string;
  /** Seconds before now. */
  readonly renewed?: number;
  readonly pinged?: number;
  readonly created?: number;
  readonly strategy?: string;
}

const candidate = (name: string, given: Given = {}): Candidate =>
  candidateOf({
    metadata: { name, creationTimestamp: at(-(given.created ?? 60)) },
    spec: {
      leaseName: "duty",
      binaryVersion: given.binary ?? "1.36.0",
      emulationVersion: given.emulation ?? "1.36.0",
      renewTime: at(-(given.renewed ?? 0)),
      ...(given.pinged !== undefined && { pingTime: at(-given.pinged) }),
      strategy: given.strategy ?? "OldestEmulationVersion",
    },
  });

const held = (holderIdentity: string, renewed = 1): LeaseSpec => ({
  ...{ holderIdentity, leaseDurationSeconds: 15, renewTime: at(-renewed), strategy: "OldestEmulationVersion" },
});
const OLDEST = "OldestEmulationVersion";
const elects = (holder: string | undefined, strategy = OLDEST) => ({ kind: "elect", strategy, holder });

describe("the next step", () => {
  test.each<[string, readonly Candidate[], LeaseSpec | undefined, object]>([
    ["a single candidate that is alive is elected", [candidate("a")], undefined, elects("a")],
    [
      "a candidate that has not answered lately is asked",
      [candidate("a", { renewed: 60 })],
      undefined,
      {
        ...{ kind: "ping", names: ["a"] },
      },
    ],
    [
      "a candidate that was asked has time to answer",
      [candidate("a", { renewed: 60, pinged: 2 })],
      undefined,
      {
        kind: "wait",
      },
    ],
    [
      "a candidate that did not answer is not elected",
      [candidate("a", { renewed: 60, pinged: 6, emulation: "1.35.0" }), candidate("b", { renewed: 3, pinged: 6 })],
      undefined,
      elects("b"),
    ],
    [
      "without answers there is no leader",
      [candidate("a", { renewed: 60, pinged: 6 })],
      undefined,
      {
        ...{ kind: "problem", text: "no candidate has answered" },
      },
    ],
    [
      "the oldest emulated version leads",
      [candidate("a", { binary: "1.35.0" }), candidate("b", { emulation: "1.34.0" })],
      undefined,
      elects("b"),
    ],
    [
      "the oldest program leads when the emulated versions are equal",
      [candidate("a", { emulation: "1.35.0" }), candidate("b", { binary: "1.35.9", emulation: "1.35.0" })],
      undefined,
      elects("b"),
    ],
    [
      "the oldest object leads when all versions are equal",
      [candidate("a", { created: 10 }), candidate("b", { created: 20 })],
      undefined,
      elects("b"),
    ],
    ["the best holder stays", [candidate("a"), candidate("b", { created: 10 })], held("a"), { kind: "none" }],
    [
      "a better candidate than the holder is elected",
      [candidate("a"), candidate("b", { emulation: "1.35.0" })],
      held("a"),
      elects("b"),
    ],
    ["an expired lease is given again", [candidate("a")], held("gone", 16), elects("a")],
    ["a released lease is given again", [candidate("a")], held(""), elects("a")],
    [
      "candidates are asked every 15 minutes although the holder is the best",
      [candidate("a", { renewed: 15 * 60 + 1 })],
      held("a"),
      { kind: "ping", names: ["a"] },
    ],
    [
      "another strategy leaves the holder",
      [candidate("a", { strategy: "example.com/mine" })],
      held("z"),
      {
        kind: "none",
      },
    ],
    [
      "another strategy creates a lease without a holder",
      [candidate("a", { strategy: "example.com/mine" })],
      undefined,
      elects(undefined, "example.com/mine"),
    ],
    [
      "the newest program decides about the strategy",
      [candidate("a", { strategy: "example.com/mine", binary: "1.35.0" }), candidate("b")],
      undefined,
      elects("a"),
    ],
    [
      "two strategies of equal programs elect no leader",
      [candidate("a", { strategy: "example.com/mine" }), candidate("b")],
      undefined,
      { kind: "problem", text: expect.stringContaining("a and b have the same binary version") },
    ],
  ])("%s", (_what, candidates, lease, expected) => {
    expect(electionStep(candidates, lease, NOW)).toEqual(expected);
  });
});

describe("the lease after an election", () => {
  const step = { strategy: OLDEST, holder: "b" };
  test.each<[string, LeaseSpec | undefined, object]>([
    ["a new lease has the holder", undefined, { holderIdentity: "b", leaseDurationSeconds: 5, renewTime: at(0) }],
    ["a live holder is asked to step down", held("a"), { holderIdentity: "a", preferredHolder: "b" }],
    ["an expired holder is replaced", { ...held("a", 16), preferredHolder: "c" }, { holderIdentity: "b" }],
    ["a released lease has the holder", { ...held(""), preferredHolder: "b" }, { holderIdentity: "b" }],
    ["the same holder keeps it", held("b"), held("b")],
  ])("%s", (_what, before, expected) => {
    const after = electedLease(before, step, NOW);
    expect(after).toMatchObject({ ...expected, strategy: OLDEST });
    if (!("preferredHolder" in expected)) expect(after).not.toHaveProperty("preferredHolder");
  });
});
