import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { type KeyAndCertificate, makeCertificate } from "./certificate-material";
import { readCertificates, readKeyOf } from "./pem-files";

const folder = mkdtempSync(join(tmpdir(), "pem-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const nowMs = Date.UTC(2030, 0, 1);
const ca = makeCertificate({ subject: { commonName: "ca" }, usage: { kind: "authority" }, nowMs });
const leaf = { usage: { kind: "peer", names: ["127.0.0.1"] }, issuer: ca, nowMs } as const;
const [serving, admin] = ["serving", "admin"].map((commonName) =>
  makeCertificate({ subject: { commonName }, ...leaf }),
) as [KeyAndCertificate, KeyAndCertificate];
const damaged = serving.certificate.replace(/\n[^-\n]{20}/, "\nAAAAAAAAAAAAAAAAAAAA");

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("certificates are taken as they are, with whatever stands between them", () => {
  const text = `# serving\n${serving.certificate}\n# authority\n${ca.certificate}`;
  expect(readCertificates("tls-cert-file", file("chain.crt", text))).toBe(text);
});

test.each([
  ["nothing", "", /^--client-ca-file: .*empty\.crt contains no PEM certificate$/],
  ["a key", admin.key, /^--client-ca-file: .*contains no PEM certificate$/],
  ["one that is damaged", `${ca.certificate}${damaged}`, /^--client-ca-file: certificate 2 of .* is damaged$/],
])("a file of certificates that holds %s is refused by the option's name", (_what, text, message) => {
  expect(() => readCertificates("client-ca-file", file("empty.crt", text))).toThrow(message);
});

test("a file that is not there is refused by the option's name", () => {
  expect(() => readCertificates("client-ca-file", join(folder, "none"))).toThrow(/^--client-ca-file: ENOENT/);
});

test("a key is taken with its certificate", () => {
  const path = file("serving.key", serving.key);
  expect(readKeyOf(`${serving.certificate}${ca.certificate}`, "tls-private-key-file", path)).toBe(serving.key);
});

test.each([
  ["a certificate", serving.certificate, /^--tls-private-key-file: .* contains no readable PEM private key/],
  ["another certificate's key", admin.key, /^--tls-private-key-file: the key in .* is not the certificate's$/],
])("a key file that holds %s is refused by the option's name", (_what, text, message) => {
  expect(() => readKeyOf(serving.certificate, "tls-private-key-file", file("bad.key", text))).toThrow(message);
});
