// A local server of S3, with the package s3rver. It does not know every call: it neither lists nor ends uploads in parts.
import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface LocalS3 {
  readonly endpoint: string;
  readonly bucket: string;
  /** Credentials that the server accepts. */
  readonly credentialsFile: string;
  /** Credentials that it refuses. */
  readonly wrongCredentialsFile: string;
  close(): Promise<void>;
}

interface Server {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}

const KEY = "S3RVER";
const BUCKET = "backups";

/** Starts a server with one bucket. @param folder of its data, which is created */
export async function startS3(folder: string): Promise<LocalS3> {
  const S3rver = require("@20minutes/s3rver") as new (options: Readonly<Record<string, unknown>>) => Server;
  mkdirSync(folder, { recursive: true });
  const file = (name: string, id: string, secret: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`, { mode: 0o600 });
    return path;
  };
  const server = new S3rver({
    ...{ address: "127.0.0.1", port: 0, silent: true, directory: join(folder, "data") },
    configureBuckets: [{ name: BUCKET }],
    // It signs lists in another way than its clients.
    allowMismatchedSignatures: true,
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: BUCKET,
    credentialsFile: file("credentials", KEY, KEY),
    wrongCredentialsFile: file("wrong-credentials", "OTHERID", "verysecret"),
    close: () => server.close(),
  };
}
