// Public key of a certification request. Only key types that signers and servers support are accepted, and only forms
// of usual cost. Source: RFC 5280, section 4.1.2.7; RFC 3279, section 2.3; RFC 5480, section 2.1.1; RFC 8410.
import { createPublicKey, type KeyObject } from "node:crypto";
import { DER_TAG, type DerValue, derValues, objectIdentifier } from "@orch/platform";

export interface RequestKey {
  readonly kind: "rsa" | "ec" | "ed25519";
  /** SubjectPublicKeyInfo in DER. */
  readonly der: Buffer;
}

const KINDS: Readonly<Record<string, RequestKey["kind"]>> = {
  "1.2.840.113549.1.1.1": "rsa",
  "1.2.840.10045.2.1": "ec",
  "1.3.101.112": "ed25519",
};
const CURVES: readonly string[] = ["1.3.132.0.33", "1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"];

/** Maximum size of an RSA modulus that OpenSSL accepts, in bytes. */
const RSA_MAX_BYTES = 2048;
/** Maximum RSA exponent, which determines the cost of verification. 65537 is usual. */
const RSA_EXPONENT_MAX = 2 ** 31 - 1;

/** Reads a key. @throws RangeError for another key type, or for a key that is larger than any in use */
export function requestKeyIn(info: DerValue): RequestKey {
  const [algorithm, bits] = derValues(info.content);
  const [id, parameters] = derValues(algorithm?.content ?? NOTHING);
  const kind = id === undefined ? undefined : KINDS[objectIdentifier(id.content)];
  switch (kind) {
    case undefined:
      throw new RangeError("the key is of an unknown kind");
    case "rsa":
      checkRsa(bits);
      break;
    case "ec":
      // A curve given by its parameters could have any cost.
      if (parameters?.tag !== DER_TAG.objectIdentifier || !CURVES.includes(objectIdentifier(parameters.content)))
        throw new RangeError("the key is of an unknown curve");
      break;
    case "ed25519":
      break;
  }
  return { kind, der: info.bytes };
}

const NOTHING = Buffer.alloc(0);

function checkRsa(bits: DerValue | undefined): void {
  const [key] = derValues(bits?.content.subarray(1) ?? NOTHING);
  const [modulus, exponent] = derValues(key?.content ?? NOTHING);
  if (modulus === undefined || exponent === undefined) throw new RangeError("parts of the key are missing");
  if (modulus.content.length > RSA_MAX_BYTES + 1) throw new RangeError("the key is too large");
  const { length } = exponent.content;
  if (length === 0 || length > 4 || exponent.content.readUIntBE(0, length) > RSA_EXPONENT_MAX)
    throw new RangeError("the key's exponent is too large");
}

/** Returns the key object. @throws Error for an invalid key */
export const publicKeyOf = ({ der }: RequestKey): KeyObject =>
  createPublicKey({ key: der, format: "der", type: "spki" });
