import { createPrivateKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { derValues, type KeyAndCertificate, makeCertificate, signatureScheme, type Usage } from "@orch/platform";
import { KEY_KINDS, testAuthority } from "@orch/testing";
import { type KeyPairStore, memoryPairs } from "./key-pair-store";
import { makeSelfSignedCa, OWN_CLIENTS_NAME, openSelfSignedCa, SelfSignedCa } from "./self-signed-ca";

describe("the authority in a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "self-signed-ca-")), "pki");
  });
  afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  test("is the same at the next start, and so is what it signed", () => {
    const names = ["localhost", "127.0.0.1"];
    const [one, two] = [openSelfSignedCa(folder, names), openSelfSignedCa(folder, names)];
    for (const what of ["ca", "serving", "admin"] as const) expect(one[what]).toEqual(two[what]);
  });

  test.each([
    ["a host name", "api.example"],
    ["an address", "192.0.2.7"],
  ])("signs a new serving certificate when the server gets %s more, and keeps the rest", (_what, name) => {
    const before = openSelfSignedCa(folder, ["localhost", "127.0.0.1"]);
    const after = openSelfSignedCa(folder, ["localhost", "127.0.0.1", name]);
    expect(after.ca).toEqual(before.ca);
    expect(after.admin).toEqual(before.admin);
    const serving = new X509Certificate(after.serving.certificate);
    expect(serving.subjectAltName).toContain(name);
    expect(serving.verify(new X509Certificate(after.ca.certificate).publicKey)).toBe(true);
  });

  test("makes a certificate anew whose key was replaced, as a process does that is killed between the two", () => {
    const before = openSelfSignedCa(folder, ["localhost"]);
    copyFileSync(join(folder, "admin.key"), join(folder, "apiserver.key"));
    const after = openSelfSignedCa(folder, ["localhost"]);
    expect(after.serving.certificate).not.toBe(before.serving.certificate);
    expect(new X509Certificate(after.serving.certificate).checkPrivateKey(createPrivateKey(after.serving.key))).toBe(
      true,
    );
  });

  test("is refused by the file's name when it is damaged, for clients know it", () => {
    openSelfSignedCa(folder, ["localhost"]);
    writeFileSync(join(folder, "ca.crt"), "nothing");
    expect(() => openSelfSignedCa(folder, ["localhost"])).toThrow(/ca\.crt is damaged/);
  });

  test("says which keys it takes where one is of another kind, or encrypted", () => {
    openSelfSignedCa(folder, ["localhost"]);
    const file = join(folder, "ca.key");
    const encrypted = createPrivateKey(readFileSync(file)).export({
      ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
    });
    writeFileSync(file, encrypted);
    expect(() => openSelfSignedCa(folder, ["localhost"])).toThrow(
      /ca\.key is encrypted: write it without a passphrase/,
    );
    const { privateKey } = generateKeyPairSync("ed448");
    expect(() => signatureScheme(privateKey)).toThrow(
      "the key of a CA must be RSA, ECDSA on P-256, P-384 or P-521, or Ed25519, not ed448",
    );
  });

  test("keeps keys for their owner alone", () => {
    openSelfSignedCa(folder, ["localhost"]);
    expect(statSync(join(folder, "ca.key")).mode & 0o077).toBe(0);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });
});

describe("an authority whose disk is full", () => {
  const DAY_MS = 86_400_000;
  const START = Date.UTC(2026, 0, 1);
  const full = () => {
    throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  };

  function over(pairs: KeyPairStore, nowMs: number, names = ["localhost"]) {
    const notKept: string[] = [];
    const deps = { pairs, names, now: () => nowMs, notKept: (name: string) => void notKept.push(name) };
    return { authority: new SelfSignedCa(deps), notKept };
  }

  test("starts with what there is as long as it is good, and with a new serving certificate where it needs one", () => {
    const pairs = memoryPairs();
    const before = over(pairs, START).authority;
    const soon = START + 340 * DAY_MS;
    const { authority, notKept } = over({ ...pairs, write: full }, soon, ["localhost", "api.example"]);
    expect(notKept).toEqual(["apiserver", "admin"]);
    expect(authority.ca).toEqual(before.ca);
    expect(authority.admin).toEqual(before.admin);
    expect(new X509Certificate(authority.serving.certificate).subjectAltName).toContain("api.example");
    // The next renewal retries what was not written.
    expect(() => authority.renew()).toThrow("no room");
  });

  test("does not start with an authority that it cannot keep, nor with files for others that are not there", () => {
    const pairs = memoryPairs();
    expect(() => over({ ...pairs, write: full }, START)).toThrow("no room");
    over(pairs, START);
    const { authority } = over({ ...pairs, write: full }, START);
    expect(() => authority.client({ file: "other", commonName: "other" })).toThrow("no room");
  });
});

describe("certificates created by the server's CA", () => {
  const DAY_MS = 86_400_000;
  const START = Date.UTC(2026, 0, 1);
  const MANAGER = { file: "manager", commonName: "manager" };
  let now: number;
  beforeEach(() => {
    now = START;
  });

  const partsOf = (authority: SelfSignedCa) => ({
    ca: authority.ca,
    serving: authority.serving,
    admin: authority.admin,
    manager: authority.client(MANAGER),
  });
  const endOf = ({ certificate }: { readonly certificate: string }) =>
    Date.parse(new X509Certificate(certificate).validTo);

  test("is used as long as it has more than a month", () => {
    const authority = makeSelfSignedCa(["localhost"], () => now);
    const before = partsOf(authority);
    now += 334 * DAY_MS;
    expect(authority.renew()).toBe(false);
    expect(partsOf(authority)).toEqual(before);
  });

  test("is made anew before it ends, by the same authority", () => {
    const authority = makeSelfSignedCa(["localhost"], () => now);
    const before = partsOf(authority);
    now += 336 * DAY_MS;
    expect(authority.renew()).toBe(true);
    expect(authority.renew()).toBe(false);
    const after = partsOf(authority);
    expect(after.ca).toEqual(before.ca);
    const { publicKey } = new X509Certificate(after.ca.certificate);
    for (const what of ["serving", "admin", "manager"] as const) {
      const { certificate, key } = after[what];
      expect(certificate).not.toBe(before[what].certificate);
      expect(endOf(after[what])).toBe(now + 365 * DAY_MS);
      const parsed = new X509Certificate(certificate);
      expect([parsed.verify(publicKey), parsed.checkPrivateKey(createPrivateKey(key))]).toEqual([true, true]);
      expect(parsed.subject).toBe(new X509Certificate(before[what].certificate).subject);
    }
  });

  test("outlives its authority's certificate, which is made anew for the same key", () => {
    const authority = makeSelfSignedCa(["localhost"], () => now);
    for (; now < START + 3280 * DAY_MS; now += DAY_MS) authority.renew();
    const before = partsOf(authority);
    now += 10 * DAY_MS;
    expect(authority.renew()).toBe(true);
    const after = partsOf(authority);
    expect(endOf(after.ca)).toBe(now + 3650 * DAY_MS);
    expect(after.ca.key).toBe(before.ca.key);
    const [oldCa, newCa] = [before, after].map(({ ca }) => new X509Certificate(ca.certificate)) as [
      X509Certificate,
      X509Certificate,
    ];
    for (const [leaf, ca] of [
      [before.admin, newCa],
      [after.admin, oldCa],
      [after.admin, newCa],
    ] as const) {
      const parsed = new X509Certificate(leaf.certificate);
      expect([parsed.checkIssued(ca), parsed.verify(ca.publicKey)]).toEqual([true, true]);
    }
  });

  test("is never about to end, for as long as it is looked after", () => {
    const authority = makeSelfSignedCa(["localhost"], () => now);
    for (; now < START + 20 * 365 * DAY_MS; now += 7 * DAY_MS) {
      authority.renew();
      for (const pair of Object.values(partsOf(authority))) expect(endOf(pair) - now).toBeGreaterThan(20 * DAY_MS);
    }
  });

  test("is taken when another program has replaced it", () => {
    const folder = mkdtempSync(join(tmpdir(), "self-signed-ca-"));
    const authority = openSelfSignedCa(folder, ["localhost"], () => now);
    const before = authority.serving.certificate;
    expect(authority.renew()).toBe(false);
    const replaced = makeCertificate({
      ...{ subject: { commonName: "apiserver" }, usage: { kind: "server", names: ["localhost"] } },
      ...{ issuer: authority.ca, nowMs: now, kept: authority.serving.key, isMarked: true },
    });
    writeFileSync(join(folder, "apiserver.crt.new"), replaced.certificate);
    renameSync(join(folder, "apiserver.crt.new"), join(folder, "apiserver.crt"));
    expect([authority.renew(), authority.renew()]).toEqual([true, false]);
    expect(authority.serving.certificate).toBe(replaced.certificate);
    expect(authority.serving.certificate).not.toBe(before);
    rmSync(folder, { recursive: true });
  });

  test("is what another server on the same folder has made of it", () => {
    const folder = mkdtempSync(join(tmpdir(), "self-signed-ca-"));
    const [one, two] = [0, 1].map(() => openSelfSignedCa(folder, ["localhost"], () => now)) as [
      SelfSignedCa,
      SelfSignedCa,
    ];
    partsOf(one);
    partsOf(two);
    now += 340 * DAY_MS;
    expect([one.renew(), two.renew(), one.renew()]).toEqual([true, true, false]);
    expect(partsOf(two)).toEqual(partsOf(one));
    rmSync(folder, { recursive: true });
  });

  test("is used on where it cannot be kept, and made anew as soon as it can", () => {
    const pairs = memoryPairs();
    let full = false;
    const write: KeyPairStore["write"] = (name, pair) => {
      if (full && name === "admin") throw new Error("no space left");
      pairs.write(name, pair);
    };
    const authority = new SelfSignedCa({ pairs: { ...pairs, write }, names: ["localhost"], now: () => now });
    const before = partsOf(authority);
    now += 340 * DAY_MS;
    full = true;
    expect(() => authority.renew()).toThrow("no space left");
    expect(partsOf(authority).admin).toEqual(before.admin);
    full = false;
    expect(authority.renew()).toBe(true);
    expect(partsOf(authority).admin).not.toEqual(before.admin);
  });
});

describe("files of the operator in the directory", () => {
  const DAY_MS = 86_400_000;
  const NOW = Date.UTC(2026, 0, 1);
  let folder: string;
  let warnings: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "self-signed-ca-"));
    warnings = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (nowMs = NOW) =>
    openSelfSignedCa(folder, ["localhost", "127.0.0.1"], () => nowMs, { warn: (text) => void warnings.push(text) });
  const file = (name: string) => join(folder, name);
  const put = (name: string, { certificate, key }: KeyAndCertificate) => {
    writeFileSync(file(`${name}.crt`), certificate);
    writeFileSync(file(`${name}.key`), key);
  };
  const bytes = (name: string) => [
    readFileSync(file(`${name}.crt`), "utf8"),
    readFileSync(file(`${name}.key`), "utf8"),
  ];
  const of = (commonName: string, usage: Usage, issuer?: KeyAndCertificate, nowMs = NOW) =>
    makeCertificate({ subject: { commonName }, usage, issuer, nowMs });
  const foreign = of("an authority", { kind: "authority" });

  test.each<[string, KeyAndCertificate, string[]]>([
    ["of another authority", of("apiserver", { kind: "server", names: ["localhost", "127.0.0.1"] }, foreign), []],
    ["for other names", of("apiserver", { kind: "server", names: ["localhost"] }, foreign), ["is not for 127.0.0.1"]],
    [
      "that has ended",
      of("x", { kind: "server", names: ["localhost", "127.0.0.1"] }, foreign, NOW - 400 * DAY_MS),
      ["has expired"],
    ],
    [
      "that ends soon",
      of("x", { kind: "server", names: ["localhost", "127.0.0.1"] }, foreign, NOW - 350 * DAY_MS),
      ["expires soon"],
    ],
    ["with a key of another kind", { ...testAuthority("rsa") }, ["is not for localhost"]],
  ])("serves, and is never written: a pair %s", (_what, pair, warned) => {
    put("apiserver", pair);
    const authority = open();
    expect(authority.serving).toEqual(pair);
    authority.renew();
    expect(bytes("apiserver")).toEqual([pair.certificate, pair.key]);
    expect(warnings.filter((text) => text.startsWith("apiserver.crt"))).toEqual(
      warned.map((text) => expect.stringContaining(text)),
    );
    expect(open(NOW + 364 * DAY_MS).serving).toEqual(pair);
    expect(bytes("apiserver")).toEqual([pair.certificate, pair.key]);
  });

  test("takes the place of what the server has made, and is followed when it changes", () => {
    const authority = open();
    const pair = of("apiserver", { kind: "server", names: ["localhost", "127.0.0.1"] }, authority.ca);
    put("apiserver", pair);
    expect(open().serving).toEqual(pair);
    const other = of("other", { kind: "server", names: ["api.example"] }, foreign);
    const running = open();
    put("apiserver", other);
    expect(running.renew()).toBe(true);
    expect(running.serving).toEqual(other);
    expect(bytes("apiserver")).toEqual([other.certificate, other.key]);
  });

  test("is not completed by half: a certificate without its key, or with another's, is told of", () => {
    const pair = of("apiserver", { kind: "server", names: ["localhost"] }, foreign);
    writeFileSync(file("apiserver.crt"), pair.certificate);
    expect(() => open()).toThrow(/apiserver\.key is missing/);
    writeFileSync(file("apiserver.key"), foreign.key);
    expect(() => open()).toThrow(/apiserver\.crt and .*apiserver\.key do not match/);
    expect(bytes("apiserver")).toEqual([pair.certificate, foreign.key]);
  });

  test.each(KEY_KINDS)("a key of %s gets a certificate, and stays as it is", (kind) => {
    const { key } = testAuthority(kind);
    writeFileSync(file("apiserver.key"), key);
    const { serving, ca } = open();
    expect(readFileSync(file("apiserver.key"), "utf8")).toBe(key);
    const certificate = new X509Certificate(serving.certificate);
    expect([certificate.checkPrivateKey(createPrivateKey(key)), certificate.checkIP("127.0.0.1")]).toEqual([
      true,
      "127.0.0.1",
    ]);
    expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  });

  test.each(KEY_KINDS)("an authority with a key of %s signs by its own algorithm", async (kind) => {
    const pair = testAuthority(kind, { keyId: Buffer.from("0102030405", "hex"), endMs: NOW + 3000 * DAY_MS });
    put("ca", pair);
    const authority = open();
    expect(bytes("ca")).toEqual([pair.certificate, pair.key]);
    expect(authority.ca).toEqual(pair);
    const issuer = new X509Certificate(pair.certificate);
    for (const leaf of [authority.serving, authority.admin]) {
      const certificate = new X509Certificate(leaf.certificate);
      expect([certificate.checkIssued(issuer), certificate.verify(issuer.publicKey)]).toEqual([true, true]);
      // The certificate contains the signature algorithm twice.
      const [body, algorithm] = derValues(derValues(certificate.raw)[0]?.content ?? Buffer.alloc(0));
      expect(derValues(body?.content ?? Buffer.alloc(0))[2]?.bytes).toEqual(algorithm?.bytes);
    }
    expect(authority.trust).toBe(pair.certificate);
  });

  test("is an authority that ends soon: it stays, with a warning", () => {
    const pair = of("the operator's", { kind: "authority" }, undefined, NOW - 3400 * DAY_MS);
    put("ca", pair);
    open().renew();
    expect(bytes("ca")).toEqual([pair.certificate, pair.key]);
    expect(warnings).toEqual([expect.stringMatching(/^ca\.crt, which this server did not create .* expires soon/)]);
    expect(open(NOW + 400 * DAY_MS).ca).toEqual(pair);
    expect(bytes("ca")).toEqual([pair.certificate, pair.key]);
  });

  test("is an authority beside its renewed certificate: the renewed one signs, both are told to clients", () => {
    const former = of("c", { kind: "authority" }, undefined, NOW - 3640 * DAY_MS);
    const renewed = makeCertificate({
      ...{ subject: { commonName: "c" }, usage: { kind: "authority" }, nowMs: NOW, kept: former.key },
    });
    put("ca", { certificate: former.certificate + renewed.certificate, key: former.key });
    const { trust, serving } = open();
    expect(trust).toBe(former.certificate + renewed.certificate);
    expect(new X509Certificate(serving.certificate).verify(new X509Certificate(renewed.certificate).publicKey)).toBe(
      true,
    );
    expect(warnings).toEqual([]);
  });

  test("is told to clients as far as it is known: by the authorities below it, and by a name that it has", () => {
    const pair = of("apiserver", { kind: "server", names: ["api.example"] }, foreign);
    put("apiserver", { ...pair, certificate: pair.certificate + foreign.certificate });
    const authority = open();
    expect(authority.trust).toContain(foreign.certificate.trim());
    expect([authority.nameFor("127.0.0.1"), authority.nameFor("api.example")]).toEqual(["api.example", undefined]);
  });

  test("is verified by the server's own clients by a name of their own, when it brings no authority", () => {
    put("apiserver", of("apiserver", { kind: "server", names: ["localhost", "127.0.0.1"] }, foreign));
    const authority = open();
    expect(authority.nameFor("127.0.0.1")).toBe(OWN_CLIENTS_NAME);
    const own = new X509Certificate(authority.ownServing?.certificate ?? "");
    expect([own.checkHost(OWN_CLIENTS_NAME), own.verify(new X509Certificate(authority.trust).publicKey)]).toEqual([
      OWN_CLIENTS_NAME,
      true,
    ]);
    rmSync(file("apiserver.crt"));
    rmSync(file("apiserver.key"));
    expect([open().ownServing, open().nameFor("127.0.0.1")]).toEqual([undefined, undefined]);
  });

  test("a certificate of a former release is renewed although it has no mark", () => {
    const ca = of("apiserver-ca", { kind: "authority" }, undefined, NOW - 3400 * DAY_MS);
    put("ca", ca);
    put("apiserver", of("apiserver", { kind: "server", names: ["localhost"] }, ca, NOW - 10 * DAY_MS));
    const authority = open();
    expect(authority.ca.certificate).not.toBe(ca.certificate);
    expect(authority.ca.key).toBe(ca.key);
    expect(new X509Certificate(authority.serving.certificate).checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(warnings).toEqual([]);
  });
});
