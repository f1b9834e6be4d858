import { expect, test } from "@jest/globals";
import { lifeOf } from "./certificate-life";

const NOW = Date.UTC(2030, 0, 1);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 8760 * HOUR;
const FAR = NOW + 10 * YEAR;

/** Minutes relative to the current time. */
test.each<[string, Partial<Parameters<typeof lifeOf>[0]>, [number, number]]>([
  ["as long as the flag says, from its beginning on", {}, [-5, 8760 * 60 - 5]],
  ["what the request asks for", { expirationSeconds: 86_400 }, [-5, 24 * 60 - 5]],
  ["from now on where it is short", { expirationSeconds: 3600 }, [-5, 60]],
  ["just short of eight hours", { expirationSeconds: 8 * 3600 - 60 }, [-5, 479]],
  ["eight hours", { expirationSeconds: 8 * 3600 }, [-5, 475]],
  ["no more than the flag says", { expirationSeconds: 2_000_000_000 }, [-5, 8760 * 60 - 5]],
  ["not less than ten minutes", { expirationSeconds: 1 }, [-5, 10]],
  ["less where the flag says so", { expirationSeconds: 600, durationMs: 3 * MINUTE }, [-5, 3]],
  ["a short flag", { durationMs: HOUR }, [-5, 60]],
  ["no longer than the signer", { authorityEndMs: NOW + HOUR }, [-5, 60]],
  ["no longer than the signer, however short", { authorityEndMs: NOW + 2 * MINUTE, expirationSeconds: 600 }, [-5, 2]],
  ["before requests said how long", { release: "1.21", expirationSeconds: 3600 }, [-5, 8760 * 60 - 5]],
  ["before short ones began now", { release: "1.20", durationMs: HOUR }, [-5, 55]],
])("%s", (_what, options, [from, to]) => {
  const life = lifeOf({ release: "1.22", durationMs: YEAR, authorityEndMs: FAR, nowMs: NOW, ...options });
  expect([(life.notBeforeMs - NOW) / MINUTE, (life.notAfterMs - NOW) / MINUTE]).toEqual([from, to]);
});

test("an expired signer signs nothing", () => {
  const ended = { release: "1.23", durationMs: YEAR, authorityEndMs: NOW, nowMs: NOW };
  expect(() => lifeOf(ended)).toThrow("the signer has expired: NotAfter=2030-01-01T00:00:00.000Z");
});
