// What the listener shows and whom it trusts: from files, which are read again when they change, or from the server's own authority,
// which makes its certificates anew in time.
import {
  type Clock,
  errorFields,
  type NamedPair,
  type PairFiles,
  pairFilesIn,
  readCertificates,
  readKeyOf,
  readNamedPair,
} from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";
import type { TlsMaterial } from "../http/secure-listener";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";
import { reloadWhenChanged } from "../option-files/reloaded-file";
import type { OwnAuthority } from "./own-authority";

/** PEM; "" for none. */
export interface ClientAuthorities {
  readonly clients: string;
  /** Proxies that authenticate users. */
  readonly proxies: string;
}

/** In the order in which a certificate and its key are put into their places, mostly: the one that comes first does not fit alone. */
const FILES = ["tls-cert-file", "tls-private-key-file", "client-ca-file", "requestheader-client-ca-file"] as const;

/** Of the files. */
interface Contents extends ClientAuthorities {
  /** Undefined where the options name no certificate. */
  readonly serving: { readonly cert: string; readonly key: string } | undefined;
  readonly named: readonly NamedPair[];
}

const SNI = "tls-sni-cert-key";

export interface ServingTlsDeps {
  readonly config: ServerConfig;
  /** Needed where the options name no certificate; its clients are trusted too. */
  readonly authority: OwnAuthority | undefined;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly clock: Clock;
}

/**
 * How often the authority looks at what it has made. A certificate has a month left when it is made anew; but a server that started with a
 * wrong date has certificates that are not valid once the date is right, and is to recover within a minute, its clients included.
 */
const RENEWAL_EVERY_MS = 15_000;

export class ServingTls {
  private contents: Contents | undefined;
  private stops: readonly (() => void)[] = [];
  private cancelRenewal: (() => void) | undefined;
  private readonly onRenewals = new Set<() => void>();
  /** Of these, what the last renewal has still to bring about. */
  private toDo = new Set<() => void>();
  private readonly namedFiles: readonly PairFiles[];

  /** @throws Error for a value of `--tls-sni-cert-key` that is no pair of files */
  constructor(private readonly deps: ServingTlsDeps) {
    this.namedFiles = deps.config[SNI].map((text) => pairFilesIn(SNI, text));
  }

  /** @throws Error that names the option for a file that cannot be read or does not hold what it should */
  material(): TlsMaterial {
    const { authority } = this.deps;
    const { clients, proxies } = this.authorities();
    // Some clients show a certificate only where its authority is named.
    const ca = [clients, proxies].filter((pem) => pem !== "").join("\n");
    const { serving, named } = this.inForce();
    const common = { ca, ...(named.length > 0 && { named }) };
    if (serving !== undefined) return { ...serving, ...common };
    if (authority === undefined) throw new Error("no serving certificate");
    return { cert: authority.serving.certificate, key: authority.serving.key, ...common };
  }

  /** Of all whose clients, and whose proxies, are taken. @throws Error as above */
  authorities(): ClientAuthorities {
    const { clients, proxies } = this.inForce();
    return {
      clients: [this.deps.authority?.ca.certificate ?? "", clients].filter((pem) => pem !== "").join("\n"),
      proxies,
    };
  }

  /** @param use throws when the material does not fit together; the old one is then kept until the files change again */
  watch(use: (material: TlsMaterial) => void): void {
    const { config } = this.deps;
    const reading: Readonly<Record<(typeof FILES)[number], () => Partial<Contents>>> = {
      "tls-cert-file": () => ({ serving: this.readServing() }),
      "tls-private-key-file": () => ({ serving: this.readServing() }),
      "client-ca-file": () => ({ clients: this.readAuthorities("client-ca-file") }),
      "requestheader-client-ca-file": () => ({ proxies: this.readAuthorities("requestheader-client-ca-file") }),
    };
    const follow = (option: string, file: string, read: () => Partial<Contents>) =>
      reloadWhenChanged(this.deps, { option, file }, () => {
        const before = this.inForce();
        this.contents = { ...before, ...read() };
        try {
          use(this.material());
        } catch (error) {
          this.contents = before;
          throw error;
        }
      });
    const namedFiles = this.namedFiles.flatMap(({ certificate, key }) => [certificate, key]);
    this.stops = [
      ...FILES.filter((option) => config[option] !== "").map((option) =>
        follow(option, config[option], reading[option]),
      ),
      ...namedFiles.map((file) => follow(SNI, file, () => ({ named: this.readNamed() }))),
    ];
    this.onRenewal(() => use(this.material()));
    this.planRenewal();
  }

  /** Of each file its last version that could be used. */
  private inForce(): Contents {
    this.contents ??= {
      serving: this.readServing(),
      named: this.readNamed(),
      clients: this.readAuthorities("client-ca-file"),
      proxies: this.readAuthorities("requestheader-client-ca-file"),
    };
    return this.contents;
  }

  private readServing(): Contents["serving"] {
    const { config } = this.deps;
    if (config["tls-cert-file"] === "") return undefined;
    const cert = readCertificates("tls-cert-file", config["tls-cert-file"]);
    return { cert, key: readKeyOf(cert, "tls-private-key-file", config["tls-private-key-file"]) };
  }

  private readNamed(): readonly NamedPair[] {
    return this.namedFiles.map((files) => readNamedPair(SNI, files));
  }

  private readAuthorities(option: "client-ca-file" | "requestheader-client-ca-file"): string {
    const file = this.deps.config[option];
    return file === "" ? "" : readCertificates(option, file);
  }

  /** @param act whenever the authority has made something anew; tried again later where it throws */
  onRenewal(act: () => void): void {
    this.onRenewals.add(act);
  }

  private planRenewal(): void {
    const { authority, clock } = this.deps;
    if (authority === undefined) return;
    this.cancelRenewal = clock.after(RENEWAL_EVERY_MS, () => {
      this.attempt(() => {
        if (authority.renew()) this.toDo = new Set(this.onRenewals);
      });
      for (const act of this.toDo) if (this.attempt(act)) this.toDo.delete(act);
      this.planRenewal();
    });
  }

  /** What fails is tried again the next time, long before anything ends. */
  private attempt(act: () => void): boolean {
    const { logger } = this.deps;
    try {
      act();
      return true;
    } catch (error) {
      logger.warn("a certificate could not be made anew, or not be told of", errorFields(error));
      return false;
    }
  }

  close(): void {
    for (const stop of this.stops) stop();
    this.cancelRenewal?.();
  }
}
