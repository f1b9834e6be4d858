import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { parseSigningKey } from "@orch/auth";
import { storedAccountKey } from "./account-key";

const parent = mkdtempSync(join(tmpdir(), "account-key-"));
const folder = join(parent, "pki");
afterAll(() => rmSync(parent, { recursive: true }));

test("the key is made once, signs tokens, and is its owner's alone", () => {
  const { pem, file: kept } = storedAccountKey(folder);
  expect(storedAccountKey(folder)).toEqual({ pem, file: kept });
  expect(parseSigningKey(pem).algorithm).toBe("ES256");
  const [file = "", ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test("a damaged one is named, left as it is, and not shown", () => {
  const file = join(folder, "service-account.key");
  const damaged = readFileSync(file, "utf8").replace(/\n.{10}/, "\n");
  writeFileSync(file, damaged);
  expect(() => storedAccountKey(folder)).toThrow(`${file} is damaged; remove it to create a new one`);
  expect(readFileSync(file, "utf8")).toBe(damaged);
});
