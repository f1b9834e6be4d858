// Serving certificates and trusted client authorities: from files, which are read again when they change, or from the
// server's own authority, which renews its certificates.
import {
  type Clock,
  errorFields,
  type Log,
  type NamedPair,
  type PairFiles,
  pairFilesIn,
  readCertificates,
  readKeyOf,
  readNamedPair,
} from "@orch/platform";
import { type ReloadMetrics, reloadWhenChanged, type ServerConfig, showCertificateEnd } from "@orch/server-config";
import type { TlsMaterial } from "../http/secure-listener";
import { OWN_CLIENTS_NAME, type SelfSignedCa } from "./self-signed-ca";

/** PEM; "" for none. */
export interface ClientAuthorities {
  readonly clients: string;
  /** Authorities of authenticating front proxies. */
  readonly proxies: string;
}

/** Files in the usual order of replacement, certificate before key: the first one alone does not match. */
const FILES = ["tls-cert-file", "tls-private-key-file", "client-ca-file", "requestheader-client-ca-file"] as const;

/** Content of the files. */
interface Contents extends ClientAuthorities {
  /** Undefined when the options name no certificate. */
  readonly serving: { readonly cert: string; readonly key: string } | undefined;
  readonly named: readonly NamedPair[];
}

const SNI = "tls-sni-cert-key";

function forOwnClients({ ownServing }: SelfSignedCa): readonly NamedPair[] {
  if (ownServing === undefined) return [];
  return [{ cert: ownServing.certificate, key: ownServing.key, names: [OWN_CLIENTS_NAME] }];
}

export interface ServingTlsDeps {
  readonly config: ServerConfig;
  /** Required when the options name no certificate; its client certificates are accepted too. */
  readonly authority: SelfSignedCa | undefined;
  readonly logger: Log;
  readonly metrics: ReloadMetrics;
  readonly clock: Clock;
}

/**
 * Interval of renewal checks. A certificate is renewed a month before it expires. A server that started with a wrong
 * clock has certificates that are not valid once the clock is right; it must recover within a minute, with its clients.
 */
const RENEWAL_EVERY_MS = 15_000;

export class ServingTls {
  private contents: Contents | undefined;
  private stops: readonly (() => void)[] = [];
  private cancelRenewal: (() => void) | undefined;
  private readonly onRenewals = new Set<() => void>();
  /** Follow-up actions of the last renewal that are not done yet. */
  private toDo = new Set<() => void>();
  private readonly namedFiles: readonly PairFiles[];

  /** @throws Error for a value of `--tls-sni-cert-key` that is no pair of files */
  constructor(private readonly deps: ServingTlsDeps) {
    this.namedFiles = deps.config[SNI].map((text) => pairFilesIn(SNI, text));
  }

  /** @throws Error that names the option for a file that cannot be read or has wrong content */
  material(): TlsMaterial {
    const { authority } = this.deps;
    const { clients, proxies } = this.authorities();
    // Some clients send a certificate only when the server names its authority.
    const ca = [clients, proxies].filter((pem) => pem !== "").join("\n");
    const { serving, named } = this.inForce();
    if (serving !== undefined) return { ...serving, ca, ...(named.length > 0 && { named }) };
    if (authority === undefined) throw new Error("no serving certificate");
    const { certificate: cert, key } = authority.serving;
    const all = [...named, ...forOwnClients(authority)];
    return { cert, key, ca, ...(all.length > 0 && { named: all }) };
  }

  /** Authorities of accepted clients and of front proxies. @throws Error as above */
  authorities(): ClientAuthorities {
    const { clients, proxies } = this.inForce();
    return {
      clients: [this.deps.authority?.ca.certificate ?? "", clients].filter((pem) => pem !== "").join("\n"),
      proxies,
    };
  }

  /**
   * @param use throws when the material does not match; the former material then stays in use until the files change
   * again
   */
  watch(use: (material: TlsMaterial) => void): void {
    const { config } = this.deps;
    const useAndShow = () => {
      use(this.material());
      this.showEnds();
    };
    this.showEnds();
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
          useAndShow();
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
    this.onRenewal(useAndShow);
    this.planRenewal();
  }

  /** Shows in the metrics when the certificates in use expire. */
  private showEnds(): void {
    const { metrics } = this.deps;
    const { clients, proxies } = this.authorities();
    const { cert, named = [] } = this.material();
    showCertificateEnd(metrics, "tls-cert-file", String(cert));
    showCertificateEnd(metrics, SNI, named.map((pair) => pair.cert).join("\n"));
    showCertificateEnd(metrics, "client-ca-file", clients);
    showCertificateEnd(metrics, "requestheader-client-ca-file", proxies);
  }

  /** The last usable version of each file. */
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

  /** @param act called after each renewal; retried later when it throws */
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

  /** Runs an action. A failed one is retried long before a certificate expires. */
  private attempt(act: () => void): boolean {
    const { logger } = this.deps;
    try {
      act();
      return true;
    } catch (error) {
      logger.warn("cannot renew a certificate or announce it", errorFields(error));
      return false;
    }
  }

  close(): void {
    for (const stop of this.stops) stop();
    this.cancelRenewal?.();
  }
}
