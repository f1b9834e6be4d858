// What the listener shows and whom it trusts: from files, which are read again when they change, or from the server's own authority,
// which makes its certificates anew in time.
import { type Clock, errorFields, readCertificates, readKeyOf } from "@orch/platform";
import type { ServerConfig } from "../flags/server-flags";
import type { TlsMaterial } from "../http/secure-listener";
import type { Logger } from "../logging/logger";
import { watchFiles } from "../option-files/watched-files";
import type { OwnAuthority } from "./own-authority";

/** PEM; "" for none. */
export interface ClientAuthorities {
  readonly clients: string;
  /** Proxies that authenticate users. */
  readonly proxies: string;
}

export interface ServingTlsDeps {
  readonly config: ServerConfig;
  /** Needed where the options name no certificate; its clients are trusted too. */
  readonly authority: OwnAuthority | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** How often the authority looks at what it has made: a certificate has a month left when it is made anew. */
const RENEWAL_EVERY_MS = 86_400_000;

export class ServingTls {
  private stopWatching: (() => void) | undefined;
  private cancelRenewal: (() => void) | undefined;
  private readonly onRenewals = new Set<() => void>();
  /** Of these, what the last renewal has still to bring about. */
  private toDo = new Set<() => void>();

  constructor(private readonly deps: ServingTlsDeps) {}

  /** @throws Error that names the option for a file that cannot be read or does not hold what it should */
  material(): TlsMaterial {
    const { config, authority } = this.deps;
    const { clients, proxies } = this.authorities();
    // Some clients show a certificate only where its authority is named.
    const ca = [clients, proxies].filter((pem) => pem !== "").join("\n");
    if (config["tls-cert-file"] === "") {
      if (authority === undefined) throw new Error("no serving certificate");
      return { cert: authority.serving.certificate, key: authority.serving.key, ca };
    }
    const cert = readCertificates("tls-cert-file", config["tls-cert-file"]);
    return { cert, key: readKeyOf(cert, "tls-private-key-file", config["tls-private-key-file"]), ca };
  }

  /** Of all whose clients, and whose proxies, are taken. @throws Error as above */
  authorities(): ClientAuthorities {
    const { config, authority } = this.deps;
    const read = (option: "client-ca-file" | "requestheader-client-ca-file") =>
      config[option] === "" ? "" : readCertificates(option, config[option]);
    return {
      clients: [authority?.ca.certificate ?? "", read("client-ca-file")].filter((pem) => pem !== "").join("\n"),
      proxies: read("requestheader-client-ca-file"),
    };
  }

  /** @param use throws when the material does not fit together; the old one is then kept until the files change again */
  watch(use: (material: TlsMaterial) => void): void {
    const { config, logger } = this.deps;
    const files = [
      config["tls-cert-file"],
      config["tls-private-key-file"],
      config["client-ca-file"],
      config["requestheader-client-ca-file"],
    ];
    const changed = () => {
      try {
        use(this.material());
        logger.info("certificate files read again");
      } catch (error) {
        logger.warn("changed certificate files cannot be used yet", { error: errorFields(error)["error"] });
      }
    };
    this.stopWatching = watchFiles(
      files.filter((file) => file !== ""),
      changed,
    );
    this.onRenewal(() => use(this.material()));
    this.planRenewal();
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
    this.stopWatching?.();
    this.cancelRenewal?.();
  }
}
