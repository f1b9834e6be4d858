// Revocation of client certificates by a file of CRLs, serial numbers and public key hashes, which is read again when
// it changes. Kubernetes has no counterpart. Source: docs/authentication.md, "Revocation".
import type { X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import {
  type CertificateIdentity,
  identityOf,
  REVOCATION_FILE_MAX_BYTES,
  RevocationList,
  readRevocationFile,
} from "@orch/auth";
import { type ReloadParts, reloadWhenChanged, type ServerConfig } from "@orch/server-config";
import type { ServingTls } from "./serving-tls";

export interface RevocationParts extends ReloadParts {
  readonly config: ServerConfig;
  /** Authorities that verify the signatures of revocation lists. */
  readonly tls: Pick<ServingTls, "authorities">;
  nowMs(): number;
}

const OPTION = "client-revocation-file";
/** Maximum number of intermediate certificates from a client. */
const CHAIN_MAX_LENGTH = 8;

export class ClientRevocation {
  private list = new RevocationList();
  private stopWatching: (() => void) | undefined;

  private constructor(private readonly parts: RevocationParts) {}

  /** @returns undefined when the options name no file @throws Error that names the option and the fault of its file */
  static async open(parts: RevocationParts): Promise<ClientRevocation | undefined> {
    if (parts.config[OPTION] === "") return undefined;
    const made = new ClientRevocation(parts);
    await made.load().catch((error: Error) => {
      throw new Error(`--${OPTION}: ${error.message}`, { cause: error });
    });
    return made;
  }

  readonly isRevoked = (identity: CertificateIdentity): boolean => this.list.has(identity);

  /**
   * Whether the certificate, or an intermediate certificate sent with it, is revoked. A certificate that cannot be
   * parsed is left to verification.
   */
  revokes(certificate: X509Certificate): boolean {
    try {
      let current: X509Certificate | undefined = certificate;
      for (let length = 0; current !== undefined && length < CHAIN_MAX_LENGTH; length += 1) {
        if (this.isRevoked(identityOf(current))) return true;
        current = current.issuerCertificate;
      }
    } catch {
      // The certificate is malformed.
    }
    return false;
  }

  /** @param changed called when another list is in force */
  watch(changed: () => void | Promise<void>): void {
    this.stopWatching = reloadWhenChanged(this.parts, { option: OPTION, file: this.parts.config[OPTION] }, async () => {
      await this.load();
      await changed();
    });
  }

  close(): void {
    this.stopWatching?.();
  }

  private async load(): Promise<void> {
    const { config, tls, logger, nowMs } = this.parts;
    const { size } = await stat(config[OPTION]);
    if (size > REVOCATION_FILE_MAX_BYTES)
      throw new Error(`has ${size} bytes; at most ${REVOCATION_FILE_MAX_BYTES} are allowed`);
    const bytes = await readFile(config[OPTION]);
    if (this.list.size > 0 && bytes.toString("latin1").trim() === "") throw new Error(EMPTIED);
    const { list, warnings } = await readRevocationFile(bytes, tls.authorities().clients, nowMs());
    for (const warning of warnings.slice(0, WARNINGS_MAX)) logger.warn(`--${OPTION}: ${warning}`);
    this.list = list;
    logger.info("loaded the list of revoked certificates", { entries: list.size });
  }
}

const WARNINGS_MAX = 10;
/** An empty file is rejected, because it may be in the middle of being written: all revocations would be lost. */
const EMPTIED = "is empty, which may be an incomplete write; to revoke no certificate, write a comment to the file";
