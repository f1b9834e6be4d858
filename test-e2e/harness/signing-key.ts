// Keys that sign tokens of service accounts.
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "./processes";

/** PEM, of a new key. */
export const newPrivateKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;

/** @returns the path of a file with a new key */
export function privateKeyFile(workplace: Workplace, name = "signing-key.pem"): string {
  const file = join(workplace.folder(), name);
  writeFileSync(file, newPrivateKey());
  return file;
}
