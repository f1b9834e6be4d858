// Certificate and key of a signer, reloaded from their files. Source:
// pkg/controller/certificates/signer/ca_provider.go; RFC 5280, section 4.2.1.2.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import {
  certificateBlocks,
  type IssuerNames,
  issuerNames,
  type Log,
  type SignatureScheme,
  signatureScheme,
} from "@orch/platform";

export interface SigningAuthority extends IssuerNames {
  readonly certificate: X509Certificate;
  readonly endMs: number;
  readonly key: KeyObject;
  readonly scheme: SignatureScheme;
}

/**
 * Parses a signer's certificate and key.
 * @param pair PEM
 * @throws Error for anything but one certificate and its key of a supported type; a renewed certificate may stand
 *   beside the former one
 */
export function signingAuthority({ certificate: text, key: keyText }: PairText): SigningAuthority {
  const certificates = certificateBlocks(text).map((block) => new X509Certificate(block));
  const key = createPrivateKey(keyText);
  const certificate = lastOf(certificates);
  if (!certificate.checkPrivateKey(key)) throw new Error("the key is not the certificate's");
  const { name, keyId } = issuerNames(certificate.raw);
  return { certificate, name, keyId, endMs: Date.parse(certificate.validTo), key, scheme: signatureScheme(key) };
}

/** Returns the certificate with the latest end of validity. All of them must have the same name and key. */
function lastOf(certificates: readonly X509Certificate[]): X509Certificate {
  const [last, ...others] = [...certificates].sort((one, other) => Date.parse(other.validTo) - Date.parse(one.validTo));
  const isOfLast = ({ subject, publicKey }: X509Certificate) =>
    subject === last?.subject && publicKey.equals(last.publicKey);
  if (last === undefined || !others.every(isOfLast))
    throw new Error(
      `the file must contain one certificate, or several of one name and key; it contains ${certificates.length}`,
    );
  return last;
}

interface PairText {
  readonly certificate: string;
  readonly key: string;
}

export interface PairFiles {
  /** Option that names the certificate, for messages. */
  readonly option: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * The signing certificate in a pair of files. While the files are being replaced or are not usable, the previous one
 * stays in use.
 */
export class FileAuthority {
  private complained: string | undefined;

  private constructor(
    private readonly files: PairFiles,
    private readonly log: Log,
    private text: PairText,
    private authority: SigningAuthority,
  ) {}

  /** @throws Error naming the files when they cannot sign */
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
        this.log.info("reloaded the signing certificate", { file: this.files.certificate });
      }
      this.complained = undefined;
    } catch (error) {
      const why = String(error);
      if (why !== this.complained) {
        this.log.warn("the files cannot be used for signing: the previous certificate remains in use", {
          ...this.files,
          error: why,
        });
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
