import { createPrivateKey, X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openAuthority } from "./own-authority";

describe("the authority in a folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), "own-authority-")), "pki");
  });
  afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

  test("is the same at the next start, and so is what it signed", () => {
    const names = ["localhost", "127.0.0.1"];
    expect(openAuthority(folder, names)).toEqual(openAuthority(folder, names));
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
