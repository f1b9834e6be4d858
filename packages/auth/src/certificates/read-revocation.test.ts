import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type KeyAndCertificate, makeCertificate } from "@orch/platform";
import { asPem, extension, signedList, value } from "../testing/signed-lists";
import { readRevocationFile } from "./read-revocation";
import { identityOf } from "./revocation-list";

const NOW_MS = Date.parse("2026-06-01T00:00:00Z");
const subject = (commonName: string) => ({ commonName });

let authority: KeyAndCertificate;
let other: KeyAndCertificate;
let ann: X509Certificate;
let bob: X509Certificate;

beforeAll(() => {
  authority = makeCertificate({ subject: subject("clients"), usage: { kind: "authority" }, nowMs: NOW_MS });
  other = makeCertificate({ subject: subject("others"), usage: { kind: "authority" }, nowMs: NOW_MS });
  ann = client("ann", authority);
  bob = client("bob", authority);
});

const client = (name: string, issuer: KeyAndCertificate): X509Certificate =>
  new X509Certificate(
    makeCertificate({ subject: subject(name), usage: { kind: "client" }, issuer, nowMs: NOW_MS }).certificate,
  );

const read = (file: Buffer | string, authorities = authority.certificate) =>
  readRevocationFile(Buffer.from(file as string), authorities, NOW_MS);

async function namesAnn(file: Buffer | string): Promise<boolean[]> {
  const { list } = await read(file);
  return [ann, bob].map((each) => list.has(identityOf(each)));
}

const ANN_ALONE = [true, false];

describe("a list that an authority has signed", () => {
  const ofAnn = () => signedList({ issuer: authority, revoked: ["01", ann.serialNumber, "7f"] });

  test("counts as DER and as PEM, among others and among lines", async () => {
    expect(await namesAnn(ofAnn())).toEqual(ANN_ALONE);
    expect(await namesAnn(asPem(ofAnn()))).toEqual(ANN_ALONE);
    const ofOthers = asPem(signedList({ issuer: other, revoked: ["02"] }));
    const { list } = await read(`# who has left\nabcdef\n${ofOthers}\n${asPem(ofAnn())}\n12:34\n`);
    expect(list.size).toBe(6);
    expect(list.has(identityOf(ann))).toBe(true);
  });

  test("is of its issuer's certificates alone", async () => {
    const { list, warnings } = await read(signedList({ issuer: other, revoked: [ann.serialNumber] }));
    expect(list.has(identityOf(ann))).toBe(false);
    expect(warnings).toEqual(["list 1 is not issued by a configured CA; its signature is not verified"]);
  });

  test("that says when the next one is due is told of when that is past", async () => {
    const list = (nextUpdate: string) => read(signedList({ issuer: authority, revoked: ["01"], nextUpdate }));
    expect((await list("260531235959Z")).warnings).toEqual(["list 1 is out of date since 2026-05-31T23:59:59.000Z"]);
    expect((await list("260601000001Z")).warnings).toEqual([]);
  });

  test("a revocation list may be empty", async () => {
    expect((await read(signedList({ issuer: authority, revoked: [] }))).list.size).toBe(0);
  });

  const flag = (tag: number): Buffer => value(tag, Buffer.from([0xff]));

  test.each<[string, () => Buffer | string, string]>([
    [
      "signed by somebody else",
      () => signedList({ issuer: { certificate: authority.certificate, key: other.key }, revoked: ["01"] }),
      "list 1: its signature does not match its issuer",
    ],
    [
      "changed",
      () => {
        const bytes = ofAnn();
        bytes[60] = (bytes[60] as number) ^ 1;
        return bytes;
      },
      "list 1: ",
    ],
    [
      "signed in a way that is not known",
      () => signedList({ issuer: authority, revoked: ["01"], algorithm: "1.2.840.113549.1.1.4" }),
      "list 1: signature algorithm 1.2.840.113549.1.1.4 is not supported",
    ],
    [
      "of changes only",
      () =>
        signedList({
          issuer: authority,
          revoked: [],
          extensions: [extension("2.5.29.27", true, value(2, Buffer.from([1])))],
        }),
      "list 1: delta lists are not supported",
    ],
    [
      "of several issuers",
      () =>
        signedList({
          issuer: authority,
          revoked: [],
          extensions: [extension("2.5.29.28", true, value(0x30, flag(0x84)))],
        }),
      "list 1: lists of several issuers are not supported",
    ],
    [
      "with an extension that must be understood",
      () => signedList({ issuer: authority, revoked: [], extensions: [extension("1.2.3.4", true, flag(1))] }),
      "list 1: critical extension 1.2.3.4 is not supported",
    ],
    [
      "with an entry whose extension must be understood",
      () =>
        signedList({
          issuer: authority,
          revoked: [{ serial: "01", extensions: [extension("2.5.29.29", true, flag(1))] }],
        }),
      "list 1: critical extension 2.5.29.29 of an entry is not supported",
    ],
    ["cut short", () => ofAnn().subarray(0, 100), "list 1: DER value is cut short"],
    ["that is none", () => value(0x30, Buffer.alloc(200)), "list 1: "],
    [
      "that does not end",
      () => "ab\n-----BEGIN X509 CRL-----\nAAAA\n",
      "line 2: a certificate revocation list is not terminated",
    ],
    [
      "that is not base64",
      () => "-----BEGIN X509 CRL-----\n!!!\n-----END X509 CRL-----",
      "list 1: it is not a certificate revocation list",
    ],
  ])("is refused when it is one %s", async (_what, file, message) => {
    await expect(read(file())).rejects.toThrow(message);
  });

  test("takes an extension that need not be understood, and a point of distribution that is of one issuer", async () => {
    const extensions = [extension("1.2.3.4", false, flag(1)), extension("2.5.29.28", true, value(0x30, flag(0x81)))];
    expect((await read(signedList({ issuer: authority, revoked: ["01"], extensions }))).list.size).toBe(1);
  });
});

describe("a line", () => {
  const keyOf = (certificate: X509Certificate): Buffer =>
    createHash("sha256")
      .update(
        createPublicKey(certificate.publicKey.export({ type: "spki", format: "pem" })).export({
          type: "spki",
          format: "der",
        }),
      )
      .digest();

  test.each<[string, () => string]>([
    ["a serial number", () => ann.serialNumber],
    ["one in lower case, with zeros before it", () => `0x00${ann.serialNumber.toLowerCase()}`],
    ["one with colons", () => ann.serialNumber.replace(/(..)(?=.)/g, "$1:")],
    ["one that says so", () => `serial: ${ann.serialNumber}  # lost her laptop`],
    ["the hash of a public key", () => keyOf(ann).toString("hex")],
    ["one that says so", () => `SHA256:${keyOf(ann).toString("hex").toUpperCase()}`],
    ["one in base64", () => keyOf(ann).toString("base64")],
  ])("names a certificate by %s", async (_what, line) => {
    expect(await namesAnn(`\r\n# comment\n${line()}\r\n`)).toEqual(ANN_ALONE);
  });

  test.each([
    ["ann\n", "line 1: must be a serial number"],
    ["01\n\nsha256:0102\n", "line 3: the hash of a public key must have 64 hexadecimal digits"],
    [`${"ab".repeat(22)}\n`, "line 1: must be a serial number"],
    ["-----BEGIN CERTIFICATE-----\n", "line 1: must be a serial number"],
  ])("is refused with its number: %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});

test("a long list is read in turns with others", async () => {
  const revoked = Array.from({ length: 10_000 }, (_, at) => (at + 0x100000).toString(16));
  let turns = 0;
  let over = false;
  const others = (): void => {
    turns += 1;
    if (!over) setImmediate(others);
  };
  others();
  const { list } = await read(signedList({ issuer: authority, revoked }));
  over = true;
  expect(list.size).toBe(10_000);
  expect(turns).toBeGreaterThan(4);
});
