// Storage of keys and certificates that the server makes itself, or that the operator provides instead.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { certificateBlocks, type KeyAndCertificate, makeFolder } from "@orch/platform";
import { writeFilesAtomically } from "./atomic-file";

type StoredPair =
  | { readonly kind: "none" }
  | { readonly kind: "pair"; readonly pair: KeyAndCertificate; readonly certificate: X509Certificate }
  /** A key without its certificate: from a process that was killed in between, or from an operator. */
  | { readonly kind: "key"; readonly key: string };

export interface KeyPairStore {
  /**
   * @param isReplaceable whether a certificate that does not match its key may be made anew
   * @throws Error for a pair that is damaged, incomplete or does not match
   */
  read(name: string, isReplaceable: (certificate: X509Certificate) => boolean): StoredPair;
  /** Writes a pair. An existing key stays unchanged. */
  write(name: string, pair: KeyAndCertificate): void;
  /** Whether another program has replaced a certificate since it was read or written here. */
  hasChanged(): boolean;
}

export function memoryPairs(): KeyPairStore {
  const pairs = new Map<string, KeyAndCertificate>();
  return {
    read(name) {
      const pair = pairs.get(name);
      return pair === undefined ? { kind: "none" } : { kind: "pair", pair, certificate: certificateOf(pair) };
    },
    write: (name, pair) => void pairs.set(name, pair),
    hasChanged: () => false,
  };
}

/** Files `<name>.crt` and `<name>.key`; only the owner can read the key. */
export function folderPairs(folder: string): KeyPairStore {
  makeFolder(folder, 0o700);
  const filesOf = (name: string) => ({ certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) });
  /** State of each certificate's file when it was last read or written. */
  const seen = new Map<string, string>();
  return {
    read(name, isReplaceable) {
      const files = filesOf(name);
      seen.set(name, stateOf(files.certificate));
      const [text, key] = [textOf(files.certificate), textOf(files.key)];
      if (text === undefined) return key === undefined ? { kind: "none" } : { kind: "key", key };
      const certificates = readable(files.certificate, () => certificatesIn(text));
      if (key === undefined) {
        if (certificates.every(isReplaceable)) return { kind: "none" };
        throw new Error(`${files.key} is missing: ${files.certificate} requires its key beside it`);
      }
      // RFC 7468, 11, and RFC 1421, 4.6.1.1.
      if (key.includes("ENCRYPTED"))
        throw new Error(
          `${files.key} is encrypted: write it without a passphrase, readable by this server's user alone`,
        );
      const privateKey = readable(files.key, () => createPrivateKey(key));
      const ofKey = certificates.filter((each) => each.checkPrivateKey(privateKey));
      const certificate = ofKey.reduce<X509Certificate | undefined>(later, undefined);
      if (certificate !== undefined) return { kind: "pair", pair: { certificate: text, key }, certificate };
      if (certificates.every(isReplaceable)) return { kind: "key", key };
      throw new Error(`${files.certificate} and ${files.key} do not match: the key is not the certificate's`);
    },
    write(name, pair) {
      const files = filesOf(name);
      const certificate = { file: files.certificate, text: pair.certificate, mode: 0o644 };
      const key = { file: files.key, text: pair.key, mode: 0o600 };
      writeFilesAtomically(textOf(files.key) === pair.key ? [certificate] : [key, certificate]);
      seen.set(name, stateOf(files.certificate));
    },
    hasChanged: () => [...seen].some(([name, state]) => stateOf(filesOf(name).certificate) !== state),
  };
}

/** Describes a file, which is replaced as a whole; "" when there is none. */
function stateOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
}

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);

/** @throws Error for a text without certificates, or with a malformed one */
function certificatesIn(text: string): readonly X509Certificate[] {
  const blocks = certificateBlocks(text);
  return blocks.length === 0 ? [new X509Certificate(text)] : blocks.map((block) => new X509Certificate(block));
}

/**
 * Returns the certificate of a pair that was made or read here; of several with the same key, the one with the latest
 * end of validity. A single certificate belongs to the key, because reading a pair has checked it. Parsing keys again
 * takes 3 ms of a start.
 */
export function certificateOf({ certificate, key }: KeyAndCertificate): X509Certificate {
  const all = certificatesIn(certificate);
  const [only] = all;
  if (only !== undefined && all.length === 1) return only;
  const privateKey = createPrivateKey(key);
  const ofKey = all.filter((each) => each.checkPrivateKey(privateKey));
  const found = ofKey.reduce<X509Certificate | undefined>(later, undefined);
  if (found === undefined) throw new Error("the key is not the certificate's");
  return found;
}

const later = (one: X509Certificate | undefined, other: X509Certificate): X509Certificate =>
  one === undefined || Date.parse(other.validTo) > Date.parse(one.validTo) ? other : one;

function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} is damaged; remove it to create a new one`, { cause: error });
  }
}
