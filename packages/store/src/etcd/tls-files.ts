// The certificates of a connection to etcd. Read, or asked for, for every connection, so that renewed ones serve from the next one on.

import { readFile } from "node:fs/promises";

export interface TlsFiles {
  /** Certificates that etcd's own must lead to; absent: the system's. */
  readonly caFile?: string;
  /** The client certificate and its key, PEM: both or neither. */
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Somebody else reads the files, and knows which of their versions are good. */
export interface TlsSource {
  material(): TlsMaterial;
}

/** @throws Error when a file cannot be read */
export async function readTlsFiles(files: TlsFiles | TlsSource): Promise<TlsMaterial> {
  if ("material" in files) return files.material();
  const [ca, cert, key] = await Promise.all(
    [files.caFile, files.certFile, files.keyFile].map((file) => (file === undefined ? undefined : readFile(file))),
  );
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}
