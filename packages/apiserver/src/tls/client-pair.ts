// A certificate that the server shows where it is the client, from files that are read again when they change.
import type { ClientPair } from "@orch/extensions";
import { errorFields, readCertificates, readKeyOf } from "@orch/platform";
import type { Logger } from "../logging/logger";
import { watchFiles } from "../option-files/watched-files";

export interface PairFiles {
  readonly certificate: { readonly option: string; readonly path: string };
  readonly key: { readonly option: string; readonly path: string };
}

export class WatchedPair {
  private pair: ClientPair;
  private readonly stopWatching: () => void;

  /** @throws Error that names the option for a file that cannot be read, or does not hold what it should */
  constructor(
    private readonly files: PairFiles,
    logger: Logger,
  ) {
    this.pair = this.read();
    this.stopWatching = watchFiles([files.certificate.path, files.key.path], () => {
      try {
        this.pair = this.read();
        logger.info("the client certificate was read again", { option: files.certificate.option });
      } catch (error) {
        logger.warn("a changed client certificate cannot be used yet", { error: errorFields(error)["error"] });
      }
    });
  }

  /** The same object as long as the files are the same. */
  get current(): ClientPair {
    return this.pair;
  }

  close(): void {
    this.stopWatching();
  }

  private read(): ClientPair {
    const { certificate, key } = this.files;
    const cert = readCertificates(certificate.option, certificate.path);
    return { cert, key: readKeyOf(cert, key.option, key.path) };
  }
}
