// Certificates for connections to etcd. They are read for every connection, so renewed files are used from the next
// connection on.

import { readFile } from "node:fs/promises";

export interface TlsFiles {
  /** CA certificates that verify etcd's certificate; absent: those of the system. */
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

/** A source that reads the files itself and provides validated versions. */
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
