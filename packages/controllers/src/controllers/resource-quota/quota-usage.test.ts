import { describe, expect, test } from "@jest/globals";
import { QuotaEvaluators } from "@orch/apis";
import { type JsonObject, quantityText, vocabularyOf } from "@orch/schema";
import { namesByEvaluator, nextStatus, UsageSums } from "./quota-usage";

const evaluators = new QuotaEvaluators({ vocabulary: vocabularyOf("orch"), release: "1.23" });
const NOW = Date.parse("2026-01-01T00:00:00Z");

type Amounts = Readonly<Record<string, string>>;

const quotaOf = (
  hard: Amounts,
  more: { readonly spec?: JsonObject; readonly status?: JsonObject } = {},
): JsonObject => ({
  metadata: { name: "q", namespace: "shop" },
  spec: { hard, ...more.spec },
  status: more.status ?? {},
});

const pod = (
  name: string,
  cpu: string,
  more: { readonly spec?: JsonObject; readonly status?: JsonObject; readonly metadata?: JsonObject } = {},
): JsonObject => ({
  metadata: { name, ...more.metadata },
  spec: { containers: [{ resources: { requests: { cpu } } }], ...more.spec },
  status: { ...more.status },
});

async function addedUp(quota: JsonObject, objects: readonly JsonObject[], sums = new UsageSums(async () => {})) {
  const texts: Record<string, string> = {};
  let ends: number | undefined;
  for (const [evaluator, names] of namesByEvaluator(quota, (name) => evaluators.knowing(name))) {
    const { used, endsAtMs } = await sums.addUp(evaluator, { quota, names, objects }, NOW);
    for (const [name, quantity] of used) texts[name] = quantityText(quantity);
    ends ??= endsAtMs;
  }
  return { texts, ends };
}

describe("objects that a quota counts", () => {
  const done = { status: { phase: "Succeeded" } };
  const high = { spec: { priorityClassName: "high" } };
  test.each<[string, JsonObject, readonly JsonObject[], Amounts]>([
    [
      "is nothing where there is nothing",
      quotaOf({ pods: "1", "requests.cpu": "1" }),
      [],
      { pods: "0", "requests.cpu": "0" },
    ],
    [
      "is the sum of all, of what it names",
      quotaOf({ pods: "9", cpu: "9" }),
      [pod("a", "100m"), pod("b", "1")],
      { pods: "2", cpu: "1100m" },
    ],
    [
      "is less what has ended",
      quotaOf({ pods: "9", "count/pods": "9", cpu: "9" }),
      [pod("a", "1"), pod("b", "1", done)],
      { pods: "1", "count/pods": "2", cpu: "1" },
    ],
    [
      "is what is in its scopes",
      quotaOf({ pods: "9" }, { spec: { scopes: ["NotTerminating", "PriorityClass"] } }),
      [
        pod("a", "1"),
        pod("b", "1", high),
        pod("c", "1", { spec: { priorityClassName: "x", activeDeadlineSeconds: 1 } }),
      ],
      { pods: "1" },
    ],
    [
      "is nothing that nobody knows",
      quotaOf({ "limits.example.com/gpu": "1", pods: "1" }),
      [pod("a", "1")],
      { pods: "1" },
    ],
    [
      "may be custom objects",
      quotaOf({ "count/widgets.example.com": "1" }),
      [{ metadata: { name: "a" } }],
      { "count/widgets.example.com": "1" },
    ],
  ])("%s", async (_what, quota, objects, expected) => {
    expect((await addedUp(quota, objects)).texts).toEqual(expected);
  });

  test("changes with time", async () => {
    const leaving = (deletionTimestamp: string) =>
      pod("a", "1", { metadata: { deletionTimestamp, deletionGracePeriodSeconds: 30 } });
    const objects = [leaving("2026-01-01T00:00:10Z"), leaving("2025-12-31T23:59:40Z"), leaving("2025-12-31T23:00:00Z")];
    expect(await addedUp(quotaOf({ pods: "9" }), objects)).toEqual({ texts: { pods: "2" }, ends: NOW + 10_000 });
  });

  test("is looked at in steps", async () => {
    let pauses = 0;
    const sums = new UsageSums(async () => {
      pauses += 1;
    });
    const objects = Array.from({ length: 2_000 }, (_, at) => pod(`p${at}`, "1m"));
    expect((await addedUp(quotaOf({ pods: "1", cpu: "1" }), objects, sums)).texts).toEqual({ pods: "2k", cpu: "2" });
    expect(pauses).toBe(4);
  });
});

describe("the status that a quota is to have", () => {
  const used = new Map([["pods", { nanos: 2_000_000_000n, format: "DecimalSI" as const }]]);
  const settled = { hard: { pods: "5" }, used: { pods: "2" } };
  test.each<[string, JsonObject, JsonObject | undefined]>([
    ["is new where there is none", quotaOf({ pods: "5" }), settled],
    ["is what it is where nothing has changed", quotaOf({ pods: "5" }, { status: settled }), undefined],
    ["is new limits", quotaOf({ pods: "6" }, { status: settled }), { ...settled, hard: { pods: "6" } }],
    ["is new usage", quotaOf({ pods: "5" }, { status: { ...settled, used: { pods: "3" } } }), settled],
    [
      "is without what is not limited any more",
      quotaOf({ pods: "5" }, { status: { hard: { pods: "5", cpu: "1" }, used: { pods: "2", cpu: "1" } } }),
      settled,
    ],
  ])("%s", (_what, quota, expected) => {
    expect(nextStatus(quota, used)).toEqual(expected);
  });
});
