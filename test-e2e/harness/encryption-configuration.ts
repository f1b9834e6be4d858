// Configurations for encryption at rest.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workplace } from "./processes";

/** Writes a configuration that encrypts the objects of a resource with the slowest cipher. Returns its path. */
export function sealing(workplace: Workplace, resource: string): string {
  const path = join(workplace.folder(), "encryption.json");
  const keys = [{ name: "key", secret: Buffer.alloc(32, 7).toString("base64") }];
  const resources = [{ resources: [resource], providers: [{ secretbox: { keys } }] }];
  writeFileSync(
    path,
    JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }),
  );
  return path;
}
