import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import {
  certificateRequest,
  der,
  KEY_KINDS,
  oid,
  pemOf,
  type RequestParts,
  requestField,
  testKey,
} from "@orch/testing";
import { certificationRequestError } from "./certification-request";
import { parseSigningRequest } from "./signing-request";

const read = (parts: RequestParts) => parseSigningRequest(pemOf(certificateRequest(parts)));
const errorOf = (parts: RequestParts) => certificationRequestError(requestField(parts));
const UNREADABLE = "cannot be read as a request for a certificate";

test.each(KEY_KINDS)("a request with a key of %s is read, and its signature holds", (key) => {
  const parts: RequestParts = {
    key,
    subject: [
      ["CN", "ann"],
      ["O", "dev"],
    ],
    names: [["dns", "a.example.com"]],
  };
  expect(read(parts)).toMatchObject({
    commonName: "ann",
    organizations: ["dev"],
    alternatives: [{ kind: "dns", value: Buffer.from("a.example.com") }],
    key: { der: expect.any(Buffer) },
  });
  expect([errorOf(parts), errorOf({ ...parts, forged: true })]).toEqual([
    undefined,
    "the signature does not fit the request's key",
  ]);
});

test("the last of several common names is used, as in the certificate", () => {
  const subject = [
    ["CN", "one"],
    ["O", "a"],
    ["CN", "other"],
    ["O", "b"],
  ] as const;
  expect(read({ subject })).toMatchObject({ commonName: "other", organizations: ["a", "b"] });
});

describe("a request that signers cannot sign is rejected", () => {
  const spki = (algorithm: Buffer, key: Buffer) => der(0x30, algorithm, der(0x03, Buffer.from([0]), key));
  const rsa = (modulus: Buffer, exponent: Buffer) =>
    spki(der(0x30, oid("1.2.840.113549.1.1.1"), der(0x05)), der(0x30, der(0x02, modulus), der(0x02, exponent)));
  const exported = (key: { export(options: { type: "spki"; format: "der" }): Buffer }) =>
    key.export({ type: "spki", format: "der" });
  const point = Buffer.from([4, 1, 2]);
  test.each<[string, RequestParts]>([
    ["an address of five bytes", { names: [["ip", Buffer.alloc(5)]] }],
    ["a name with a line's end", { names: [["dns", "a\nb"]] }],
    ["a name that is not in ASCII", { names: [["dns", "ü.example.com"]] }],
    ["a link with a zero in it", { names: [["uri", "a:\0"]] }],
    [
      "two lists of names",
      { names: [["dns", "a"]], extensions: [["2.5.29.17", der(0x30, der(0x82, Buffer.from("b")))]] },
    ],
    ["a group that is no text", { subject: [["O", "dev", 0x03]] }],
    ["a name of broken text", { subject: [["CN", Buffer.from([0xff])]] }],
    ["more values than a certificate has", { names: Array.from({ length: 4_000 }, () => ["dns", "a"] as const) }],
    ["more text than a certificate has", { names: [["uri", "a".repeat(140_000)]] }],
    ["an object identifier without end", { subject: [[`2.5.${"9".repeat(300)}`, "a"]] }],
    ["a key of X25519", { spki: exported(generateKeyPairSync("x25519").publicKey) }],
    ["a key of an unknown curve", { spki: exported(generateKeyPairSync("ec", { namedCurve: "secp256k1" }).publicKey) }],
    ["a curve that is described", { spki: spki(der(0x30, oid("1.2.840.10045.2.1"), der(0x30)), point) }],
    ["a point on no curve", { spki: spki(der(0x30, oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")), point) }],
    ["a key larger than any", { key: "rsa", spki: rsa(Buffer.alloc(2050, 0x7f), Buffer.from([3])) }],
    ["an exponent larger than any", { key: "rsa", spki: rsa(Buffer.alloc(256, 0x7f), Buffer.alloc(5, 0x7f)) }],
    ["a negative exponent", { key: "rsa", spki: rsa(Buffer.alloc(256, 0x7f), Buffer.from("ffffffff", "hex")) }],
    ["no key", { spki: der(0x30) }],
  ])("%s", (_what, parts) => {
    expect(errorOf(parts)).toBe(UNREADABLE);
  });
});

test.each<[string, Buffer]>([
  ["nothing", Buffer.alloc(0)],
  ["half of one", certificateRequest().subarray(0, 60)],
  ["a sequence of nothing", der(0x30)],
  ["lengths that are longer than what there is", Buffer.from("3084ffffffff", "hex")],
  ["no signature", der(0x30, certificateRequest().subarray(4, 90))],
  ["a key alone", testKey("p256").export({ type: "pkcs8", format: "der" })],
])("%s is no request", (_what, bytes) => {
  expect(parseSigningRequest(pemOf(bytes))).toBeUndefined();
  expect(certificationRequestError(Buffer.from(pemOf(bytes)).toString("base64"))).toBe(UNREADABLE);
});
