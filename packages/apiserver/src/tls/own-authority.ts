// The server's own authority and what it signs, each made anew before it ends: kept in memory for servers inside tests, or in a folder
// that is filled at first start.
import { X509Certificate } from "node:crypto";
import { PRIVILEGED_GROUP } from "@orch/auth";
import {
  AGENT_CLIENT_USAGE,
  isAddress,
  type KeyAndCertificate,
  makeCertificate,
  type Subject,
  type Usage,
} from "@orch/platform";
import { isOfDisk } from "./disk-failure";
import { folderPairs, type KeptPairs, memoryPairs } from "./kept-pairs";

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
      endOf(this.caPair) - RENEW_AUTHORITY_BEFORE_MS,
      ...leaves.map((leaf) => endOf(leaf) - RENEW_BEFORE_MS),
    ];
    this.dueMs = Math.min(...due);
    this.startMs = Math.max(...[this.caPair, ...leaves].map(startOf));
  }

  private keptCa(): KeyAndCertificate {
    const { pairs, now } = this.deps;
    const found = pairs.read("ca");
    if (found !== undefined && this.lasts(found, RENEW_AUTHORITY_BEFORE_MS)) return found;
    const subject = { commonName: CA_NAME };
    const ca = makeCertificate({ subject, usage: { kind: "authority" }, nowMs: now(), kept: found?.key });
    return this.keep("ca", ca, found !== undefined && this.lasts(found, 0) ? found : undefined);
  }

  private keptServing(): KeyAndCertificate {
    const { names } = this.deps;
    const serves = ({ certificate }: KeyAndCertificate) => names.every((name) => isFor(certificate, name));
    const file = "apiserver";
    return this.kept(
      { file, fits: serves, keptNowhere: true },
      { commonName: SERVING_NAME },
      { kind: "server", names },
    );
  }

  private keptClient({ file, usage = { kind: "client" }, ...subject }: KeptClient): KeyAndCertificate {
    const fits = ({ certificate }: KeyAndCertificate) =>
      isOf(certificate, subject) && isForAgents(certificate) === (usage.kind === "agentClient");
    // Others are asked for by those who hand their files on.
    return this.kept({ file, fits, keptNowhere: file === ADMIN.file }, subject, usage);
  }

  private kept({ file, fits, keptNowhere }: LeafPlace, subject: Subject, usage: Usage): KeyAndCertificate {
    const { pairs, now } = this.deps;
    const found = pairs.read(file);
    const isGood = found !== undefined && this.lasts(found, 0) && this.isSigned(found) && fits(found);
    if (isGood && this.lasts(found, RENEW_BEFORE_MS)) return found;
    const pair = makeCertificate({ subject, usage, issuer: this.caPair, nowMs: now() });
    return this.keep(file, pair, isGood ? found : keptNowhere ? pair : undefined);
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

  private lasts(pair: KeyAndCertificate, ms: number): boolean {
    const nowMs = this.deps.now();
    return startOf(pair) <= nowMs && endOf(pair) - nowMs > ms;
  }

  private isSigned({ certificate }: KeyAndCertificate): boolean {
    return new X509Certificate(certificate).verify(new X509Certificate(this.caPair.certificate).publicKey);
  }
}

interface LeafPlace {
  readonly file: string;
  /** Whether what is found there is what is wanted. */
  readonly fits: (pair: KeyAndCertificate) => boolean;
  /** Whether it is good for the life of the process, where it cannot be kept. */
  readonly keptNowhere: boolean;
}

/** Each is asked about again whenever another one is made: it is read once. */
const times = new WeakMap<KeyAndCertificate, { readonly startMs: number; readonly endMs: number }>();

function timesOf(pair: KeyAndCertificate): { readonly startMs: number; readonly endMs: number } {
  let known = times.get(pair);
  if (known === undefined) {
    const { validFrom, validTo } = new X509Certificate(pair.certificate);
    known = { startMs: Date.parse(validFrom), endMs: Date.parse(validTo) };
    times.set(pair, known);
  }
  return known;
}

const startOf = (pair: KeyAndCertificate): number => timesOf(pair).startMs;
const endOf = (pair: KeyAndCertificate): number => timesOf(pair).endMs;

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
  notKept: AuthorityDeps["notKept"] = () => {},
): OwnAuthority => new OwnAuthority({ pairs: folderPairs(folder), names, now, notKept });

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
