// Certificates that the server shows where it is the client, and the authorities that it then trusts, from files that are read again when
// they change. What cannot be used changes nothing.
import type { ClientPair } from "@orch/extensions";
import { readCertificates, readKeyOf } from "@orch/platform";
import { type OptionFile, type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";

/** What files hold: the same object as long as they are the same. */
export class WatchedFiles<Contents> {
  private contents: Contents;
  private readonly stops: readonly (() => void)[];

  /** @param read throws for a file that cannot be read, or does not hold what it should @throws what it throws */
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

/** @throws Error that names the option for a file that cannot be read, or does not hold what it should */
export function watchedPair(certificate: OptionFile, key: OptionFile, parts: ReloadParts): WatchedFiles<ClientPair> {
  return new WatchedFiles([certificate, key], parts, () => {
    const cert = readCertificates(certificate.option, certificate.file);
    return { cert, key: readKeyOf(cert, key.option, key.file) };
  });
}

/** @returns with the certificates' PEM @throws as above */
export function watchedCertificates(file: OptionFile, parts: ReloadParts): WatchedFiles<string> {
  return new WatchedFiles([file], parts, () => readCertificates(file.option, file.file));
}
