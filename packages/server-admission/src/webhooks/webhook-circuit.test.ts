import { describe, expect, test } from "@jest/globals";
import {
  type CallOutcome,
  type CircuitPolicy,
  FAILURES,
  FIRST_PAUSE_MS,
  LAST_PAUSE_MS,
  type Permit,
  STALLED_MS,
  WebhookCircuit,
} from "./webhook-circuit";

const at = (elapsedMs: number) => ({ elapsedMs, nowMs: 1_700_000_000_000 + elapsedMs });

function begun(circuit: WebhookCircuit, policy: CircuitPolicy, ms: number): Permit {
  const permit = circuit.begin(policy, at(ms));
  if ("withheld" in permit) throw new Error(permit.why);
  return permit;
}

function called(circuit: WebhookCircuit, policy: CircuitPolicy, ms: number, outcome: CallOutcome): void {
  circuit.end(begun(circuit, policy, ms), outcome, at(ms), "it is down");
}

function broken(policy: CircuitPolicy = "Ignore"): WebhookCircuit {
  const circuit = new WebhookCircuit();
  for (let time = 0; time < FAILURES; time += 1) called(circuit, policy, 0, "failed");
  return circuit;
}

describe("a webhook whose policy is Ignore", () => {
  test("is called as long as it answers now and then", () => {
    const circuit = new WebhookCircuit();
    for (let time = 0; time < 100; time += 1)
      called(circuit, "Ignore", 0, time % FAILURES === 0 ? "answered" : "failed");
    expect(circuit.isBroken).toBe(false);
  });

  test("is not called for a second after as many failures in a row, and its message says since when, and why", () => {
    const circuit = broken();
    expect(circuit.begin("Ignore", at(FIRST_PAUSE_MS - 1))).toEqual({
      withheld: "broken",
      why: "not called: failing since 2023-11-14T22:13:20.000Z, 5 calls in a row, the next attempt is in 1s: it is down",
    });
    expect(circuit.begin("Ignore", at(FIRST_PAUSE_MS))).toMatchObject({ isTrial: true });
  });

  test("is tried by one call at a time", () => {
    const circuit = broken();
    const trial = begun(circuit, "Ignore", FIRST_PAUSE_MS);
    expect(circuit.begin("Ignore", at(FIRST_PAUSE_MS))).toMatchObject({ withheld: "broken" });
    circuit.end(trial, "answered", at(FIRST_PAUSE_MS));
    expect(begun(circuit, "Ignore", FIRST_PAUSE_MS)).toMatchObject({ isTrial: false });
  });

  test("is tried after pauses that double, to a bound, and begin anew when it was well", () => {
    const circuit = broken();
    const pauses: number[] = [];
    let ms = 0;
    for (let time = 0; time < 8; time += 1) {
      const from = ms;
      while ("withheld" in circuit.begin("Ignore", at(ms))) ms += 500;
      circuit.end({ isTrial: true, sinceMs: ms }, "failed", at(ms), "");
      pauses.push(ms - from);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1000));
    called(circuit, "Ignore", ms + LAST_PAUSE_MS, "answered");
    for (let time = 0; time < FAILURES; time += 1) called(circuit, "Ignore", ms + LAST_PAUSE_MS, "failed");
    expect(circuit.begin("Ignore", at(ms + LAST_PAUSE_MS + FIRST_PAUSE_MS))).toMatchObject({ isTrial: true });
  });

  test("a canceled call does not count as a failure: the next call is made", () => {
    const circuit = broken();
    circuit.end(begun(circuit, "Ignore", FIRST_PAUSE_MS), "unknown", at(FIRST_PAUSE_MS));
    expect(circuit.failures).toBe(FAILURES);
    expect(circuit.begin("Ignore", at(FIRST_PAUSE_MS))).toMatchObject({ isTrial: true });
  });

  test("is not held back longer for calls that had begun before", () => {
    const circuit = new WebhookCircuit();
    const before = Array.from({ length: 20 }, () => begun(circuit, "Ignore", 0));
    for (const permit of before) circuit.end(permit, "failed", at(500), "");
    expect(circuit.begin("Ignore", at(500 + FIRST_PAUSE_MS))).toMatchObject({ isTrial: true });
  });
});

describe("a webhook whose policy is Fail", () => {
  test("is called although it keeps failing, by four at a time", () => {
    const circuit = broken("Fail");
    const permits = [1, 2, 3, 4].map(() => begun(circuit, "Fail", 10));
    expect(circuit.begin("Fail", at(2000))).toEqual({
      withheld: "broken",
      why: "not called, because 4 other calls are in progress: failing since 2023-11-14T22:13:20.000Z, 5 calls in a row, for 2s: it is down",
    });
    circuit.end(permits[0] as Permit, "answered", at(2000));
    expect(circuit.begin("Fail", at(2000))).toMatchObject({ isTrial: false });
    expect(circuit.isBroken).toBe(false);
  });
});

describe.each<CircuitPolicy>(["Ignore", "Fail"])("a webhook that never answers, with policy %s,", (policy) => {
  test("is called no more where many wait, for a while", () => {
    const circuit = new WebhookCircuit();
    const permits = Array.from({ length: 32 }, () => begun(circuit, policy, 0));
    expect(circuit.begin(policy, at(STALLED_MS - 1))).toMatchObject({ isTrial: false });
    expect(circuit.begin(policy, at(STALLED_MS))).toMatchObject({ withheld: "stalled" });
    circuit.end(permits[0] as Permit, "answered", at(STALLED_MS));
    expect(circuit.begin(policy, at(STALLED_MS))).toMatchObject({ isTrial: false });
  });

  test("is called where few wait, however long", () => {
    const circuit = new WebhookCircuit();
    for (let call = 0; call < 31; call += 1) begun(circuit, policy, 0);
    expect(circuit.begin(policy, at(60_000))).toMatchObject({ isTrial: false });
  });

  test("is called by a bounded number at a time", () => {
    const circuit = new WebhookCircuit();
    for (let call = 0; call < 256; call += 1) begun(circuit, policy, 0);
    expect(circuit.begin(policy, at(0))).toMatchObject({ withheld: "full" });
  });
});

test("nothing is remembered of a webhook that is well", () => {
  const circuit = new WebhookCircuit();
  const permit = begun(circuit, "Fail", 0);
  expect(circuit.isForgettable).toBe(false);
  circuit.end(permit, "answered", at(1));
  expect(circuit.isForgettable).toBe(true);
});
