// A signer's own certificate and key, as the files are now. Source: facts, flags.json "reloads"; RFC 5280, 4.2.1.2.
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  certificateBlocks,
  DER_TAG,
  type DerValue,
  derObjectIdentifier,
  derValue,
  derValues,
  type Log,
  objectIdentifier,
} from "@orch/platform";

export interface SigningAuthority {
  readonly certificate: X509Certificate;
  /** Its subject, DER. */
  readonly name: Buffer;
  /** By which those who verify find its key; undefined where its certificate has none. */
  readonly keyId: Buffer | undefined;
  readonly endMs: number;
  readonly key: KeyObject;
  readonly scheme: SignatureScheme;
}

export interface SignatureScheme {
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  /** Null where the key's kind says it. */
  readonly digest: "sha256" | "sha384" | "sha512" | null;
}

const SEQUENCE = DER_TAG.sequence;
const algorithm = (oid: string, ...parameters: readonly Buffer[]): Buffer =>
  derValue(SEQUENCE, derObjectIdentifier(oid), ...parameters);
const NULL = Buffer.from([0x05, 0x00]);

const RSA: SignatureScheme = { algorithm: algorithm("1.2.840.113549.1.1.11", NULL), digest: "sha256" };
const ED25519: SignatureScheme = { algorithm: algorithm("1.3.101.112"), digest: null };
/** Each with the digest of its size, by the names that the run time has for them. */
const BY_CURVE: Readonly<Record<string, SignatureScheme>> = {
  prime256v1: { algorithm: algorithm("1.2.840.10045.4.3.2"), digest: "sha256" },
  secp384r1: { algorithm: algorithm("1.2.840.10045.4.3.3"), digest: "sha384" },
  secp521r1: { algorithm: algorithm("1.2.840.10045.4.3.4"), digest: "sha512" },
};

/**
 * @param pair PEM
 * @throws Error for anything but one certificate and its key, of a kind that signs; a renewed certificate may stand beside the former one
 */
export function signingAuthority({ certificate: text, key: keyText }: PairText): SigningAuthority {
  const certificates = certificateBlocks(text).map((block) => new X509Certificate(block));
  const key = createPrivateKey(keyText);
  const certificate = lastOf(certificates);
  if (!certificate.checkPrivateKey(key)) throw new Error("the key is not the certificate's");
  const { name, keyId } = partsOf(certificate.raw);
  return { certificate, name, keyId, endMs: Date.parse(certificate.validTo), key, scheme: schemeOf(key) };
}

/** The one that is valid longest, of certificates of one name and key. */
function lastOf(certificates: readonly X509Certificate[]): X509Certificate {
  const [last, ...others] = [...certificates].sort((one, other) => Date.parse(other.validTo) - Date.parse(one.validTo));
  const isOfLast = ({ subject, publicKey }: X509Certificate) =>
    subject === last?.subject && publicKey.equals(last.publicKey);
  if (last === undefined || !others.every(isOfLast))
    throw new Error(`one certificate is due, there are ${certificates.length}, and not of one name and key`);
  return last;
}

function schemeOf(key: KeyObject): SignatureScheme {
  const { asymmetricKeyType: kind } = key;
  if (kind === "rsa") return RSA;
  if (kind === "ed25519") return ED25519;
  const curve = createPublicKey(key).asymmetricKeyDetails?.namedCurve ?? "";
  const scheme = kind === "ec" ? BY_CURVE[curve] : undefined;
  if (scheme === undefined) throw new Error(`keys of the kind ${kind} ${curve} do not sign here`);
  return scheme;
}

const SUBJECT_KEY_ID = "2.5.29.14";

function partsOf(raw: Buffer): { readonly name: Buffer; readonly keyId: Buffer | undefined } {
  const parts = (value: DerValue | undefined) => (value === undefined ? [] : derValues(value.content));
  const [signed] = parts(derValues(raw)[0]);
  const [first, ...others] = parts(signed);
  // A certificate of the first version says none.
  const [, , , , name] = first?.tag === DER_TAG.context0 ? [...others] : [first, ...others];
  if (name === undefined) throw new Error("the certificate has no subject");
  const extensions = parts(parts(others.find(({ tag }) => tag === DER_TAG.context3))[0]).map(parts);
  const keyId = extensions.find(([id]) => id !== undefined && objectIdentifier(id.content) === SUBJECT_KEY_ID)?.at(-1);
  return { name: name.bytes, keyId: keyId === undefined ? undefined : derValues(keyId.content)[0]?.content };
}

interface PairText {
  readonly certificate: string;
  readonly key: string;
}

export interface PairFiles {
  /** Which names the certificate's, for what is told of them. */
  readonly option: string;
  readonly certificate: string;
  readonly key: string;
}

/** The files' authority; while they are being exchanged, or hold what cannot sign, the one before. */
export class FileAuthority {
  private complained: string | undefined;

  private constructor(
    private readonly files: PairFiles,
    private readonly log: Log,
    private text: PairText,
    private authority: SigningAuthority,
  ) {}

  /** @throws Error that names the files, for what cannot sign */
  static open(files: PairFiles, log: Log): FileAuthority {
    try {
      const text = {
        certificate: readFileSync(files.certificate, "utf8"),
        key: readFileSync(files.key, "utf8"),
      };
      return new FileAuthority(files, log, text, signingAuthority(text));
    } catch (error) {
      throw new Error(
        `--${files.option}: ${files.certificate} and ${files.key} cannot sign: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
  }

  async current(): Promise<SigningAuthority> {
    try {
      const text = await textOf(this.files);
      if (text.certificate !== this.text.certificate || text.key !== this.text.key) {
        this.authority = signingAuthority(text);
        this.text = text;
        this.log.info("another certificate signs from now on", { file: this.files.certificate });
      }
      this.complained = undefined;
    } catch (error) {
      const why = String(error);
      if (why !== this.complained) {
        this.log.warn("the files cannot sign, so that what they held before does", { ...this.files, error: why });
      }
      this.complained = why;
    }
    return this.authority;
  }
}

async function textOf(files: PairFiles): Promise<PairText> {
  const [certificate, key] = await Promise.all([readFile(files.certificate, "utf8"), readFile(files.key, "utf8")]);
  return { certificate, key };
}
