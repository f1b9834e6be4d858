// Stored values of KMS v2, and the rules for the answers of a key management service. Source: KEP-3299.

import { BufferReader, Writer } from "protobufjs/minimal";
import { EncryptedObject } from "../../generated/kms-v2";
import { keyIdentity } from "./data-keys";

/** A data key, or the seed of data keys, as encrypted by the service. */
export interface EncryptedKey {
  readonly keyId: string;
  readonly source: Buffer;
  readonly annotations: Annotations;
}

type Annotations = Readonly<Record<string, Buffer>>;

export interface StoredObject {
  readonly key: EncryptedKey;
  readonly kind: KeyKind;
  readonly sealed: Buffer;
}

/** The data key itself, or the seed from which the data key of each value is derived. */
export type KeyKind = "key" | "seed";

const KINDS: Readonly<Record<number, KeyKind>> = { 0: "key", 1: "seed" };

/** Encodes a value encrypted with a key derived from a seed. */
export function writeObject({ keyId, source, annotations }: EncryptedKey, sealed: Buffer): Buffer {
  const object = { encryptedData: sealed, keyId, encryptedKeySource: source, annotations, keySource: 1 } as const;
  const writer = EncryptedObject.encode(object, Writer.create()) as Writer;
  return writer.finish() as Buffer;
}

/** @returns the decoded value, or the description of what is wrong with it */
export function readObject(payload: Buffer): StoredObject | string {
  let object: EncryptedObject;
  try {
    object = EncryptedObject.decode(new BufferReader(payload));
  } catch {
    return "the value is not an encrypted object";
  }
  const { encryptedData: sealed, keyId = "", encryptedKeySource: source, annotations = {}, keySource = 0 } = object;
  if (sealed === undefined || sealed.length === 0) return "the encrypted object contains no data";
  const kind = KINDS[keySource];
  if (kind === undefined) return "the encrypted object has an unknown kind of data key";
  const key = { keyId, source: source ?? NOTHING, annotations };
  return encryptedKeyProblem(key) ?? { key, kind, sealed };
}

const NOTHING = Buffer.alloc(0);
const KEY_ID_MAX_BYTES = 1024;
const SOURCE_MAX_BYTES = 1024;
const ANNOTATIONS_MAX_BYTES = 32 * 1024;
/** A domain name of at least two labels. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)+$/;

/** @returns the rule that the service's answer violates */
export function encryptedKeyProblem({ keyId, source, annotations }: EncryptedKey): string | undefined {
  const idProblem = keyIdProblem(keyId);
  if (idProblem !== undefined) return KEY_ID_PROBLEM[idProblem];
  if (source.length === 0 || source.length > SOURCE_MAX_BYTES) {
    return `the encrypted data key has ${source.length} bytes; it must have 1 to ${SOURCE_MAX_BYTES}`;
  }
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations)) {
    if (!DOMAIN.test(name)) return "the name of an annotation is not a fully qualified domain name";
    bytes += name.length + value.length;
  }
  return bytes > ANNOTATIONS_MAX_BYTES
    ? `the annotations have ${bytes} bytes; at most ${ANNOTATIONS_MAX_BYTES} are allowed`
    : undefined;
}

export type KeyIdProblem = "empty" | "too_long";

export const KEY_ID_PROBLEM: Readonly<Record<KeyIdProblem, string>> = {
  empty: "the key id is empty",
  too_long: `the key id has more than ${KEY_ID_MAX_BYTES} bytes`,
};

export function keyIdProblem(keyId: string): KeyIdProblem | undefined {
  if (keyId === "") return "empty";
  return Buffer.byteLength(keyId) > KEY_ID_MAX_BYTES ? "too_long" : undefined;
}

/** Returns an identity that all values of one key share. */
export function identityOf({ keyId, source, annotations }: EncryptedKey): string {
  const pairs = Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));
  // The decoder returns an empty array for a missing value.
  const parts = pairs.flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
  return keyIdentity([source, Buffer.from(keyId), ...parts]);
}
