// The server's own authority and what it signs, each made anew before it ends: kept in memory for servers inside tests, or in a folder
// that is filled at first start. What an operator has put into the folder is used as it is, and never written.
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
import { certificateOf, folderPairs, type KeptPairs, memoryPairs } from "./kept-pairs";

export const ADMIN_USER = "admin";
const CA_NAME = "apiserver-ca";
const SERVING_NAME = "apiserver";
const DAY_MS = 86_400_000;
/** What finds less time than this left is made anew. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** An authority's clients have to hear of the new certificate before the old one ends; it vouches for certificates of a year. */
const RENEW_AUTHORITY_BEFORE_MS = 365 * DAY_MS;

export interface AuthorityDeps {
  readonly pairs: KeptPairs;
  /** Under which clients find the server. */
  readonly names: readonly string[];
  /** Milliseconds since 1970. */
  now(): number;
  /** At the start: of what its disk did not take, though it goes without. */
  notKept?(name: string, error: unknown): void;
  /** Told of what is amiss with a pair of the operator's, which is used all the same: once for each. */
  warn?(text: string): void;
}

/** A user's certificate that is kept beside the authority. */
export interface KeptClient extends Subject {
  /** Names it there. */
  readonly file: string;
  /** Default: a client of API servers. */
  readonly usage?: { readonly kind: "client" | "agentClient" };
}

const ADMIN: KeptClient = { file: "admin", commonName: ADMIN_USER, organizations: [PRIVILEGED_GROUP] };

export class OwnAuthority {
  private caPair: KeyAndCertificate;
  private servingPair: KeyAndCertificate;
  /** All certificates, as they were when `renew` last said so. */
  private told = "";
  /** When the first of them is to be made anew. */
  private dueMs = 0;
  /** When the last of them begins: before it the date of the machine was set back, and what was made is not valid yet. */
  private startMs = 0;
  private isRenewing = false;
  private readonly warned = new Set<string>();
  /** By file. */
  private readonly clients = new Map<string, { readonly of: KeptClient; readonly pair: KeyAndCertificate }>();

  constructor(private readonly deps: AuthorityDeps) {
    this.caPair = this.keptCa();
    this.servingPair = this.keptServing();
    this.client(ADMIN);
  }

  /** Its key stays the same: what it has signed is good for as long as it says. */
  get ca(): KeyAndCertificate {
    return this.caPair;
  }

  get serving(): KeyAndCertificate {
    return this.servingPair;
  }

  /** PEM of the authorities by which clients verify what the server shows. An operator's own pair names those that it needs below it. */
  get trust(): string {
    const { caPair, servingPair } = this;
    if (this.isSigned(servingPair)) return caPair.certificate;
    const shown = certificateBlocks(servingPair.certificate);
    const { subject, issuer } = certificateIn(servingPair);
    return [caPair.certificate, ...(subject === issuer ? shown : shown.slice(1))].join("\n");
  }

  /** Returns the name by which clients at a host verify the server; undefined where it is the host's. */
  nameFor(host: string): string | undefined {
    const { certificate } = this.servingPair;
    if (isFor(certificate, host)) return undefined;
    const names = new X509Certificate(certificate).subjectAltName ?? "";
    const [, name] = /(?:DNS|IP Address):([^,*]+)/.exec(names) ?? [];
    return name;
  }

  /** A client certificate in the group that may do everything. */
  get admin(): KeyAndCertificate {
    return this.client(ADMIN);
  }

  /** A client certificate that is kept, and made anew in time from now on. */
  client(of: KeptClient): KeyAndCertificate {
    const known = this.clients.get(of.file);
    if (known !== undefined) return known.pair;
    const pair = this.keptClient(of);
    this.clients.set(of.file, { of, pair });
    this.noteAll();
    return pair;
  }

  /**
   * Makes anew what ends soon or is not valid yet, unless another server on the same folder already has.
   * @returns whether anything is other than it was
   * @throws Error where it cannot be kept; what there was is used on
   */
  renew(): boolean {
    const nowMs = this.deps.now();
    if (nowMs >= this.startMs && nowMs < this.dueMs) return false;
    this.isRenewing = true;
    try {
      this.caPair = this.keptCa();
      this.servingPair = this.keptServing();
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

  /** When a pair is to be looked at again: one of the operator's whenever somebody asks. */
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

  private keptClient({ file, usage = { kind: "client" }, ...subject }: KeptClient): KeyAndCertificate {
    const fits = ({ certificate }: KeyAndCertificate) =>
      isOf(certificate, subject) && isForAgents(certificate) === (usage.kind === "agentClient");
    const flaw = (pair: KeyAndCertificate) =>
      this.isSigned(pair) ? undefined : "is not signed by ca.crt beside it, so that this server does not know its user";
    // Others are asked for by those who hand their files on.
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

  /** A start is not given up for a full disk where there is something to start with. @param instead of what the disk does not take */
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
    const text = `${name}.crt, which this server has not made and does not replace, ${flaw}`;
    if (flaw !== undefined && !this.warned.has(text)) this.deps.warn?.(text);
    this.warned.add(text);
    return pair;
  }

  private authorityFlaw(pair: KeyAndCertificate): string | undefined {
    return certificateIn(pair).ca ? this.endFlaw(pair, RENEW_AUTHORITY_BEFORE_MS) : "is no certificate of an authority";
  }

  private endFlaw(pair: KeyAndCertificate, beforeMs: number): string | undefined {
    if (this.lasts(pair, beforeMs)) return undefined;
    if (startOf(pair) > this.deps.now()) return `is not valid before ${new Date(startOf(pair)).toISOString()}`;
    const end = new Date(endOf(pair)).toISOString();
    return this.lasts(pair, 0) ? `ends soon, at ${end}: renew it` : `has ended, at ${end}: renew it`;
  }

  /** Whether a former version of this server made a certificate for a user: it left no mark, as its authority had none. */
  private isFormerLeaf(certificate: X509Certificate, { commonName }: Subject): boolean {
    const authority = certificateIn(this.caPair);
    const isBefore =
      isFormerAuthority(authority) || Date.parse(certificate.validFrom) < Date.parse(authority.validFrom);
    const isOfFormer = isBefore && certificate.issuer === FORMER_ISSUER && certificate.verify(authority.publicKey);
    const names = certificate.subject.split("\n");
    return isOfFormer && names.includes(`CN=${commonName}`) && hasFormerLife(certificate, LEAF_DAYS);
  }

  /** The authority with the one of its certificates that the key is of: former ones may stand beside it. */
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

/** Former versions made certificates for a number of days and the hour before, with keys on P-256. */
function hasFormerLife({ validFrom, validTo, publicKey }: X509Certificate, days: number): boolean {
  const lifeMs = Date.parse(validTo) - Date.parse(validFrom);
  return lifeMs === days * DAY_MS + 3_600_000 && publicKey.asymmetricKeyDetails?.namedCurve === "prime256v1";
}

interface LeafPlace {
  readonly file: string;
  /** Whether what is found there is what is wanted. */
  readonly fits: (pair: KeyAndCertificate) => boolean;
  /** What users of the operator's own pair have to know of it. */
  readonly flaw: (pair: KeyAndCertificate) => string | undefined;
  /** Whether it is good for the life of the process, where it cannot be kept. */
  readonly keptNowhere: boolean;
}

/** Each is asked about again whenever another one is made: it is read once. */
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

/** In memory. */
export const makeAuthority = (names: readonly string[], now: () => number = Date.now): OwnAuthority =>
  new OwnAuthority({ pairs: memoryPairs(), names, now });

/**
 * Reads what a folder has, and makes what is missing, about to end, or for other names. Keys are readable by their owner only.
 * @throws Error that names a damaged file
 */
export const openAuthority = (
  folder: string,
  names: readonly string[],
  now: () => number = Date.now,
  told: Pick<AuthorityDeps, "notKept" | "warn"> = {},
): OwnAuthority => new OwnAuthority({ pairs: folderPairs(folder), names, now, ...told });

/** A certificate that the server takes for this user, kept nowhere. */
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
