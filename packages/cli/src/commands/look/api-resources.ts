// `orch api-resources`: what the server has, from its discovery documents.
import type { DiscoveredResource } from "@orch/client";
import type { Command } from "commander";
import { columnText } from "../../output/columns";
import { outputOption } from "../../output/format";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";

interface Options {
  readonly apiGroup?: string;
  readonly namespaced?: string;
  readonly verbs?: string;
  readonly output?: string;
  readonly headers: boolean;
  readonly sortBy?: "name" | "kind";
  readonly cached?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option("--api-group <group>", "only resources of this group")
    .option("--namespaced [true|false]", "only resources with, or without, namespaces")
    .option("--verbs <verbs>", "only resources that have all of these verbs, separated by commas")
    .option("--no-headers", "leave out the headers")
    .option("--sort-by <column>", "order by name or kind; default: by group", sortColumn)
    .option("--cached", "use the documents on disk, if there are any")
    .addOption(outputOption(["wide", "name"]));
  command.action(async (options: Options) => {
    const catalog = await session.catalog();
    const all = await catalog.all({ isFresh: options.cached !== true });
    const rows = preferred(all)
      .filter((each) => matches(each, options))
      .sort((one, other) => compared(one, other, options.sortBy));
    if (options.output === "name") {
      session.write(
        rows.map(({ resource, group }) => `${group === "" ? resource : `${resource}.${group}`}\n`).join(""),
      );
    } else session.write(columnText(tableOf(rows, options)));
    for (const { error } of await catalog.failures()) {
      session.tell(`error: ${error.message}`);
      session.exitCode = 1;
    }
  });
}

function sortColumn(text: string): "name" | "kind" {
  if (text === "name" || text === "kind") return text;
  throw new CliError(`--sort-by accepts only name and kind, not ${JSON.stringify(text)}`);
}

/** Returns each resource once, in the version that the server prefers. */
function preferred(all: readonly DiscoveredResource[]): DiscoveredResource[] {
  const seen = new Set<string>();
  return all.filter(({ group, resource }) => {
    const key = `${resource}.${group}`;
    return !seen.has(key) && seen.add(key);
  });
}

function compared(one: DiscoveredResource, other: DiscoveredResource, column: Options["sortBy"]): number {
  const keys = ({ group, resource, kind }: DiscoveredResource) =>
    column === "name" ? [resource] : column === "kind" ? [kind] : [group, resource];
  const [left, right] = [keys(one), keys(other)];
  const at = left.findIndex((key, index) => key !== right[index]);
  return at < 0 ? 0 : (left[at] as string) < (right[at] as string) ? -1 : 1;
}

function matches({ group, namespaced, verbs }: DiscoveredResource, options: Options): boolean {
  if (options.apiGroup !== undefined && group !== options.apiGroup) return false;
  if (options.namespaced !== undefined && namespaced !== (String(options.namespaced) !== "false")) return false;
  return options.verbs === undefined || options.verbs.split(",").every((verb) => verbs.includes(verb));
}

function tableOf(rows: readonly DiscoveredResource[], { output, headers }: Options): string[][] {
  const isWide = output === "wide";
  const head = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...(isWide ? ["VERBS", "CATEGORIES"] : [])];
  const cells = rows.map((each) => [
    each.resource,
    each.shortNames.join(","),
    each.group === "" ? each.version : `${each.group}/${each.version}`,
    String(each.namespaced),
    each.kind,
    ...(isWide ? [each.verbs.join(","), each.categories.join(",")] : []),
  ]);
  return headers ? [head, ...cells] : cells;
}
