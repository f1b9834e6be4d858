// One certificate authority per test file, which issues certificates and tokens.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository, type Workplace } from "./processes";

export interface CertificateFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Credentials of a client: the trusted authority, and a certificate, a token or neither. */
export interface Credentials {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly token?: string;
}

export class Authority {
  private readonly folder: string;
  private readonly issued = new Set<string>();

  constructor(workplace: Workplace) {
    this.folder = workplace.folder();
  }

  /**
   * Issues a certificate for serving 127.0.0.1 and for clients; the same name returns the same pair.
   * @param of.names additional server names
   */
  issue(
    name: string,
    { groups = [], names = [] }: { groups?: readonly string[]; names?: readonly string[] } = {},
  ): CertificateFiles {
    if (this.issued.has(name)) return this.files(name);
    const script = join(repository, "scripts/certificates.mjs");
    const organizations = groups.flatMap((group) => ["--o", group]);
    const hosts = ["127.0.0.1", "localhost", ...names].flatMap((host) => ["--host", host]);
    execFileSync(process.execPath, [script, this.folder, name, ...organizations, ...hosts]);
    this.issued.add(name);
    return this.files(name);
  }

  /** Client certificate credentials of a user with groups. */
  user(name: string, groups: readonly string[] = []): Credentials {
    const { ca, cert, key } = this.issue(name, { groups });
    return { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
  }

  get caFile(): string {
    return join(this.folder, "ca.crt");
  }

  anonymous(): Credentials {
    return { ca: readFileSync(this.caFile) };
  }

  /**
   * Writes a token file with one user of `system:masters`, once, because servers that run read it again when it
   * changes, and returns that user's credentials.
   */
  tokenFile(): { path: string; admin: Credentials } {
    const path = join(this.folder, "tokens.csv");
    if (!existsSync(path)) writeFileSync(path, 'admin-token,admin,uid-1,"system:masters"\nviewer-token,viewer,uid-2\n');
    return { path, admin: { ...this.anonymous(), token: "admin-token" } };
  }

  private files(name: string): CertificateFiles {
    const of = (file: string) => join(this.folder, file);
    return { ca: this.caFile, cert: of(`${name}.crt`), key: of(`${name}.key`) };
  }
}
