import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { KEY_KINDS, type MadeAuthority, testAuthority } from "@orch/testing";
import { FileAuthority, signingAuthority } from "./signing-authority";

const folder = mkdtempSync(join(tmpdir(), "signing-authority-"));
afterAll(() => rmSync(folder, { recursive: true }));
const files = { option: "cluster-signing-cert-file", certificate: join(folder, "ca.crt"), key: join(folder, "ca.key") };
const lines: string[] = [];
const log = {
  info: (text: string) => void lines.push(text),
  warn: (text: string) => void lines.push(text),
  error() {},
};
const [FIRST, SECOND] = [testAuthority("p256"), testAuthority("ed25519")];

function write({ certificate, key }: MadeAuthority): void {
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.key, key);
}
const names = async (authority: FileAuthority) => (await authority.current()).certificate.subject;

beforeEach(() => {
  lines.length = 0;
  write(FIRST);
});

test("files are read again when they change", async () => {
  const authority = FileAuthority.open(files, log);
  expect(await names(authority)).toBe("CN=p256 CA");
  write(SECOND);
  expect([await names(authority), await names(authority)]).toEqual(["CN=ed25519 CA", "CN=ed25519 CA"]);
  expect(lines).toEqual(["reloaded the signing certificate"]);
});

test.each<[string, () => void]>([
  ["half of a new pair", () => writeFileSync(files.certificate, SECOND.certificate)],
  ["half of a new pair, the key first", () => writeFileSync(files.key, SECOND.key)],
  ["no certificate", () => writeFileSync(files.certificate, "nothing")],
  ["nothing", () => writeFileSync(files.key, "")],
  ["several certificates", () => writeFileSync(files.certificate, FIRST.certificate + SECOND.certificate)],
  ["no file", () => rmSync(files.key)],
])("files with %s leave it to what they held before, which is told once", async (_what, spoil) => {
  const authority = FileAuthority.open(files, log);
  spoil();
  expect([await names(authority), await names(authority)]).toEqual(["CN=p256 CA", "CN=p256 CA"]);
  expect(lines).toEqual(["the files cannot be used for signing: the previous certificate remains in use"]);
  write(SECOND);
  expect(await names(authority)).toBe("CN=ed25519 CA");
});

describe("an unusable signing pair is rejected at the start", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" });
  test.each<[string, Partial<MadeAuthority>, string]>([
    [
      "two certificates",
      { certificate: FIRST.certificate + SECOND.certificate },
      "the file must contain one certificate, or several of one name and key; it contains 2",
    ],
    [
      "no certificate",
      { certificate: "" },
      "the file must contain one certificate, or several of one name and key; it contains 0",
    ],
    ["a damaged certificate", { certificate: FIRST.certificate.replace(/^M/m, "N") }, ""],
    ["another's key", { key: SECOND.key }, "the key is not the certificate's"],
    [
      "a key of another kind",
      { key: privateKey.export({ type: "pkcs8", format: "pem" }) as string },
      "the key is not the certificate's",
    ],
    ["no key", { key: FIRST.certificate }, ""],
  ])("%s", (_what, part, why) => {
    write({ ...FIRST, ...part });
    expect(() => FileAuthority.open(files, log)).toThrow(`${files.certificate} and ${files.key} cannot sign: ${why}`);
  });
});

test("the renewed one of two certificates of one name and key signs", () => {
  const of = { subject: { commonName: "signer" }, usage: { kind: "authority" } } as const;
  const former = makeCertificate({ ...of, nowMs: Date.UTC(2010, 0) });
  const renewed = makeCertificate({ ...of, nowMs: Date.UTC(2026, 0), kept: former.key });
  for (const certificate of [former.certificate + renewed.certificate, renewed.certificate + former.certificate])
    expect(signingAuthority({ certificate, key: former.key }).endMs).toBeGreaterThan(Date.UTC(2035, 0));
});

test.each(KEY_KINDS)("a certificate of %s tells its name, its end and the name of its key", (kind) => {
  const keyId = Buffer.from("abcd", "hex");
  const authority = signingAuthority(testAuthority(kind, { keyId, endMs: Date.UTC(2040, 0) }));
  expect([authority.keyId?.toString("hex"), authority.endMs]).toEqual(["abcd", Date.UTC(2040, 0)]);
  expect(authority.name.toString("latin1")).toContain(`${kind} CA`);
  expect(signingAuthority(testAuthority(kind)).keyId).toBeUndefined();
});
