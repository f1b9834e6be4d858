// `orch cert`: certificates of a connection and of folders; those that a server's own authority issued are renewed.
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { MADE_MARK, makeCertificate, type Usage } from "@orch/platform";
import type { Command } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import { collected } from "../../../process/global-options";
import type { Session } from "../../../session/session";
import { type CertificateFacts, certificateRows, factsIn, stateOf } from "./certificate-facts";
import type { ClusterOptions } from "./cluster";
import { connectionCertificates } from "./connection-certificates";
import { AUTHORITY, leafOf, namesIn, pairPaths, readPair, renewed, usageIn, writePair } from "./pair-files";

interface RenewOptions {
  readonly dataDir?: string;
  readonly newKey?: boolean;
}

interface InitOptions {
  readonly cn?: string;
  readonly group?: readonly string[];
  readonly host?: readonly string[];
  readonly agentClient?: boolean;
}

const AUTHORITY_NAME = "orch-ca";

export function define(command: Command, session: Session): void {
  command.addHelpText(
    "after",
    `
Examples:
  orch cert show                                       those of the server and of the client
  orch cert show .orch/pki                             those of a folder
  orch cert renew --data-dir=.orch                     all that the server made
  orch cert init certificates apiserver --host=api.example.com --host=10.0.0.1
  orch cert init certificates ann --group=developers
  orch cert cluster pki --machine=m1=192.0.2.11 --machine=m2=192.0.2.12 --machine=m3=192.0.2.13 --address=192.0.2.10
  orch cert rotate pki ca trust`,
  );
  command
    .command("show [path...]")
    .description("show certificates of the server and of the client, or of files and folders")
    .addOption(outputOption(["json", "yaml"]))
    .action((paths: readonly string[], { output }: { readonly output?: string }) => show(session, paths, output));
  command
    .command("renew [name...]")
    .description("issue certificates anew with the authority beside them; without names, all that the server made")
    .option("--data-dir <folder>", "data directory of the server (default: .orch)")
    .option("--new-key", "make new keys as well")
    .action((names: readonly string[], options: RenewOptions) => renew(session, names, options));
  command
    .command("init <folder> [name]")
    .description("make an authority in a folder, unless it has one, and a certificate")
    .option("--cn <name>", "common name, which is the user name of a client (default: the name)")
    .option("--group <group>", "group of the user; may be repeated", collected)
    .option("--host <name>", "name or address of the server; may be repeated", collected)
    .option("--agent-client", "certificate that an API server presents to kubelets; no API server accepts it")
    .action((folder: string, name: string | undefined, options: InitOptions) =>
      init(session, { folder, name }, options),
    );
  command
    .command("cluster <folder>")
    .description("make or renew the authorities and the certificates of a highly available cluster")
    .option("--machine <name=address>", "machine with an API server and an etcd member; may be repeated", collected)
    .option(
      "--address <address>",
      "address or name of the load balancer; may be repeated; the first is in URLs",
      collected,
    )
    .option("--port <port>", "port of the load balancer, in URLs (default: 8443)")
    .option("--renew", "issue all certificates anew, also those that have more than 30 days left")
    .action(async (folder: string, options: ClusterOptions) =>
      (await import("./cluster.js")).makeCluster(session, folder, options),
    );
  command
    .command("rotate <folder> <authority> <step>")
    .description(
      "replace ca, etcd-ca or service-account of a cluster, in the steps trust, use and finish; copy the files between",
    )
    .action(async (folder: string, authority: string, step: string) =>
      (await import("./cluster.js")).rotate(session, folder, authority, step),
    );
}

async function show(session: Session, paths: readonly string[], output: string | undefined): Promise<void> {
  const nowMs = session.io.now();
  const certificates =
    paths.length === 0 ? await ofConnection(session, nowMs) : paths.flatMap((path) => ofPath(path, nowMs));
  if (output !== undefined) session.write(formatted(certificates, output));
  else session.write(columnText(certificateRows(certificates, nowMs).map((row) => row.map(visible))));
  if (certificates.some((each) => ["expired", "not yet valid"].includes(stateOf(each, nowMs)))) session.exitCode = 1;
}

async function ofConnection(session: Session, nowMs: number): Promise<readonly CertificateFacts[]> {
  const { certificates, lacking } = await connectionCertificates(session.connection, nowMs);
  if (certificates.length === 0) throw new CliError(lacking.join("; ") || `${session.connection.server} uses no TLS`);
  for (const line of lacking) session.warn(line);
  return certificates;
}

function ofPath(path: string, nowMs: number): readonly CertificateFacts[] {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new CliError(`${path}: no such file or folder`);
  if (!isFolder) return factsIn(path, readFileSync(path, "utf8"), nowMs);
  const names = namesIn(path);
  if (names.length === 0) throw new CliError(`${path} contains no files with the ending .crt`);
  return names.flatMap((name) => {
    const file = pairPaths(path, name).certificate;
    return factsIn(file, readFileSync(file, "utf8"), nowMs);
  });
}

async function renew(
  session: Session,
  names: readonly string[],
  { dataDir = ".orch", newKey }: RenewOptions,
): Promise<void> {
  const inside = join(dataDir, "pki");
  const folder = statSync(inside, { throwIfNoEntry: false })?.isDirectory() === true ? inside : dataDir;
  const known = namesIn(folder);
  const issuer = readPair(folder, AUTHORITY);
  const authority = leafOf(issuer.certificate, AUTHORITY);
  const nowMs = session.io.now();
  const chosen = names.length > 0 ? names : known.filter((name) => name !== AUTHORITY && isRenewed(folder, name));
  const due = chosen.map((name) => {
    if (name === AUTHORITY)
      throw new CliError(`${AUTHORITY} is the authority, which its server renews a year before it expires`);
    if (!known.includes(name))
      throw new CliError(`${folder} has no certificate ${JSON.stringify(name)} (it has: ${known.join(", ")})`);
    const pair = readPair(folder, name);
    const certificate = leafOf(pair.certificate, name);
    if (certificate.issuer !== authority.subject || !certificate.verify(authority.publicKey)) {
      throw new CliError(`${name}.crt was not issued by the authority in ${folder}: renew it where it was issued`);
    }
    return { name, pair };
  });
  if (due.length === 0) throw new CliError(`${folder} has no certificates that a server made: name those to renew`);
  for (const { name, pair } of due) {
    const made = renewed(pair, issuer, { keepsKey: newKey !== true, nowMs });
    writePair(folder, name, made);
    const [facts] = factsIn(name, made.certificate, nowMs);
    session.write(`renewed ${pairPaths(folder, name).certificate} until ${facts?.notAfter.slice(0, 10)}\n`);
  }
  session.write(
    due
      .map(({ pair }) => EFFECTS[usageIn(pair)])
      .filter(isFirst)
      .join(""),
  );
}

/** Tells when a renewed certificate takes effect, by its use. */
const EFFECTS: Readonly<Record<Usage["kind"], string>> = {
  authority: "",
  server: "A running API server uses its new serving certificate within a minute, without a restart.\n",
  peer: "A running API server uses its new certificate within a minute; restart other servers that read the file.\n",
  client:
    "orch and the controllers read a new client certificate without a restart; restart other programs that read the file.\n",
  agentClient: "A running API server uses its new certificate for kubelets within a minute, without a restart.\n",
};

const isFirst = (text: string, at: number, all: readonly string[]): boolean => all.indexOf(text) === at;

function isRenewed(folder: string, name: string): boolean {
  const path = pairPaths(folder, name).certificate;
  return leafOf(readFileSync(path, "utf8"), path).raw.includes(MADE_MARK);
}

interface NewPair {
  readonly folder: string;
  readonly name: string | undefined;
}

async function init(session: Session, { folder, name }: NewPair, options: InitOptions): Promise<void> {
  const nowMs = session.io.now();
  const made: string[] = [];
  if (name !== undefined && (!/^[\w.-]+$/.test(name) || name === AUTHORITY)) {
    throw new CliError(
      `${JSON.stringify(name)} is not a name of a certificate: use letters, digits, ".", "-" and "_", and not ${AUTHORITY}`,
    );
  }
  const has = (file: string) => statSync(file, { throwIfNoEntry: false }) !== undefined;
  if (!has(pairPaths(folder, AUTHORITY).certificate)) {
    const subject = { commonName: AUTHORITY_NAME };
    writePair(folder, AUTHORITY, makeCertificate({ subject, usage: { kind: "authority" }, nowMs }));
    made.push(AUTHORITY);
  }
  if (name !== undefined) {
    const { certificate } = pairPaths(folder, name);
    if (has(certificate))
      throw new CliError(`${certificate} exists: renew it with orch cert renew --data-dir=${folder} ${name}`);
    const { cn = name, group = [], host = [], agentClient } = options;
    const usage = agentClient === true ? ({ kind: "agentClient" } as const) : ({ kind: "peer", names: host } as const);
    const issuer = readPair(folder, AUTHORITY);
    writePair(
      folder,
      name,
      makeCertificate({ subject: { commonName: cn, organizations: group }, usage, issuer, nowMs }),
    );
    made.push(name);
  }
  if (made.length === 0) throw new CliError(`${resolve(folder)} has an authority already: name a certificate to make`);
  for (const each of made) session.write(`${pairPaths(folder, each).certificate}\n${pairPaths(folder, each).key}\n`);
}
