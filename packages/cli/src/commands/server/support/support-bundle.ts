// `orch support-bundle`: one file with what helps to find a fault, without secrets.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createGzip, gunzipSync } from "node:zlib";
import type { ConnectionSettings, TextSource } from "@orch/client";
import type { Command } from "commander";
import { pack } from "tar-stream";
import { configurationOf } from "../../../connection/connection";
import { CliError } from "../../../process/cli-error";
import { PROGRAM_VERSION } from "../../../process/program-version";
import type { Session } from "../../../session/session";
import { bytesText } from "../pages/bytes-text";
import { statusOf } from "../status/status";
import { directoryParts, type Part, serverParts } from "./bundle-parts";
import { withoutSecrets } from "./secret-texts";

interface Options {
  readonly dataDir?: string;
  readonly force?: boolean;
}

/** Told to the user, and written into the bundle. */
const LEFT_OUT = `Left out of this bundle:
- objects: Secrets, ConfigMaps and all others; only their numbers are in it
- events and audit logs, which may repeat parts of objects
- keys, tokens and passwords: texts of their forms, and those of this connection, are replaced by [removed]
- credentials of the client configuration; only the names of its contexts and the kinds of the credentials are in it
- the store, backups of it, and the file explorer.url
`;

export function define(command: Command, session: Session): void {
  command
    .argument("[file]", "file to write (default: orch-support-<time>.tar.gz)")
    .option(
      "--data-dir <folder>",
      "data directory of a server on this machine, for its log and options (default: .orch, if there is one)",
    )
    .option("--force", "replace the file")
    .addHelpText("after", `\n${LEFT_OUT}\nExample:\n  orch support-bundle && tar tzf orch-support-*.tar.gz`);
  command.action(async (file: string | undefined, options: Options) => {
    const nowMs = session.io.now();
    const path =
      file ??
      `orch-support-${new Date(nowMs)
        .toISOString()
        .replace(/\.\d+Z$/, "Z")
        .replaceAll(":", "-")}.tar.gz`;
    const { parts, lacking } = await collect(session, options.dataDir, nowMs);
    const { writeWhole } = require("@orch/backup") as typeof import("@orch/backup");
    const names = await writeWhole(path, archive(parts, nowMs), {
      replaces: options.force === true,
      check: async (draft) => checked(draft, parts),
    });
    session.write(`${path}: ${names} files, ${bytesText(readFileSync(path).length)}\n`);
    for (const { name, why } of lacking) session.write(`  without ${name}: ${why}\n`);
    session.write(`\n${LEFT_OUT}`);
  });
}

async function collect(session: Session, dataDir: string | undefined, nowMs: number) {
  const { connection } = session;
  const known = credentialsOf(connection);
  const found = await serverParts(await session.client(), session.signal);
  const { isFolder } = require("@orch/backup") as typeof import("@orch/backup");
  const folder = resolve(dataDir ?? ".orch");
  if (dataDir !== undefined && !isFolder(folder)) throw new CliError(`--data-dir: ${dataDir} is no folder`);
  const versions = { command: PROGRAM_VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
  const json = (name: string, value: unknown): Part => ({ name, text: `${JSON.stringify(value, null, 2)}\n` });
  const parts: readonly Part[] = [
    json("versions/client.json", versions),
    json("status.json", await statusOf(session)),
    json("configuration/client.json", clientParts(session)),
    ...found.parts,
    ...(isFolder(folder) ? directoryParts(folder, nowMs) : []),
  ];
  const clean = parts.map(({ name, text }) => ({ name, text: withoutSecrets(text, known) }));
  const index = json("index.json", {
    ...{ created: new Date(nowMs).toISOString(), versions, lacking: found.lacking },
    files: clean.map(({ name, text }) => ({ name, bytes: Buffer.byteLength(text) })),
  });
  return { parts: [index, { name: "LEFT-OUT.txt", text: LEFT_OUT }, ...clean], lacking: found.lacking };
}

/** Returns the names in the client configuration, and which kinds of credentials the users have. */
function clientParts({ options, io, connection }: Session) {
  const { contexts, clusters, users, currentContext } = configurationOf(options, io.environment);
  return {
    server: connection.server,
    currentContext,
    contexts: Object.fromEntries(contexts),
    clusters: [...clusters].map(([name, { server }]) => ({ name, server })),
    users: [...users].map(([name, user]) => ({ name, credentials: Object.keys(user) })),
  };
}

function credentialsOf({ credentials }: ConnectionSettings): readonly string[] {
  const { token, tokenFile, certificate } = credentials;
  const sources: readonly (TextSource | undefined)[] = [
    tokenFile === undefined ? undefined : { kind: "file", path: tokenFile },
    certificate?.key,
  ];
  const texts = sources.flatMap((source) => {
    if (source === undefined) return [];
    if (source.kind === "text") return [source.text];
    try {
      return [readFileSync(source.path, "utf8")];
    } catch {
      return [];
    }
  });
  return token === undefined ? texts : [token, ...texts];
}

function archive(parts: readonly Part[], nowMs: number): AsyncIterable<Buffer> {
  const tar = pack();
  for (const { name, text } of parts)
    tar.entry({ name: `orch-support/${name}`, mtime: new Date(nowMs), mode: 0o600 }, text);
  tar.finalize();
  return tar.pipe(createGzip()) as AsyncIterable<Buffer>;
}

/** Reads the archive again. @returns the number of its files */
function checked(path: string, parts: readonly Part[]): number {
  const bytes = gunzipSync(readFileSync(path));
  for (const { name } of parts) {
    if (!bytes.includes(`orch-support/${name}`)) throw new CliError(`${path} lacks ${name}`);
  }
  return parts.length;
}
