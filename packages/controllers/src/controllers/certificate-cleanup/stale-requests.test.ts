import { describe, expect, test } from "@jest/globals";
import { testAuthority } from "@orch/testing";
import type { CertificateRequest } from "../../framework/signing-requests";
import { isStale } from "./stale-requests";

const NOW = Date.UTC(2030, 0, 10);
const errors: string[] = [];
const log = { info() {}, warn() {}, error: (text: string) => void errors.push(text) };
const ago = (minutes: number, seconds = 0) => new Date(NOW - (minutes * 60 + seconds) * 1_000).toISOString();
const ends = (endMs: number) => Buffer.from(testAuthority("p256", { endMs }).certificate).toString("base64");
const LASTING = ends(Date.UTC(2040, 0));
const ENDED = ends(NOW - 1_000);

const condition = (type: string, lastUpdateTime?: string | null) => ({
  type,
  status: "True",
  ...(lastUpdateTime !== undefined && { lastUpdateTime }),
});
const request = (status: CertificateRequest["status"], created = ago(0)): CertificateRequest => ({
  metadata: { name: "r", creationTimestamp: created },
  spec: { request: "", signerName: "" },
  ...(status !== undefined && { status }),
});

describe("stale, or not", () => {
  test.each<[string, CertificateRequest, boolean]>([
    ["issued an hour ago", request({ conditions: [condition("Approved", ago(60))], certificate: LASTING }), false],
    [
      "issued a little more ago",
      request({ conditions: [condition("Approved", ago(60, 1))], certificate: LASTING }),
      true,
    ],
    ["approved an hour ago, not issued", request({ conditions: [condition("Approved", ago(60))] }), false],
    ["approved a little more ago, not issued", request({ conditions: [condition("Approved", ago(60, 1))] }), true],
    [
      "issued at no known time",
      request({ conditions: [condition("Approved")], certificate: LASTING }, ago(9_000)),
      false,
    ],
    [
      "issued at no time",
      request({ conditions: [condition("Approved", null)], certificate: LASTING }, ago(9_000)),
      false,
    ],
    ["issued and over", request({ conditions: [condition("Approved", ago(1))], certificate: ENDED }), true],
    ["a certificate that nobody approved and is over", request({ certificate: ENDED }), true],
    ["denied an hour ago", request({ conditions: [condition("Denied", ago(60))] }), false],
    ["denied a little more ago", request({ conditions: [condition("Denied", ago(60, 1))] }), true],
    ["denied at no known time", request({ conditions: [condition("Denied")] }, ago(9_000)), false],
    [
      "failed an hour ago",
      request({ conditions: [condition("Approved", ago(90)), condition("Failed", ago(60))] }),
      false,
    ],
    [
      "failed a little more ago",
      request({ conditions: [condition("Approved", ago(90)), condition("Failed", ago(60, 1))] }),
      true,
    ],
    ["unanswered for a day", request(undefined, ago(24 * 60)), false],
    ["unanswered for more than a day", request(undefined, ago(24 * 60, 1)), true],
    ["unanswered, with a status", request({ conditions: [] }, ago(24 * 60, 1)), true],
    [
      "unanswered, of some other condition",
      request({ conditions: [condition("Other", ago(9_000))] }, ago(9_000)),
      true,
    ],
    [
      "unanswered, of another condition since",
      request({ conditions: [condition("Other", ago(24 * 60))] }, ago(9_000)),
      false,
    ],
    [
      "denied, in other words since",
      request({ conditions: [{ ...condition("Denied", ago(90)), lastTransitionTime: ago(60) }] }),
      false,
    ],
    ["new", request({}), false],
  ])("%s", (_what, object, expected) => expect(isStale(object, NOW, log)).toBe(expected));
});

test("an unreadable certificate signing request is kept and reported", () => {
  const damaged = Buffer.from("nothing").toString("base64");
  expect(isStale(request({ conditions: [condition("Approved", ago(1))], certificate: damaged }), NOW, log)).toBe(false);
  expect(errors).toEqual(["a certificate cannot be read"]);
});
