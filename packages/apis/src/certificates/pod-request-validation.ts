// Validation of new and updated pod certificate requests. Source: pkg/apis/certificates/validation/validation.go.
import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { format, immutable, type Place, type Report, type Rule, updateValidator, validator } from "@orch/apis-model";
import { domainPrefixedPathErrors, subdomainErrors } from "@orch/machinery";
import { derValues } from "@orch/platform";
import type { certificatesV1beta1 } from "@orch/schema";
import { isSignedByItsKey } from "./certification-request";
import { publicKeyOf, requestKeyIn } from "./request-key";
import { isOwnSigner, signerName } from "./signer-name";
import { readSigningRequest } from "./signing-request";

type PodRequest = certificatesV1beta1.PodCertificateRequest;
type Spec = certificatesV1beta1.PodCertificateRequestSpec;

const UID_MAX_BYTES = 128;
const KEY_MAX_BYTES = 10 * 1024;
const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const SECONDS_MIN = 3600;
const OWN_SECONDS_MAX = 24 * 3600;
const SECONDS_MAX = 91 * 24 * 3600;

const NOT_SIGNED = "could not verify proof-of-possession signature";
const CURVES: readonly (string | undefined)[] = ["prime256v1", "secp384r1", "secp521r1"];
const RSA_BITS: readonly (number | undefined)[] = [3072, 4096];

const objectName = format(subdomainErrors);

const uid: Rule<string> = (value, at, report) => {
  if (value === "") report.invalid(at, value, "must not be empty");
  else if (value.length > UID_MAX_BYTES) report.tooLong(at, UID_MAX_BYTES);
};

function annotations(values: Readonly<Record<string, string>>, at: Place, report: Report): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(values)) {
    for (const sentence of domainPrefixedPathErrors(key.toLowerCase())) report.invalid(at, key, sentence);
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) report.tooLong(at, ANNOTATIONS_MAX_BYTES);
}

/** Bytes of a field, which JSON holds in base64. */
export const bytesOf = (encoded: string | null | undefined): Buffer => Buffer.from(encoded ?? "", "base64");

export const validatePodRequest = validator<PodRequest>(({ spec }, root, report) => {
  const at = root.field("spec");
  signerName(spec.signerName, at.field("signerName"), report);
  annotations(spec.unverifiedUserAnnotations ?? {}, at.field("unverifiedUserAnnotations"), report);
  for (const who of ["pod", "serviceAccount", "node"] as const) {
    objectName(spec[`${who}Name`], at.field(`${who}Name`), report);
    uid(spec[`${who}UID`], at.field(`${who}UID`), report);
  }
  const { maxExpirationSeconds: seconds } = spec;
  if (seconds === undefined || seconds === null)
    return report.required(at.field("maxExpirationSeconds"), "must be set");
  const max = isOwnSigner(spec.signerName, report.vocabulary) ? OWN_SECONDS_MAX : SECONDS_MAX;
  if (seconds < SECONDS_MIN || seconds > max)
    report.invalid(at.field("maxExpirationSeconds"), seconds, `must be in the range [${SECONDS_MIN}, ${max}]`);
  keyRules(spec, at, report);
});

function keyRules(spec: Spec, at: Place, report: Report): void {
  const [hasStub, hasKey, hasProof] = [spec.stubPKCS10Request, spec.pkixPublicKey, spec.proofOfPossession].map(
    (encoded) => (encoded ?? "") !== "",
  );
  if (hasStub && !hasKey && !hasProof) stub(spec, at.field("stubPKCS10Request"), report);
  else if (!hasStub && hasKey && hasProof) provenKey(spec, at, report);
  else {
    const detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set";
    report.invalid(at, "", detail);
  }
}

function stub(spec: Spec, at: Place, report: Report) {
  const bytes = bytesOf(spec.stubPKCS10Request);
  if (bytes.length > KEY_MAX_BYTES) return report.tooLong(at, KEY_MAX_BYTES);
  const request = orUndefined(() => readSigningRequest(bytes));
  if (request === undefined) return report.invalid(at, "", "must be a valid PKCS#10 CSR");
  const key = orUndefined(() => publicKeyOf(request.key));
  if (key === undefined) return report.invalid(at, "", UNKNOWN_KEY);
  const problem = keyProblem(key);
  if (problem !== undefined) report.invalid(at, "", problem);
  else if (orUndefined(() => isSignedByItsKey(request)) !== true) report.invalid(at, "", "invalid signature");
}

function provenKey(spec: Spec, at: Place, report: Report) {
  const place = at.field("pkixPublicKey");
  const proof = bytesOf(spec.proofOfPossession);
  const bytes = bytesOf(spec.pkixPublicKey);
  if (bytes.length > KEY_MAX_BYTES) return report.tooLong(place, KEY_MAX_BYTES);
  if (proof.length > KEY_MAX_BYTES) return report.tooLong(at.field("proofOfPossession"), KEY_MAX_BYTES);
  const key = pkixKey(bytes);
  if (key === undefined) return report.invalid(place, "", "must be a valid PKIX-serialized public key");
  const problem = keyProblem(key);
  if (problem !== undefined) report.invalid(place, "", problem);
  else if (!proves(key, spec.podUID, proof)) report.invalid(at.field("proofOfPossession"), "", NOT_SIGNED);
}

const UNKNOWN_KEY = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";

/** Reads a key in the form of PKIX. @returns undefined when it is none, or larger than any in use */
export function pkixKey(bytes: Buffer): KeyObject | undefined {
  return orUndefined(() => {
    const [info] = derValues(bytes);
    if (info === undefined) return undefined;
    requestKeyIn(info);
    return createPublicKey({ key: bytes, format: "der", type: "spki" });
  });
}

function keyProblem({ asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  switch (asymmetricKeyType) {
    case "ed25519":
      return undefined;
    case "ec":
      return CURVES.includes(details?.namedCurve)
        ? undefined
        : "elliptic public keys must use curve P256, P384, or P521";
    case "rsa":
      return RSA_BITS.includes(details?.modulusLength) ? undefined : "RSA keys must have modulus size 3072 or 4096";
    default:
      return UNKNOWN_KEY;
  }
}

/** Verifies the signature of the pod's UID. */
function proves(key: KeyObject, podUid: string, proof: Buffer): boolean {
  const signed = Buffer.from(podUid);
  const verified = orUndefined(() => {
    if (key.asymmetricKeyType === "ed25519") return verify(null, signed, key, proof);
    if (key.asymmetricKeyType === "ec") return verify("sha256", signed, key, proof);
    return verify("sha256", signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING }, proof);
  });
  return verified === true;
}

/** Returns the result of a function that throws for malformed input; undefined when it throws. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const validatePodRequestUpdate = updateValidator<PodRequest>((next, old, at, report) =>
  immutable(next.spec, old.spec, at.field("spec"), report),
);
