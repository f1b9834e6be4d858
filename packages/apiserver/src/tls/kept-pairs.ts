// Where keys and certificates are kept that the server makes for itself.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyAndCertificate } from "@orch/platform";
import { writeTogether } from "./whole-file";

export interface KeptPairs {
  /** Undefined where there is none that belongs together. @throws Error for what is damaged */
  read(name: string): KeyAndCertificate | undefined;
  write(name: string, pair: KeyAndCertificate): void;
}

export function memoryPairs(): KeptPairs {
  const pairs = new Map<string, KeyAndCertificate>();
  return { read: (name) => pairs.get(name), write: (name, pair) => void pairs.set(name, pair) };
}

/** Files `<name>.crt` and `<name>.key`, the key readable by its owner only. */
export function folderPairs(folder: string): KeptPairs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const filesOf = (name: string) => ({ certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) });
  return {
    read(name) {
      const files = filesOf(name);
      if (!existsSync(files.certificate) || !existsSync(files.key)) return undefined;
      const pair = { certificate: readFileSync(files.certificate, "utf8"), key: readFileSync(files.key, "utf8") };
      return belongTogether(pair, files) ? pair : undefined;
    },
    write(name, pair) {
      const files = filesOf(name);
      writeTogether([
        { file: files.key, text: pair.key, mode: 0o600 },
        { file: files.certificate, text: pair.certificate, mode: 0o644 },
      ]);
    },
  };
}

/** Not the two halves that a process killed between them leaves. @throws Error for a damaged file */
function belongTogether(
  pair: KeyAndCertificate,
  files: { readonly certificate: string; readonly key: string },
): boolean {
  const certificate = readable(files.certificate, () => new X509Certificate(pair.certificate));
  const key = readable(files.key, () => createPrivateKey(pair.key));
  return certificate.checkPrivateKey(key);
}

function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} is damaged; a new one is made where there is none`, { cause: error });
  }
}
