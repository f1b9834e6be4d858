import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { makeCertificate } from "./certificate-material";
import { NamedContexts, type NamedPair, pairFilesIn, readNamedPair } from "./named-pairs";

const made = (commonName: string, names: readonly string[]): Omit<NamedPair, "names"> => {
  const { certificate, key } = makeCertificate({
    subject: { commonName },
    usage: { kind: "server", names },
    nowMs: Date.now(),
  });
  return { cert: certificate, key };
};

const folder = mkdtempSync(join(tmpdir(), "named-pairs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["a.crt,a.key", { certificate: "a.crt", key: "a.key", names: [] }],
  [
    "a.crt,a.key:one.example,*.two.example",
    { certificate: "a.crt", key: "a.key", names: ["one.example", "*.two.example"] },
  ],
])("%s is a pair", (text, expected) => expect(pairFilesIn("tls-sni-cert-key", text)).toEqual(expected));

test.each(["", "a.crt", "a.crt,", ",a.key", "a.crt,a.key,b.key"])("%j is no pair", (text) =>
  expect(() => pairFilesIn("tls-sni-cert-key", text)).toThrow("--tls-sni-cert-key: "),
);

test("a key of another certificate is refused by the name of its option", () => {
  const [one, other] = [made("one", ["one.example"]), made("other", ["other.example"])];
  writeFileSync(join(folder, "a.crt"), one.cert);
  writeFileSync(join(folder, "a.key"), other.key);
  const files = pairFilesIn("tls-sni-cert-key", `${join(folder, "a.crt")},${join(folder, "a.key")}`);
  expect(() => readNamedPair("tls-sni-cert-key", files)).toThrow("--tls-sni-cert-key: the key in ");
});

test("names of the option win over those of certificates, earlier pairs over later ones, whole names over wildcards", () => {
  const pairs: NamedPair[] = [
    { ...made("alpha.example", ["shared.example", "*.wild.example", "10.0.0.1"]), names: [] },
    { ...made("beta.example", ["shared.example", "beta.example"]), names: [] },
    { ...made("gamma", ["gamma.example"]), names: ["alpha.example", "whole.wild.example"] },
  ];
  const contexts = new NamedContexts(pairs);
  const [alpha, beta, gamma] = ["shared.example", "beta.example", "whole.wild.example"].map((name) =>
    contexts.find(name),
  );
  expect(new Set([alpha, beta, gamma, undefined]).size).toBe(4);
  expect(contexts.find("alpha.example")).toBe(gamma);
  expect(contexts.find("any.wild.example")).toBe(alpha);
  expect(contexts.find("ANY.Wild.Example.")).toBe(alpha);
  // Names of a certificate are ignored when the option names hosts.
  for (const name of ["gamma.example", "gamma", "deep.any.wild.example", "10.0.0.1", ""])
    expect([name, contexts.find(name)]).toEqual([name, undefined]);
});
