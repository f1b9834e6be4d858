// The key that signs service account tokens when the options name none.

import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@orch/platform";
import { writeFileAtomically } from "./atomic-file";

/** Makes an EC key: an RSA key would take longer than the rest of a start. @returns PEM */
export function makeAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

const FILE = "service-account.key";

export interface StoredKey {
  readonly file: string;
  readonly pem: string;
}

/** Returns the key in a folder, and makes one when there is none. @throws Error that names a damaged file */
export function storedAccountKey(folder: string): StoredKey {
  makeFolder(folder, 0o700);
  const file = join(folder, FILE);
  if (!existsSync(file)) writeFileAtomically(file, makeAccountKey(), 0o600);
  const pem = readFileSync(file, "utf8");
  try {
    createPrivateKey(pem);
  } catch {
    throw new Error(`${file} is damaged; remove it to create a new one`);
  }
  return { file, pem };
}
