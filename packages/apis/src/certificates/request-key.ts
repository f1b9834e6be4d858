// The public key that a request wants certified: of a kind that signers and servers know, and of no form that costs more than a usual one.
// Source: RFC 5280, 4.1.2.7; RFC 3279, 2.3; RFC 5480, 2.1.1; RFC 8410.
import { createPublicKey, type KeyObject } from "node:crypto";
import { DER_TAG, type DerValue, derValues, objectIdentifier } from "@orch/platform";

export interface RequestKey {
  readonly kind: "rsa" | "ec" | "ed25519";
  /** SubjectPublicKeyInfo. */
  readonly der: Buffer;
}

const KINDS: Readonly<Record<string, RequestKey["kind"]>> = {
  "1.2.840.113549.1.1.1": "rsa",
  "1.2.840.10045.2.1": "ec",
  "1.3.101.112": "ed25519",
};
const CURVES: readonly string[] = ["1.3.132.0.33", "1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"];

/** As OpenSSL takes them. */
const RSA_MAX_BYTES = 2048;
/** What a signature costs to verify grows with it. 65537 is usual. */
const RSA_EXPONENT_MAX = 2 ** 31 - 1;

/** @throws RangeError for a key of any other kind, or one that is larger than any that is in use */
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
      // A curve that is not named but described may cost anything.
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

/** @throws Error for a key that is damaged */
export const publicKeyOf = ({ der }: RequestKey): KeyObject =>
  createPublicKey({ key: der, format: "der", type: "spki" });
