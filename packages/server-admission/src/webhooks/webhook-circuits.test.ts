import { expect, test } from "@jest/globals";
import type { WebhookTarget } from "@orch/admission";
import type { JsonObject } from "@orch/schema";
import { FAILURES } from "./webhook-circuit";
import { WebhookCircuits } from "./webhook-circuits";

const AT = { elapsedMs: 0, nowMs: 0 };

const target = (name: string, url = "https://a.example/"): WebhookTarget => ({
  kind: "ValidatingWebhookConfiguration",
  configuration: "c",
  name,
  clientConfig: { url },
  failurePolicy: "Fail",
});

function circuits() {
  const told: string[] = [];
  const tell = (what: string) => (known: { readonly target: WebhookTarget }) =>
    void told.push(`${what} ${known.target.name}`);
  const made = new WebhookCircuits({ broke: tell("broke"), mended: tell("mended"), forgotten: tell("forgotten") });
  const call = (of: WebhookTarget, outcome: "answered" | "failed") => {
    const known = made.of(of);
    const permit = known.circuit.begin(of.failurePolicy, AT);
    if ("withheld" in permit) throw new Error(permit.why);
    const wasBroken = known.circuit.isBroken;
    known.circuit.end(permit, outcome, AT);
    made.settle(known, wasBroken);
  };
  const breaks = (of: WebhookTarget) => {
    for (let time = 0; time < FAILURES; time += 1) call(of, "failed");
  };
  return { made, told, call, breaks };
}

const configuration = (...webhooks: readonly JsonObject[]): JsonObject => ({
  metadata: { name: "c" },
  webhooks: [...webhooks],
});

test("it is told once that a webhook keeps failing, and once that it answers again", () => {
  const { made, told, call, breaks } = circuits();
  breaks(target("a"));
  call(target("a"), "failed");
  expect(made.broken().map((known) => known.target.name)).toEqual(["a"]);
  call(target("a"), "answered");
  call(target("a"), "answered");
  expect(told).toEqual(["broke a", "mended a"]);
  expect(made.size).toBe(0);
});

test("one that is somewhere else now is another one", () => {
  const { told, call, breaks } = circuits();
  breaks(target("a"));
  call(target("a", "https://b.example/"), "answered");
  expect(told).toEqual(["broke a", "forgotten a"]);
});

test.each<[string, readonly JsonObject[] | undefined, number]>([
  ["is there as it was", [configuration({ name: "a", clientConfig: { url: "https://a.example/" } })], 1],
  ["cannot be looked at", undefined, 1],
  ["is gone", [], 0],
  ["has other webhooks", [configuration({ name: "b", clientConfig: { url: "https://a.example/" } })], 0],
  ["says that it is elsewhere", [configuration({ name: "a", clientConfig: { url: "https://b.example/" } })], 0],
])("the state of a webhook whose configuration %s", (_what, current, left) => {
  const { made, breaks } = circuits();
  breaks(target("a"));
  made.sweep(() => current);
  expect(made.size).toBe(left);
});

test("a call that ends when its webhook is forgotten changes nothing", () => {
  const { made, told } = circuits();
  const known = made.of(target("a"));
  const permit = known.circuit.begin("Fail", AT);
  made.sweep(() => []);
  if (!("withheld" in permit)) known.circuit.end(permit, "failed", AT);
  made.settle(known, false);
  expect([made.size, told]).toEqual([0, []]);
});

test("there are no more than a bounded number", () => {
  const { made } = circuits();
  for (let at = 0; at < 5000; at += 1) made.of(target(`w${at}`)).circuit.begin("Fail", AT);
  expect(made.size).toBe(2000);
});
