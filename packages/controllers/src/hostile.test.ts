// Worst-case objects for the controllers: the cost of each grows about linearly with its size.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { type Growing, growthOf, LINEAR_MAX, type RequestParts, requestField, testAuthority } from "@orch/testing";
import { recognizersOf } from "./controllers/certificate-approval/recognizers";
import { isStale } from "./controllers/certificate-cleanup/stale-requests";
import { answerTo } from "./controllers/certificate-signing/sign-requests";
import { signingAuthority } from "./controllers/certificate-signing/signing-authority";
import { OwnerGraph } from "./controllers/garbage/owner-graph";
import type { CertificateRequest } from "./framework/signing-requests";

const vocabulary = vocabularyOf("orch");
const authority = signingAuthority(testAuthority("ed25519"));
const terms = { authority, release: "1.23", durationMs: 3_600_000, nowMs: Date.UTC(2030, 0, 1) };
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

const request = (spec: object, status: object = {}): CertificateRequest => ({
  metadata: { name: "r" },
  spec: { request: "", usages: ["client auth"], signerName: vocabulary.signers.legacyUnknown, ...spec },
  status,
});
const signed = (made: (size: number) => RequestParts): Growing => {
  return (size) => {
    const asked = request({ request: requestField({ key: "ed25519", ...made(size) }) });
    return () => answerTo(asked, { signer: "legacyUnknown", ...terms }).catch((error: Error) => error);
  };
};
const log = { info() {}, warn() {}, error() {} };

const CASES: Readonly<Record<string, readonly [size: number, Growing]>> = {
  "names to sign": [500, signed((size) => ({ names: times(size, () => ["dns", "a.example.com"]) }))],
  "groups to sign": [200, signed((size) => ({ subject: times(size, (at) => ["O", `group-${at}`]) }))],
  "a link without end to sign": [20_000, signed((size) => ({ names: [["uri", "a".repeat(size)]] }))],
  "a name without end to sign": [20_000, signed((size) => ({ subject: [["CN", "ü".repeat(size)]] }))],
  "usages to recognize": [
    2000,
    (size) => {
      const { apiserverClientAgent: signerName } = vocabulary.signers;
      const asked = request({ signerName, request: requestField(), usages: times(size, (at) => `usage ${at}`) });
      return () => recognizersOf(asked, vocabulary);
    },
  ],
  "conditions to look through": [
    5000,
    (size) => {
      const conditions = times(size, (at) => ({ type: `x.y/c${at}`, status: "True" }));
      return () => isStale(request({}, { conditions }), terms.nowMs, log);
    },
  ],
  "owners, all replaced": [
    10_000,
    (size) => {
      const identity = { apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "a", namespace: "shop" };
      const owned = (prefix: string): JsonObject => {
        const owner = (at: number) => ({ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: `${prefix}${at}` });
        return { metadata: { ownerReferences: times(size, owner) } };
      };
      const [before, after] = [owned("a"), owned("b")];
      return () => {
        const graph = new OwnerGraph();
        for (const object of [before, after]) for (const _ of graph.observe(identity, object));
      };
    },
  ],
  "text beside a certificate": [
    20_000,
    (size) => {
      const conditions = [{ type: "Approved", status: "True" }];
      const certificate = Buffer.from("-----BEGIN CERTIFICATE-----\n".repeat(size / 20)).toString("base64");
      return () => isStale(request({}, { conditions, certificate }), terms.nowMs, log);
    },
  ],
};

describe("the cost grows no faster than the input", () => {
  test.each(Object.entries(CASES))("%s", async (_name, [size, make]) => {
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});
