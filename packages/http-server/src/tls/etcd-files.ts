// CA and client certificate for etcd, read again when their files change.
import type { ClientPair } from "@orch/extensions";
import type { ReloadParts, ServerConfig } from "@orch/server-config";
import type { TlsMaterial, TlsSource } from "@orch/store";
import { type WatchedFiles, watchedCertificates, watchedPair } from "./watched-material";

type Option = "etcd-cafile" | "etcd-certfile" | "etcd-keyfile";

export class EtcdFiles implements TlsSource {
  private readonly trusted: WatchedFiles<string> | undefined;
  private readonly pair: WatchedFiles<ClientPair> | undefined;

  /**
   * @returns undefined when the options name no file
   * @throws Error that names the option for a file that cannot be read or has wrong content
   */
  static open(config: Pick<ServerConfig, Option>, parts: ReloadParts): EtcdFiles | undefined {
    return config["etcd-cafile"] === "" && config["etcd-certfile"] === "" ? undefined : new EtcdFiles(config, parts);
  }

  private constructor(config: Pick<ServerConfig, Option>, parts: ReloadParts) {
    const file = (option: Option) => ({ option, file: config[option] });
    const authority = file("etcd-cafile");
    const certificate = file("etcd-certfile");
    this.trusted = authority.file === "" ? undefined : watchedCertificates(authority, parts);
    this.pair = certificate.file === "" ? undefined : watchedPair(certificate, file("etcd-keyfile"), parts);
  }

  material(): TlsMaterial {
    const { trusted, pair } = this;
    return {
      ...(trusted === undefined ? {} : { ca: Buffer.from(trusted.current) }),
      ...(pair === undefined ? {} : { cert: Buffer.from(pair.current.cert), key: Buffer.from(pair.current.key) }),
    };
  }

  close(): void {
    this.trusted?.close();
    this.pair?.close();
  }
}
