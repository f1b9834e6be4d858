import { createPublicKey } from "node:crypto";
import { expect, test } from "@jest/globals";
import { isRequestOf, newKey, signingRequest, subjectText } from "./signing-request";

const subject = { commonName: "ann", organizations: ["dev", "ops"], names: ["a.example", "10.0.0.1", "fd00::1:2"] };

test("a request has the subject, the names and the public key", () => {
  const key = newKey();
  const request = signingRequest(key, subject);
  expect(request).toMatch(/^-----BEGIN CERTIFICATE REQUEST-----\n/);
  expect(subjectText(request)).toBe("CN=ann,O=ops,O=dev");
  expect([isRequestOf(request, key), isRequestOf(request, newKey())]).toEqual([true, false]);
  const bytes = Buffer.from(request.replaceAll(/-----[^-]*-----|\s/g, ""), "base64");
  expect(bytes.includes(createPublicKey(key).export({ type: "spki", format: "der" }))).toBe(true);
  expect(bytes.includes(Buffer.from("a.example"))).toBe(true);
  expect(bytes.includes(Buffer.from([0x87, 4, 10, 0, 0, 1]))).toBe(true);
  expect(bytes.includes(Buffer.from("8710fd000000000000000000000000010002", "hex"))).toBe(true);
});

test.each(["", "no PEM", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"])(
  "the subject of %j is empty",
  (text) => expect(subjectText(text)).toBe(""),
);
