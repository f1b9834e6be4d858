// The server's own certificate authority and the certificates it signs, renewed before they expire: in memory for
// servers inside tests, or in a folder that is filled at the first start. Files from the operator are used as they are
// and never overwritten.
import { X509Certificate } from "node:crypto";
import { PRIVILEGED_GROUP } from "@orch/auth";
import {
  AGENT_CLIENT_USAGE,
  certificateBlocks,
  isAddress,
  type KeyAndCertificate,
  MADE_MARK,
  makeCertificate,
  type Subject,
  type Usage,
} from "@orch/platform";
import { isOfDisk } from "./disk-failure";
import { certificateOf, folderPairs, type KeyPairStore, memoryPairs } from "./key-pair-store";

export const ADMIN_USER = "admin";
/** Name by which the server's own clients ask for a certificate of its own authority. */
export const OWN_CLIENTS_NAME = "apiserver-loopback-client";
const CA_NAME = "apiserver-ca";
const SERVING_NAME = "apiserver";
const DAY_MS = 86_400_000;
/** Certificates with less validity left are renewed. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** Clients must receive the new CA certificate before the old one expires, and it signs certificates for one year. */
const RENEW_AUTHORITY_BEFORE_MS = 365 * DAY_MS;

export interface AuthorityDeps {
  readonly pairs: KeyPairStore;
  /** Names in the serving certificate. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  now(): number;
  /** Called at the start for a file that the disk did not take when the server can run without it. */
  notKept?(name: string, error: unknown): void;
  /** Called once for each operator's pair that is used in spite of a flaw. */
  warn?(text: string): void;
}

/** A user's client certificate that is kept beside the authority. */
export interface StoredClient extends Subject {
  /** Base name of its files. */
  readonly file: string;
  /** Default: a client of API servers. */
  readonly usage?: { readonly kind: "client" | "agentClient" };
}

const ADMIN: StoredClient = { file: "admin", commonName: ADMIN_USER, organizations: [PRIVILEGED_GROUP] };

export class SelfSignedCa {
  private caPair: KeyAndCertificate;
  private servingPair: KeyAndCertificate;
  /** See `ownServing`. In memory only. */
  private ownPair: KeyAndCertificate | undefined;
  /** All certificates, concatenated, at the last `renew`. */
  private told = "";
  /** Time at which the first certificate must be renewed. */
  private dueMs = 0;
  /**
   * Latest start of validity of all certificates. A clock before it was set back, and the certificates are not valid
   * yet.
   */
  private startMs = 0;
  private isRenewing = false;
  private readonly warned = new Set<string>();
  /** Client certificates by file. */
  private readonly clients = new Map<string, { readonly of: StoredClient; readonly pair: KeyAndCertificate }>();

  constructor(private readonly deps: AuthorityDeps) {
    this.caPair = this.keptCa();
    this.servingPair = this.keptServing();
    this.client(ADMIN);
  }

  /** The CA certificate and key. The key does not change, so that signed certificates stay valid. */
  get ca(): KeyAndCertificate {
    return this.caPair;
  }

  get serving(): KeyAndCertificate {
    return this.servingPair;
  }

  /**
   * Serving certificate for `OWN_CLIENTS_NAME`: it lets the server's own clients verify it when the operator's pair
   * brings no authority. Undefined while the serving pair is the server's own.
   */
  get ownServing(): KeyAndCertificate | undefined {
    if (this.isSigned(this.servingPair)) return undefined;
    this.ownPair ??= makeCertificate({
      ...{ subject: { commonName: SERVING_NAME }, usage: { kind: "server", names: [OWN_CLIENTS_NAME] } },
      ...{ issuer: this.issuer, nowMs: this.deps.now(), isMarked: true },
    });
    return this.ownPair;
  }

  /** PEM of the authorities that verify the serving certificate. A pair from the operator brings its own chain. */
  get trust(): string {
    return [this.caPair.certificate, ...this.brought].join("\n");
  }

  /** Authorities of the serving pair that the operator's pair brings. */
  private get brought(): readonly string[] {
    const { servingPair } = this;
    if (this.isSigned(servingPair)) return [];
    const shown = certificateBlocks(servingPair.certificate);
    const { subject, issuer } = certificateIn(servingPair);
    return subject === issuer ? shown : shown.slice(1);
  }

  /** Returns the name by which clients at a host verify the server; undefined when it is the host itself. */
  nameFor(host: string): string | undefined {
    const { certificate } = this.servingPair;
    if (!this.isSigned(this.servingPair) && this.brought.length === 0) return OWN_CLIENTS_NAME;
    if (isFor(certificate, host)) return undefined;
    const names = new X509Certificate(certificate).subjectAltName ?? "";
    const [, name] = /(?:DNS|IP Address):([^,*]+)/.exec(names) ?? [];
    return name;
  }

  /** Client certificate in the group with all permissions. */
  get admin(): KeyAndCertificate {
    return this.client(ADMIN);
  }

  /** Returns a client certificate that is kept, and renewed from now on. */
  client(of: StoredClient): KeyAndCertificate {
    const known = this.clients.get(of.file);
    if (known !== undefined) return known.pair;
    const pair = this.keptClient(of);
    this.clients.set(of.file, { of, pair });
    this.noteAll();
    return pair;
  }

  /**
   * Renews certificates that expire soon or are not valid yet, unless another server on the same folder has done so, and
   * takes those that another program has replaced.
   * @returns whether anything has changed
   * @throws Error when a file cannot be written; the former certificates stay in use
   */
  renew(): boolean {
    const nowMs = this.deps.now();
    const isDue = nowMs < this.startMs || nowMs >= this.dueMs;
    if (!isDue && !this.deps.pairs.hasChanged()) return false;
    this.isRenewing = true;
    try {
      this.caPair = this.keptCa();
      this.servingPair = this.keptServing();
      this.ownPair = undefined;
      for (const [file, { of }] of this.clients) this.clients.set(file, { of, pair: this.keptClient(of) });
    } finally {
      this.isRenewing = false;
    }
    const before = this.told;
    this.noteAll();
    return this.told !== before;
  }

  private noteAll(): void {
    const leaves = [this.servingPair, ...[...this.clients.values()].map(({ pair }) => pair)];
    this.told = [this.caPair, ...leaves].map(({ certificate }) => certificate).join("");
    const due = [
      this.dueOf(this.caPair, RENEW_AUTHORITY_BEFORE_MS),
      ...leaves.map((leaf) => this.dueOf(leaf, RENEW_BEFORE_MS)),
    ];
    this.dueMs = Math.min(...due);
    this.startMs = Math.max(...[this.caPair, ...leaves].map(startOf));
  }

  /** Time at which a pair is checked again: for an operator's pair, at every call. */
  private dueOf(pair: KeyAndCertificate, beforeMs: number): number {
    return isMarked(certificateIn(pair)) ? endOf(pair) - beforeMs : 0;
  }

  private keptCa(): KeyAndCertificate {
    const { pairs, now } = this.deps;
    const isOwn = (certificate: X509Certificate) => isMarked(certificate) || isFormerAuthority(certificate);
    const found = pairs.read("ca", isOwn);
    const subject = { commonName: CA_NAME };
    const usage = { kind: "authority" } as const;
    const make = (kept?: string) => makeCertificate({ subject, usage, nowMs: now(), kept, isMarked: true });
    switch (found.kind) {
      case "none":
        return this.keep("ca", make(), undefined);
      case "key":
        return this.keep("ca", make(found.key), undefined);
      case "pair": {
        const { pair, certificate } = found;
        if (!isOwn(certificate)) return this.ofOperator("ca", pair, this.authorityFlaw(pair));
        if (this.lasts(pair, RENEW_AUTHORITY_BEFORE_MS)) return pair;
        return this.keep("ca", make(pair.key), this.lasts(pair, 0) ? pair : undefined);
      }
    }
  }

  private keptServing(): KeyAndCertificate {
    const { names } = this.deps;
    const lacking = ({ certificate }: KeyAndCertificate) => names.filter((name) => !isFor(certificate, name));
    const file = "apiserver";
    return this.kept(
      {
        file,
        fits: (pair) => lacking(pair).length === 0,
        flaw: (pair) => (lacking(pair).length === 0 ? undefined : `is not for ${lacking(pair).join(", ")}`),
        keptNowhere: true,
      },
      { commonName: SERVING_NAME },
      { kind: "server", names },
    );
  }

  private keptClient({ file, usage = { kind: "client" }, ...subject }: StoredClient): KeyAndCertificate {
    const fits = ({ certificate }: KeyAndCertificate) =>
      isOf(certificate, subject) && isForAgents(certificate) === (usage.kind === "agentClient");
    const flaw = (pair: KeyAndCertificate) =>
      this.isSigned(pair) ? undefined : "is not signed by ca.crt beside it: this server does not accept it";
    // Other certificates are requested by callers that pass their files on.
    return this.kept({ file, fits, flaw, keptNowhere: file === ADMIN.file }, subject, usage);
  }

  private kept({ file, fits, flaw, keptNowhere }: LeafPlace, subject: Subject, usage: Usage): KeyAndCertificate {
    const { pairs, now } = this.deps;
    const isOwn = (certificate: X509Certificate) => isMarked(certificate) || this.isFormerLeaf(certificate, subject);
    const found = pairs.read(file, isOwn);
    const make = (kept?: string) =>
      makeCertificate({ subject, usage, issuer: this.issuer, nowMs: now(), kept, isMarked: true });
    switch (found.kind) {
      case "none":
      case "key": {
        const made = make(found.kind === "key" ? found.key : undefined);
        return this.keep(file, made, keptNowhere ? made : undefined);
      }
      case "pair": {
        const { pair, certificate } = found;
        if (!isOwn(certificate)) {
          const flaws = [this.endFlaw(pair, RENEW_BEFORE_MS), flaw(pair)].filter((each) => each !== undefined);
          return this.ofOperator(file, pair, flaws.length === 0 ? undefined : flaws.join(", and "));
        }
        const isGood = this.lasts(pair, 0) && this.isSigned(pair) && fits(pair);
        if (isGood && this.lasts(pair, RENEW_BEFORE_MS)) return pair;
        const made = make();
        return this.keep(file, made, isGood ? pair : keptNowhere ? made : undefined);
      }
    }
  }

  /**
   * Writes a pair. At a start, a full disk is tolerated when there is a pair to start with.
   * @param instead the pair to use when the disk is full
   */
  private keep(name: string, pair: KeyAndCertificate, instead: KeyAndCertificate | undefined): KeyAndCertificate {
    const { pairs, notKept } = this.deps;
    try {
      pairs.write(name, pair);
      return pair;
    } catch (error) {
      if (this.isRenewing || instead === undefined || !isOfDisk(error)) throw error;
      notKept?.(name, error);
      return instead;
    }
  }

  private ofOperator(name: string, pair: KeyAndCertificate, flaw: string | undefined): KeyAndCertificate {
    const text = `${name}.crt, which this server did not create and does not replace, ${flaw}`;
    if (flaw !== undefined && !this.warned.has(text)) this.deps.warn?.(text);
    this.warned.add(text);
    return pair;
  }

  private authorityFlaw(pair: KeyAndCertificate): string | undefined {
    return certificateIn(pair).ca ? this.endFlaw(pair, RENEW_AUTHORITY_BEFORE_MS) : "is not a CA certificate";
  }

  private endFlaw(pair: KeyAndCertificate, beforeMs: number): string | undefined {
    if (this.lasts(pair, beforeMs)) return undefined;
    if (startOf(pair) > this.deps.now()) return `is not valid before ${new Date(startOf(pair)).toISOString()}`;
    const end = new Date(endOf(pair)).toISOString();
    return this.lasts(pair, 0) ? `expires soon, at ${end}: renew it` : `has expired, at ${end}: renew it`;
  }

  /**
   * Whether an earlier version of this server made the certificate for a user. Such certificates carry no mark, because
   * the authority of that version set none.
   */
  private isFormerLeaf(certificate: X509Certificate, { commonName }: Subject): boolean {
    const authority = certificateIn(this.caPair);
    const isBefore =
      isFormerAuthority(authority) || Date.parse(certificate.validFrom) < Date.parse(authority.validFrom);
    const isOfFormer = isBefore && certificate.issuer === FORMER_ISSUER && certificate.verify(authority.publicKey);
    const names = certificate.subject.split("\n");
    return isOfFormer && names.includes(`CN=${commonName}`) && hasFormerLife(certificate, LEAF_DAYS);
  }

  /** The authority, with the certificate that matches its key; former certificates may stand beside it. */
  private get issuer(): KeyAndCertificate {
    const { caPair } = this;
    if (certificateBlocks(caPair.certificate).length === 1) return caPair;
    return { certificate: certificateIn(caPair).toString(), key: caPair.key };
  }

  private lasts(pair: KeyAndCertificate, ms: number): boolean {
    const nowMs = this.deps.now();
    return startOf(pair) <= nowMs && endOf(pair) - nowMs > ms;
  }

  private isSigned(pair: KeyAndCertificate): boolean {
    const [certificate, authority] = [certificateIn(pair), certificateIn(this.caPair)];
    return certificate.issuer === authority.subject && certificate.verify(authority.publicKey);
  }
}

const isMarked = ({ raw }: X509Certificate): boolean => raw.includes(MADE_MARK);

const FORMER_ISSUER = `CN=${CA_NAME}`;
const [AUTHORITY_DAYS, LEAF_DAYS] = [3650, 365];

function isFormerAuthority(certificate: X509Certificate): boolean {
  const { subject, issuer } = certificate;
  const isItsOwn = !isMarked(certificate) && subject === FORMER_ISSUER && issuer === FORMER_ISSUER;
  return isItsOwn && hasFormerLife(certificate, AUTHORITY_DAYS);
}

/** Earlier versions issued certificates for a number of days plus one hour before, with P-256 keys. */
function hasFormerLife({ validFrom, validTo, publicKey }: X509Certificate, days: number): boolean {
  const lifeMs = Date.parse(validTo) - Date.parse(validFrom);
  return lifeMs === days * DAY_MS + 3_600_000 && publicKey.asymmetricKeyDetails?.namedCurve === "prime256v1";
}

interface LeafPlace {
  readonly file: string;
  /** Whether an existing pair meets the requirements. */
  readonly fits: (pair: KeyAndCertificate) => boolean;
  /** Returns a warning about an operator's pair. */
  readonly flaw: (pair: KeyAndCertificate) => string | undefined;
  /** Whether the pair may live in memory only, for the life of the process, when it cannot be written. */
  readonly keptNowhere: boolean;
}

/** Parsed certificates, because each is examined again whenever another one is made. */
const certificates = new WeakMap<KeyAndCertificate, X509Certificate>();

function certificateIn(pair: KeyAndCertificate): X509Certificate {
  let certificate = certificates.get(pair);
  if (certificate === undefined) {
    certificate = certificateOf(pair);
    certificates.set(pair, certificate);
  }
  return certificate;
}

const endOf = (pair: KeyAndCertificate): number => Date.parse(certificateIn(pair).validTo);

const startOf = (pair: KeyAndCertificate): number => Date.parse(certificateIn(pair).validFrom);

/** Makes an authority in memory. */
export const makeSelfSignedCa = (names: readonly string[], now: () => number = Date.now): SelfSignedCa =>
  new SelfSignedCa({ pairs: memoryPairs(), names, now });

/**
 * Reads a folder, and makes certificates that are missing, expire soon or have other names. Only the owner can read
 * keys.
 * @throws Error that names a damaged file
 */
export const openSelfSignedCa = (
  folder: string,
  names: readonly string[],
  now: () => number = Date.now,
  told: Pick<AuthorityDeps, "notKept" | "warn"> = {},
): SelfSignedCa => new SelfSignedCa({ pairs: folderPairs(folder), names, now, ...told });

/** Makes a client certificate that the server accepts and does not keep. */
export const makeClient = (issuer: KeyAndCertificate, subject: Subject): KeyAndCertificate =>
  makeCertificate({ subject, usage: { kind: "client" }, issuer, nowMs: Date.now() });

function isFor(certificate: string, name: string): boolean {
  const parsed = new X509Certificate(certificate);
  return (isAddress(name) ? parsed.checkIP(name) : parsed.checkHost(name)) !== undefined;
}

function isOf(certificate: string, { commonName, organizations = [] }: Subject): boolean {
  const found = new X509Certificate(certificate).subject.split("\n");
  const wanted = [`CN=${commonName}`, ...organizations.map((each) => `O=${each}`)];
  return found.length === wanted.length && wanted.every((line) => found.includes(line));
}

const isForAgents = (certificate: string): boolean =>
  new X509Certificate(certificate).keyUsage?.includes(AGENT_CLIENT_USAGE) ?? false;
