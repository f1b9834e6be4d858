// `orch status`: the health of a server check by check, its replicas, leaders, store, certificates and versions.
import { StatusError } from "@orch/machinery";
import { isLoopback } from "@orch/platform";
import type { Command } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import { PROGRAM_VERSION } from "../../../process/program-version";
import type { Session } from "../../../session/session";
import { type CertificateFacts, certificateRows, stateOf } from "../certificates/certificate-facts";
import { connectionCertificates } from "../certificates/connection-certificates";
import { bytesText } from "../pages/bytes-text";
import { type BackupFigures, type StoreFigures, storeFigures } from "../pages/store-figures";
import { type Health, healthAt } from "./health";
import { type Endpoint, endpointsOf, type Leader, leasesOf, type Replica } from "./replicas";

export interface ServerStatus {
  readonly server: string;
  readonly healthy: boolean;
  /** Reasons why the server is not healthy. */
  readonly problems: readonly string[];
  readonly versions: { readonly client: string; readonly server: string; readonly platform: string };
  readonly readyz: Health;
  readonly livez: Health;
  readonly endpoints: readonly Endpoint[];
  readonly replicas: readonly Replica[];
  readonly leaders: readonly Leader[];
  readonly store: StoreFigures | undefined;
  readonly certificates: readonly CertificateFacts[];
  /** Parts that could not be read, and why. */
  readonly unavailable: readonly string[];
}

const HEALTH_TIMEOUT_MS = 10_000;

export function define(command: Command, session: Session): void {
  command.addOption(outputOption(["json", "yaml"])).addHelpText(
    "after",
    `
Exit code 1 means that a check fails, a leader lease has expired, or a certificate is not valid.

Examples:
  orch status
  orch status -o json | jq .problems`,
  );
  command.action(async ({ output }: { readonly output?: string }) => {
    const status = await statusOf(session);
    session.write(output === undefined ? textOf(status, session.io.now()) : formatted(status, output));
    if (!status.healthy) session.exitCode = 1;
  });
}

/** Reads the status. A part that the user may not read, or that the server lacks, is left out and named. */
export async function statusOf(session: Session): Promise<ServerStatus> {
  const client = await session.client();
  const { connection } = session;
  const nowMs = session.io.now();
  const unavailable: string[] = [];
  const attempt = async <Part>(what: string, read: () => Promise<Part>): Promise<Part | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      unavailable.push(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const [readyz, livez] = await Promise.all([
    healthAt(client, "/readyz", HEALTH_TIMEOUT_MS),
    healthAt(client, "/livez", HEALTH_TIMEOUT_MS),
  ]);
  const version = (await attempt("version", () => client.getJson("/version"))) as Readonly<Record<string, string>>;
  const leases = await attempt("leases", () => leasesOf(client, nowMs));
  const store = await attempt("store", () => storeFigures(client));
  const endpoints = await attempt("endpoints", () =>
    endpointsOf({
      // Endpoints warn that slices replace them. The servers publish both.
      client: session.newClient({ vocabulary: client.vocabulary, onWarning: () => {} }),
      connection,
      clientAt: (other) => session.newClient({ connection: other, vocabulary: client.vocabulary }),
    }),
  );
  const { certificates, lacking } = await connectionCertificates(connection, nowMs);
  const parts = {
    ...{ readyz, livez, store, certificates },
    endpoints: endpoints ?? [],
    replicas: leases?.replicas ?? [],
    leaders: leases?.leaders ?? [],
  };
  const problems = problemsOf(parts, nowMs);
  return {
    server: connection.server,
    healthy: problems.length === 0,
    problems,
    versions: { client: PROGRAM_VERSION, server: version?.["gitVersion"] ?? "", platform: version?.["platform"] ?? "" },
    ...parts,
    unavailable: [...unavailable, ...lacking],
  };
}

type Parts = Omit<ServerStatus, "server" | "healthy" | "problems" | "versions" | "unavailable">;

function problemsOf({ readyz, livez, endpoints, leaders, store, certificates }: Parts, nowMs: number): string[] {
  const healths: [string, Health][] = [
    ["readyz", readyz],
    ["livez", livez],
  ];
  for (const { address, ready } of endpoints) if (ready !== undefined) healths.push([`readyz of ${address}`, ready]);
  const unreadable = store?.unreadable ?? 0;
  return [
    ...healths.flatMap(([name, health]) => failuresOf(name, health)),
    ...leaders
      .filter(({ state }) => state === "expired")
      .map(({ lease, holder, renewed }) => `lease ${lease}: ${holder} has not renewed it since ${renewed}`),
    ...(unreadable > 0 ? [`store: ${unreadable} objects cannot be read`] : []),
    ...certificates
      .filter((each) => !["ok", "expires soon"].includes(stateOf(each, nowMs)))
      .map((each) => `certificate ${each.name}: ${stateOf(each, nowMs)} (${each.notBefore} to ${each.notAfter})`),
  ];
}

function failuresOf(name: string, { isOk, checks, problem }: Health): string[] {
  if (isOk) return [];
  const failed = checks.filter((each) => !each.isOk);
  if (failed.length === 0) return [`${name}: ${problem ?? "fails"}`];
  return failed.map((each) => `${name}: ${each.name} ${each.text}`);
}

function textOf(status: ServerStatus, nowMs: number): string {
  const { server, versions, readyz, livez, endpoints, replicas, leaders, store, certificates } = status;
  const names = [...new Set([...readyz.checks, ...livez.checks].map(({ name }) => name))];
  const stateIn = ({ checks }: Health, name: string) => {
    const check = checks.find((each) => each.name === name);
    return check === undefined ? "-" : check.isOk ? "ok" : `FAILS ${check.text}`.trim();
  };
  const ageOf = (time: string) =>
    time === "" ? "" : `${Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000))}s ago`;
  const sections: (readonly (readonly string[])[])[] = [
    [
      ["Server:", server],
      ["Version:", `${versions.server} (${versions.platform}); command: ${versions.client}`],
      ["Health:", status.healthy ? "ok" : `NOT HEALTHY (${status.problems.length})`],
      ...(store === undefined ? [] : [["Store:", storeText(store)]]),
      ...(store?.backups === undefined ? [] : [["Backup:", backupText(store.backups, ageOf(store.backups.last))]]),
    ],
    table(
      ["CHECK", "READYZ", "LIVEZ"],
      names.map((name) => [name, stateIn(readyz, name), stateIn(livez, name)]),
    ),
    table(
      ["ENDPOINT", "READY"],
      endpoints.map(({ address, ready }) => [
        address,
        ready === undefined ? unreachable(server) : ready.isOk ? "ok" : "FAILS",
      ]),
    ),
    table(
      ["REPLICA", "HOST", "SEEN", "STATE"],
      replicas.map(({ identity, host, renewed, isAlive }) => [
        identity,
        host,
        ageOf(renewed),
        isAlive ? "alive" : "gone",
      ]),
    ),
    table(
      ["LEASE", "LEADER", "RENEWED", "TRANSITIONS", "STATE"],
      leaders.map(({ lease, holder, renewed, transitions, state }) => [
        ...[lease, holder || "-", ageOf(renewed), String(transitions)],
        state === "expired" ? "EXPIRED" : state,
      ]),
    ),
    certificates.length === 0 ? [] : certificateRows(certificates, nowMs),
    listed("Problems:", status.problems),
    listed("Not available:", status.unavailable),
  ];
  return sections
    .filter((rows) => rows.length > 0)
    .map((rows) => columnText(rows.map((row) => row.map(visible))))
    .join("\n");
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  rows.length === 0 ? [] : [head, ...rows];

const listed = (head: string, lines: readonly string[]) =>
  table(
    [head],
    lines.map((line) => [`  ${line}`]),
  );

function backupText({ last, bytes, hasFailed }: BackupFigures, age: string): string {
  const newest = last === "" ? "none yet" : `${last} (${age}), ${bytesText(bytes)}`;
  return hasFailed ? `${newest}; the last attempt FAILED: see the log of the servers` : newest;
}

function storeText({ sizes, objects, unreadable }: StoreFigures): string {
  const size = sizes.map(({ endpoint, bytes }) => `${endpoint || "store"} ${bytesText(bytes)}`);
  const count = objects === undefined ? [] : [`${objects} objects`];
  return [...size, ...count, ...(unreadable > 0 ? [`${unreadable} UNREADABLE`] : [])].join(", ");
}

/** Servers publish the address of their machine, on which a server for local clients may not listen. */
const unreachable = (server: string): string =>
  isLoopback(new URL(server).hostname.replace(/^\[|\]$/g, ""))
    ? "not reachable from here; the server may listen on its loopback address only"
    : "not reachable from here";
