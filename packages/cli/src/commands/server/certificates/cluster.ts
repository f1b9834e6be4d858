// `orch cert cluster` and `orch cert rotate`: a folder with the authorities of a highly available cluster, and a folder
// of files for each machine. Both commands bring the folder up to date, and may be repeated.
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAddress, makeCertificate, makeFolder, systemFault } from "@orch/platform";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { AUTHORITY_NAMES, Authorities, authorityFolder, ROTATION_STEPS, type RotationStep } from "./authorities";
import { type ClusterRecord, foldersOf, type Machine, type PlannedPair, plannedPairs, urlOf } from "./cluster-plan";
import { leafOf, pairPaths, readPair, replaceFile, usageOf, writePair } from "./pair-files";

export interface ClusterOptions {
  readonly machine?: readonly string[];
  readonly address?: readonly string[];
  readonly port?: string;
  readonly renew?: boolean;
}

const RECORD = "cluster.json";
const DAY_MS = 86_400_000;
/** Certificates that end earlier are issued anew. */
const RENEWED_WITHIN_DAYS = 30;
const DEFAULT_PORT = 8443;
const OWNER_ONLY = 0o600;
const FOR_ALL = 0o644;

export function makeCluster(session: Session, folder: string, options: ClusterOptions): void {
  const record = recordOf(folder, options, session.options.vocabulary);
  makeFolder(folder, 0o700);
  put(join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`, OWNER_ONLY);
  bringUpToDate(session, { folder, record, renewsAll: options.renew === true });
}

export function rotate(session: Session, folder: string, name: string, step: string): void {
  const record = knownRecord(folder);
  if (record === undefined)
    throw new CliError(`${folder} has no ${RECORD}: make its certificates with orch cert cluster first`);
  const of = oneOf("authority", name, AUTHORITY_NAMES);
  authoritiesIn(session, folder).rotate(of, oneOf("step", step, ROTATION_STEPS));
  bringUpToDate(session, { folder, record, renewsAll: false });
  session.write(`${AFTER_STEP[step as RotationStep]}\n`);
}

const AFTER_STEP = {
  trust: "Copy the files to all machines, and to all clients, before the step use.",
  use: "Copy the files to all machines before the step finish. Clients need new certificates before it too.",
  finish: "Copy the files to all machines.",
} as const satisfies Record<RotationStep, string>;

const authoritiesIn = (session: Session, folder: string): Authorities =>
  new Authorities(authorityFolder(folder), session.io.now());

interface Update {
  readonly folder: string;
  readonly record: ClusterRecord;
  readonly renewsAll: boolean;
}

function bringUpToDate(session: Session, { folder, record, renewsAll }: Update): void {
  const authorities = authoritiesIn(session, folder);
  const nowMs = session.io.now();
  for (const name of authorities.complete()) session.write(`made the authority ${name}\n`);
  for (const pair of plannedPairs(record)) {
    const reason = renewsAll ? "renewed" : reasonToIssue(folder, pair, { authorities, nowMs });
    if (reason === undefined) continue;
    const { subject, usage, authority, path } = pair;
    const made = makeCertificate({ subject, usage, issuer: authorities.issuer(authority), nowMs });
    writePair(join(folder, dirname(path)), basename(path), made);
    const until = new Date(new X509Certificate(made.certificate).validTo).toISOString().slice(0, 10);
    session.write(`issued ${pairPaths(folder, path).certificate} until ${until}: ${reason}\n`);
  }
  for (const machine of record.machines) writeShared(folder, { machine, record, authorities });
  put(join(folder, "etcd-ca.crt"), authorities.trusted("etcd-ca"), FOR_ALL);
  put(join(folder, "ca.crt"), authorities.trusted("ca"), FOR_ALL);
  writeConfigurations(folder, { record, authorities });
}

interface Issuing {
  readonly authorities: Authorities;
  readonly nowMs: number;
}

/** Returns why a certificate is issued; undefined for one that serves. */
function reasonToIssue(folder: string, pair: PlannedPair, { authorities, nowMs }: Issuing): string | undefined {
  const { certificate: path, key } = pairPaths(folder, pair.path);
  if (!existsSync(path) || !existsSync(key)) return "new";
  const found = leafOf(readPair(folder, pair.path).certificate, path);
  const issuer = leafOf(authorities.issuer(pair.authority).certificate, pair.authority);
  if (!found.checkIssued(issuer) || !found.verify(issuer.publicKey)) return "it has another authority now";
  if (Date.parse(found.validTo) - nowMs < RENEWED_WITHIN_DAYS * DAY_MS) return "the former one was about to end";
  return sameNames(usageOf(found), pair.usage) ? undefined : "its addresses have changed";
}

function sameNames(found: PlannedPair["usage"], wanted: PlannedPair["usage"]): boolean {
  const namesOf = (usage: PlannedPair["usage"]) => ("names" in usage ? [...usage.names].sort().join() : "");
  return namesOf(found) === namesOf(wanted);
}

interface Shared {
  readonly machine: Machine;
  readonly record: ClusterRecord;
  readonly authorities: Authorities;
}

/** Writes the files of a machine that are no certificates of its own. */
function writeShared(folder: string, { machine, record, authorities }: Shared): void {
  const { orch, etcd, etcdClient } = foldersOf(machine);
  put(join(folder, orch, "ca.crt"), authorities.trusted("ca"), FOR_ALL);
  for (const each of [etcd, etcdClient]) put(join(folder, each, "ca.crt"), authorities.trusted("etcd-ca"), FOR_ALL);
  put(join(folder, orch, "service-account.key"), authorities.signingKey("service-account"), OWNER_ONLY);
  put(join(folder, orch, "service-account.pub"), authorities.verifyingKeys("service-account"), FOR_ALL);
  const { configurationText } = require("@orch/client") as typeof import("@orch/client");
  const name = "controller-manager";
  const configuration = {
    clusters: new Map([["orch", { server: urlOf(record), "certificate-authority": "ca.crt" }]]),
    users: new Map([[name, { "client-certificate": `${name}.crt`, "client-key": `${name}.key` }]]),
    contexts: new Map([["orch", { cluster: "orch", user: name }]]),
    currentContext: "orch",
  };
  put(join(folder, orch, `${name}.kubeconfig`), configurationText(configuration), OWNER_ONLY);
}

/** Writes client configurations that contain their certificates, for people on other machines. */
function writeConfigurations(
  folder: string,
  { record, authorities }: { readonly record: ClusterRecord; readonly authorities: Authorities },
): void {
  const { configurationFor, configurationText } = require("@orch/client") as typeof import("@orch/client");
  const configuration = configurationFor({
    name: "orch",
    server: urlOf(record),
    ca: authorities.trusted("ca"),
    user: readPair(folder, "admin"),
  });
  put(join(folder, "admin.kubeconfig"), configurationText(configuration), OWNER_ONLY);
}

/** Writes a file, unless it has the content already. */
function put(path: string, text: string, mode: number): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  makeFolder(dirname(path), 0o700);
  replaceFile(path, text, mode);
}

function knownRecord(folder: string): ClusterRecord | undefined {
  const path = join(folder, RECORD);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8")) as ClusterRecord;
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${systemFault(error)}`);
  }
}

/** Merges the options into what is known. A machine of a known name gets another address. */
function recordOf(folder: string, options: ClusterOptions, vocabulary: ClusterRecord["vocabulary"] | undefined) {
  const known = knownRecord(folder);
  const machines = new Map((known?.machines ?? []).map((each) => [each.name, each]));
  for (const text of options.machine ?? []) {
    const machine = machineOf(text);
    machines.set(machine.name, machine);
  }
  if (machines.size === 0)
    throw new CliError("--machine is required the first time, such as --machine=m1=192.0.2.11; it may be repeated");
  const port = options.port === undefined ? (known?.port ?? DEFAULT_PORT) : Number(options.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CliError(`--port: ${JSON.stringify(options.port)} is not a port: use a number from 1 to 65535`);
  return {
    machines: [...machines.values()],
    addresses: (options.address ?? known?.addresses ?? []).map((each) => nameOrAddress("address", each)),
    port,
    vocabulary: vocabulary ?? known?.vocabulary ?? "orch",
  } satisfies ClusterRecord;
}

const RESERVED_NAMES: readonly string[] = ["authority"];

function machineOf(text: string): Machine {
  const [, name = "", address = ""] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) || RESERVED_NAMES.includes(name))
    throw new CliError(
      `--machine: ${JSON.stringify(text)} must be NAME=ADDRESS, with a name of small letters, digits and "-", and not "authority"`,
    );
  return { name, address: nameOrAddress("machine", address) };
}

function nameOrAddress(option: string, text: string): string {
  if (isAddress(text) || /^(\*\.)?[A-Za-z0-9]([\w-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([\w-]*[A-Za-z0-9])?)*$/.test(text))
    return text;
  throw new CliError(`--${option}: ${JSON.stringify(text)} is neither an IP address nor a DNS name`);
}

function oneOf<Name extends string>(what: string, text: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new CliError(`${JSON.stringify(text)} is no ${what}: use ${names.join(", ")}`);
  return found;
}
