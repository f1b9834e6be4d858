// Client certificates of the server and the authorities that it trusts as a client, read again when their files change.
// A file with faults leaves the former content in force.
import type { ClientPair } from "@orch/extensions";
import { readCertificates, readKeyOf } from "@orch/platform";
import { type OptionFile, type ReloadParts, reloadWhenChanged, showCertificateEnd } from "@orch/server-config";

/** Content of files. The same object is returned as long as the files are unchanged. */
export class WatchedFiles<Contents> {
  private contents: Contents;
  private readonly stops: readonly (() => void)[];

  /** @param read throws for a file that cannot be read or has wrong content @throws what `read` throws */
  constructor(files: readonly OptionFile[], parts: ReloadParts, read: () => Contents) {
    this.contents = read();
    this.stops = files.map((file) =>
      reloadWhenChanged(parts, file, () => {
        this.contents = read();
      }),
    );
  }

  get current(): Contents {
    return this.contents;
  }

  close(): void {
    for (const stop of this.stops) stop();
  }
}

/** @throws Error that names the option for a file that cannot be read or has wrong content */
export function watchedPair(certificate: OptionFile, key: OptionFile, parts: ReloadParts): WatchedFiles<ClientPair> {
  return new WatchedFiles([certificate, key], parts, () => {
    const cert = readCertificates(certificate.option, certificate.file);
    const pair = { cert, key: readKeyOf(cert, key.option, key.file) };
    showCertificateEnd(parts.metrics, certificate.option, cert);
    return pair;
  });
}

/** @returns the PEM of the certificates @throws as above */
export function watchedCertificates(file: OptionFile, parts: ReloadParts): WatchedFiles<string> {
  return new WatchedFiles([file], parts, () => {
    const authorities = readCertificates(file.option, file.file);
    showCertificateEnd(parts.metrics, file.option, authorities);
    return authorities;
  });
}
