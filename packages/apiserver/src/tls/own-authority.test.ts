import { createPrivateKey, X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type KeptPairs, memoryPairs } from "./kept-pairs";
import { makeAuthority, OwnAuthority, openAuthority } from "./own-authority";

describe("the authority in a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "own-authority-")), "pki");
  });
  afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  test("is the same at the next start, and so is what it signed", () => {
    const names = ["localhost", "127.0.0.1"];
    const [one, two] = [openAuthority(folder, names), openAuthority(folder, names)];
    for (const what of ["ca", "serving", "admin"] as const) expect(one[what]).toEqual(two[what]);
  });

  test.each([
    ["a host name", "api.example"],
    ["an address", "192.0.2.7"],
  ])("signs a new serving certificate when the server gets %s more, and keeps the rest", (_what, name) => {
    const before = openAuthority(folder, ["localhost", "127.0.0.1"]);
    const after = openAuthority(folder, ["localhost", "127.0.0.1", name]);
    expect(after.ca).toEqual(before.ca);
    expect(after.admin).toEqual(before.admin);
    const serving = new X509Certificate(after.serving.certificate);
    expect(serving.subjectAltName).toContain(name);
    expect(serving.verify(new X509Certificate(after.ca.certificate).publicKey)).toBe(true);
  });

  test("makes a certificate anew whose key was replaced, as a process does that is killed between the two", () => {
    const before = openAuthority(folder, ["localhost"]);
    copyFileSync(join(folder, "admin.key"), join(folder, "apiserver.key"));
    const after = openAuthority(folder, ["localhost"]);
    expect(after.serving.certificate).not.toBe(before.serving.certificate);
    expect(new X509Certificate(after.serving.certificate).checkPrivateKey(createPrivateKey(after.serving.key))).toBe(
      true,
    );
  });

  test("is refused by the file's name when it is damaged, for clients know it", () => {
    openAuthority(folder, ["localhost"]);
    writeFileSync(join(folder, "ca.crt"), "nothing");
    expect(() => openAuthority(folder, ["localhost"])).toThrow(/ca\.crt is damaged/);
  });

  test("keeps keys for their owner alone", () => {
    openAuthority(folder, ["localhost"]);
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

  function over(pairs: KeptPairs, nowMs: number, names = ["localhost"]) {
    const notKept: string[] = [];
    const deps = { pairs, names, now: () => nowMs, notKept: (name: string) => void notKept.push(name) };
    return { authority: new OwnAuthority(deps), notKept };
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
    // As at any other time: what was not kept is tried again.
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

describe("what an authority has made", () => {
  const DAY_MS = 86_400_000;
  const START = Date.UTC(2026, 0, 1);
  const MANAGER = { file: "manager", commonName: "manager" };
  let now: number;
  beforeEach(() => {
    now = START;
  });

  const partsOf = (authority: OwnAuthority) => ({
    ca: authority.ca,
    serving: authority.serving,
    admin: authority.admin,
    manager: authority.client(MANAGER),
  });
  const endOf = ({ certificate }: { readonly certificate: string }) =>
    Date.parse(new X509Certificate(certificate).validTo);

  test("is used as long as it has more than a month", () => {
    const authority = makeAuthority(["localhost"], () => now);
    const before = partsOf(authority);
    now += 334 * DAY_MS;
    expect(authority.renew()).toBe(false);
    expect(partsOf(authority)).toEqual(before);
  });

  test("is made anew before it ends, by the same authority", () => {
    const authority = makeAuthority(["localhost"], () => now);
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
    const authority = makeAuthority(["localhost"], () => now);
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
    const authority = makeAuthority(["localhost"], () => now);
    for (; now < START + 20 * 365 * DAY_MS; now += 7 * DAY_MS) {
      authority.renew();
      for (const pair of Object.values(partsOf(authority))) expect(endOf(pair) - now).toBeGreaterThan(20 * DAY_MS);
    }
  });

  test("is what another server on the same folder has made of it", () => {
    const folder = mkdtempSync(join(tmpdir(), "own-authority-"));
    const [one, two] = [0, 1].map(() => openAuthority(folder, ["localhost"], () => now)) as [
      OwnAuthority,
      OwnAuthority,
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
    const write: KeptPairs["write"] = (name, pair) => {
      if (full && name === "admin") throw new Error("no space left");
      pairs.write(name, pair);
    };
    const authority = new OwnAuthority({ pairs: { ...pairs, write }, names: ["localhost"], now: () => now });
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
