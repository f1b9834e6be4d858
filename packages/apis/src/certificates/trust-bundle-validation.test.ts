import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { validateNewTrustBundle, validateTrustBundleUpdate } from "./trust-bundle-validation";

const BASES = join(__dirname, "../../testdata/validation/bases.certificates.json");
const { trustBundle: base } = JSON.parse(readFileSync(BASES, "utf8")) as { readonly trustBundle: JsonObject };
const { trustBundle: pem } = base["spec"] as { readonly trustBundle: string };
const CONTEXT = {} as never;

/** Returns anchors with different serial numbers. Validation does not verify their signatures. */
const anchors = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => {
    const der = Buffer.from(new X509Certificate(pem).raw);
    const serial = der.indexOf(Buffer.from([0xa0, 3, 2, 1, 2])) + 5;
    der.writeUInt32BE(at + 1, serial + 3);
    return `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
  });

const bundle = (...blocks: readonly string[]): JsonObject => ({
  ...base,
  spec: { ...(base["spec"] as JsonObject), trustBundle: blocks.join("") },
});
const details = (errors: readonly { readonly detail?: string }[]) => errors.map(({ detail }) => detail);

const KNOWN = anchors(300);
const [NEWER = ""] = anchors(301).slice(-1);

test.each<[what: string, blocks: readonly string[], expected: readonly string[]]>([
  ["one more anchor", [...KNOWN, NEWER], []],
  ["fewer anchors", KNOWN.slice(1), []],
  ["an anchor twice", [...KNOWN, KNOWN[3] ?? ""], ["duplicate trust anchor (indices [3 300])"]],
  ["a malformed anchor", [...KNOWN, NEWER.replace("MII", "MIX")], ["entry 300 does not parse as X.509"]],
  [
    "an anchor under another label",
    [...KNOWN.slice(1), (KNOWN[0] ?? "").replaceAll("CERTIFICATE", "KEY")],
    ["entry 299 has bad block type: KEY"],
  ],
  ["no anchor", [], ["at least one trust anchor must be provided"]],
])("an update to %s is decided like a creation", (_what, blocks, expected) => {
  expect(details(validateNewTrustBundle(bundle(...blocks), CONTEXT))).toEqual(expected);
  expect(details(validateTrustBundleUpdate(bundle(...blocks), bundle(...KNOWN), CONTEXT))).toEqual(expected);
});

test("an update parses only the anchors that the stored bundle does not have", () => {
  const next = bundle(...KNOWN, NEWER);
  const old = bundle(...KNOWN);
  const spent = (work: () => unknown): number => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const least = (work: () => unknown) => Math.min(...Array.from({ length: 3 }, () => spent(work)));
  const created = least(() => validateNewTrustBundle(next, CONTEXT));
  expect(3 * least(() => validateTrustBundleUpdate(next, old, CONTEXT))).toBeLessThan(created);
});
