// `orch top`: what a server is busy with, and what its store holds.
import { setTimeout as pause } from "node:timers/promises";
import type { DiscoveredResource } from "@orch/client";
import { parseGoDuration } from "@orch/machinery";
import { type Command, Option } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { bytesText } from "../pages/bytes-text";
import { type Amount, type ObjectSizes, objectSizes } from "./object-sizes";
import { lookAt, type Rates, ratesBetween } from "./request-rates";

interface RequestOptions {
  readonly interval: string;
  readonly rows: string;
  readonly output?: string;
}

const GROUPINGS = ["kind", "namespace", "manager"] as const;
type Grouping = (typeof GROUPINGS)[number];

interface ObjectOptions {
  readonly by?: Grouping;
  readonly rows: string;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  command.addHelpText(
    "after",
    `
Figures of clients are those of servers that have /debug/clients. The CPU of a client is the time for which the event loop
of the server works for its requests and watches, as a share of one processor. It leaves out what requests share: TLS
handshakes, the parsing of HTTP, the store, garbage collection and other threads.

Examples:
  orch top requests --interval=10s
  orch top objects --by=manager
  orch top objects -o json | jq '.kind[0]'`,
  );
  command
    .command("requests", { isDefault: true })
    .description("rates of requests, watchers and clients, over an interval")
    .option("--interval <duration>", "time between two looks", "2s")
    .option("--rows <count>", "rows of each table", "10")
    .addOption(outputOption(["json", "yaml"]))
    .action((options: RequestOptions) => requests(session, options));
  command
    .command("objects")
    .description("numbers and bytes of objects; all objects are read, page by page")
    .addOption(new Option("--by <grouping>", "only one table").choices(GROUPINGS))
    .option("--rows <count>", "rows of each table", "10")
    .addOption(outputOption(["json", "yaml"]))
    .action((options: ObjectOptions) => objects(session, options));
}

function rowsIn(text: string): number {
  const rows = Number(text);
  if (Number.isInteger(rows) && rows > 0) return rows;
  throw new CliError(`--rows: ${JSON.stringify(text)} is not a number from 1`);
}

async function requests(session: Session, { interval, rows, output }: RequestOptions): Promise<void> {
  const waitMs = parseGoDuration(interval);
  if (waitMs === undefined || waitMs <= 0)
    throw new CliError(`--interval: ${JSON.stringify(interval)} is not a duration, such as 2s`);
  const max = rowsIn(rows);
  const client = await session.client();
  const first = await lookAt(client, session.signal);
  await pause(waitMs, undefined, { signal: session.signal });
  const rates = ratesBetween(first, await lookAt(client, session.signal));
  session.write(output === undefined ? ratesText(rates, max) : formatted(rates, output));
}

function ratesText(rates: Rates, max: number): string {
  const { seconds, perSecond, errorsPerSecond, cpu, cpuOfClients, memoryBytes, ...lists } = rates;
  const shown = (value: number) => value.toFixed(1);
  const percent = (share: number | undefined) => (share === undefined ? "-" : `${shown(share * 100)}%`);
  const forClients = cpuOfClients === undefined ? "" : `, ${percent(cpuOfClients)} of it for the clients below`;
  const head = [
    ["Requests:", `${shown(perSecond)}/s over ${shown(seconds)} s, ${shown(errorsPerSecond)}/s with server errors`],
    ["CPU:", cpu === undefined ? "not available" : `${percent(cpu)} of a processor${forClients}`],
    ["Memory:", memoryBytes === undefined ? "not available" : bytesText(memoryBytes)],
    ["Watchers:", String(lists.watchers.reduce((sum, { count }) => sum + count, 0))],
  ];
  const sections = [
    columnText(head),
    table(
      ["REQUEST", "PER SECOND", "TOTAL"],
      lists.requests.map((each) => [each.request, shown(each.perSecond), String(each.total)]),
      max,
    ),
    table(
      ["WATCHED", "WATCHERS"],
      lists.watchers.map(({ resource, count }) => [resource, String(count)]),
      max,
    ),
    lists.clients === undefined
      ? "Figures of clients: not available from this server, or to this user.\n"
      : table(
          ["USER", "PER SECOND", "REQUESTS", "CPU", "WATCHES", "PROGRAM"],
          lists.clients.map((each) => [
            ...[each.user, shown(each.perSecond), String(each.requests), percent(each.cpu)],
            ...[String(each.streams), each.userAgent],
          ]),
          max,
        ),
  ];
  return sections.filter((text) => text !== "").join("\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[], max: number): string {
  if (rows.length === 0) return "";
  const more = rows.length > max ? `... and ${rows.length - max} more\n` : "";
  return columnText([head, ...rows.slice(0, max).map((row) => row.map(visible))]) + more;
}

async function objects(session: Session, { by, rows, output }: ObjectOptions): Promise<void> {
  const max = rowsIn(rows);
  const catalog = await session.catalog();
  // All versions are read, deprecated ones too.
  const client = session.newClient({ vocabulary: catalog.client.vocabulary, onWarning: () => {} });
  const sizes = await objectSizes(client, listed(await catalog.all({ isFresh: true })), session.signal);
  const groupings = by === undefined ? GROUPINGS : [by];
  if (output !== undefined) {
    const { total, lacking } = sizes;
    const lists = groupings.map((each) => [each, sorted(sizes, each).map(([name, amount]) => ({ name, ...amount }))]);
    session.write(formatted({ total, lacking, ...Object.fromEntries(lists) }, output));
    return;
  }
  const tables = groupings.map((each) =>
    table(
      [each.toUpperCase(), "OBJECTS", "BYTES"],
      sorted(sizes, each).map(([name, amount]) => [name, ...cells(amount)]),
      max,
    ),
  );
  const { objects: count, bytes } = sizes.total;
  session.write([`${count} objects, ${bytesText(bytes)} as JSON\n`, ...tables].join("\n"));
  for (const line of sizes.lacking) session.warn(line);
}

const cells = ({ objects: count, bytes }: Amount): string[] => [String(count), bytesText(bytes)];

const sorted = (sizes: ObjectSizes, by: Grouping) =>
  [...sizes[by]].sort(([, one], [, other]) => other.bytes - one.bytes);

/** Returns one version of each resource that can be listed. Events of the core group are those of the other group. */
function listed(all: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return all.filter(({ group, resource, verbs }) => {
    const key = `${resource}.${group}`;
    const isEventCopy = resource === "events" && group !== "";
    if (seen.has(key) || isEventCopy || !verbs.includes("list") || !verbs.includes("watch")) return false;
    seen.add(key);
    return true;
  });
}
