// The authorities of a cluster, and the key that signs service account tokens, in the folder `authority`. A rotation has
// three steps, so that every program trusts the new one before anything of it is used:
//
//   step      issues    is trusted
//             A         A
//   trust     A         A and B
//   use       B         B and A
//   finish    B         B
//
// The files are `<name>`, `<name>-next` between trust and use, and `<name>-former` between use and finish.
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type KeyAndCertificate, makeCertificate } from "@orch/platform";
import { CliError } from "../../../process/cli-error";
import { pairPaths, readPair, writePair } from "./pair-files";

export const AUTHORITY_NAMES = ["ca", "etcd-ca", "service-account"] as const;
export type AuthorityName = (typeof AUTHORITY_NAMES)[number];

export const ROTATION_STEPS = ["trust", "use", "finish"] as const;
export type RotationStep = (typeof ROTATION_STEPS)[number];

const COMMON_NAMES = {
  ca: "orch-ca",
  "etcd-ca": "orch-etcd-ca",
  "service-account": "service-account",
} as const satisfies Record<AuthorityName, string>;

export class Authorities {
  constructor(
    private readonly folder: string,
    private readonly nowMs: number,
  ) {}

  /** Makes those that are missing. @returns their names */
  complete(): readonly AuthorityName[] {
    const missing = AUTHORITY_NAMES.filter((name) => !this.has(name));
    for (const name of missing) this.make(name, name);
    return missing;
  }

  /** @throws CliError for a pair that is missing or does not match */
  issuer(name: AuthorityName): KeyAndCertificate {
    return readPair(this.folder, name);
  }

  /** Returns the PEM texts of all certificates that are to be trusted; the issuer's is the first. */
  trusted(name: AuthorityName): string {
    return this.present(name)
      .map((each) => endedLine(readFileSync(pairPaths(this.folder, each).certificate, "utf8")))
      .join("");
  }

  /** Returns the private key that signs. PEM */
  signingKey(name: AuthorityName): string {
    return readFileSync(pairPaths(this.folder, name).key, "utf8");
  }

  /** Returns the public keys that verify what was signed before, is signed now, and is going to be. PEM */
  verifyingKeys(name: AuthorityName): string {
    return this.present(name)
      .map((each) => createPublicKey(createPrivateKey(readFileSync(pairPaths(this.folder, each).key, "utf8"))))
      .map((key) => key.export({ type: "spki", format: "pem" }) as string)
      .join("");
  }

  /** Carries out a step. A step that was interrupted is repeated. @throws CliError for a step that is not the next one */
  rotate(name: AuthorityName, step: RotationStep): void {
    const [hasNext, hasFormer] = [this.has(next(name)), this.has(former(name))];
    switch (step) {
      case "trust":
        if (hasFormer) throw wrong(name, step, "the last rotation is not finished: its next step is finish");
        if (hasNext) throw wrong(name, step, "the new one is trusted already: the next step is use");
        this.make(name, next(name));
        return;
      case "use":
        if (!hasNext) throw wrong(name, step, "there is no new one: the first step is trust");
        this.move(name, former(name));
        this.move(next(name), name);
        return;
      case "finish":
        if (!hasFormer || hasNext)
          throw wrong(name, step, "the new one is not in use: the steps are trust, use, finish");
        for (const path of Object.values(pairPaths(this.folder, former(name)))) rmSync(path, { force: true });
    }
  }

  private has(file: string): boolean {
    return existsSync(pairPaths(this.folder, file).key);
  }

  private present(name: AuthorityName): readonly string[] {
    return [name, next(name), former(name)].filter((each) => this.has(each));
  }

  /** Two authorities of one name would be hard to tell apart, for people and for verifiers. */
  private make(name: AuthorityName, file: string): void {
    const commonName = `${COMMON_NAMES[name]}-${randomBytes(4).toString("hex")}`;
    writePair(
      this.folder,
      file,
      makeCertificate({ subject: { commonName }, usage: { kind: "authority" }, nowMs: this.nowMs }),
    );
  }

  /** Moves the files that have not been moved yet. */
  private move(from: string, to: string): void {
    const [source, target] = [pairPaths(this.folder, from), pairPaths(this.folder, to)];
    for (const part of ["certificate", "key"] as const) {
      if (existsSync(source[part]) && !existsSync(target[part])) renameSync(source[part], target[part]);
    }
  }
}

export const authorityFolder = (folder: string): string => join(folder, "authority");

const next = (name: AuthorityName): string => `${name}-next`;
const former = (name: AuthorityName): string => `${name}-former`;

const endedLine = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);

const wrong = (name: AuthorityName, step: RotationStep, why: string): CliError =>
  new CliError(`${step} of ${name} is not possible: ${why}`);
