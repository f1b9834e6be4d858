// Signing keys of service account tokens.
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "./processes";

/** Returns a new key as PEM. */
const newPrivateKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;

/** @returns the path of a file with a new key */
export function privateKeyFile(workplace: Workplace, name = "signing-key.pem"): string {
  const file = join(workplace.folder(), name);
  writeFileSync(file, newPrivateKey());
  return file;
}
