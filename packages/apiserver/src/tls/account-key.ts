// The key with which a server signs service account tokens where it is given none.

import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@orch/platform";
import { writeWhole } from "./whole-file";

/** Made in a moment, whereas an RSA key takes longer than all else at a start. @returns PEM */
export function makeAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

const FILE = "service-account.key";

export interface KeptKey {
  readonly file: string;
  readonly pem: string;
}

/** The folder's; made where it has none. @throws Error that names a damaged file */
export function keptAccountKey(folder: string): KeptKey {
  makeFolder(folder, 0o700);
  const file = join(folder, FILE);
  if (!existsSync(file)) writeWhole(file, makeAccountKey(), 0o600);
  const pem = readFileSync(file, "utf8");
  try {
    createPrivateKey(pem);
  } catch {
    throw new Error(`${file} is damaged; a new one is made where there is none`);
  }
  return { file, pem };
}
