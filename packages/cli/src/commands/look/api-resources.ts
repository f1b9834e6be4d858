// `orch api-resources`: what the server has, from its discovery documents.
import type { DiscoveredResource } from "@orch/client";
import type { Command } from "commander";
import { columnText } from "../../output/columns";
import { outputOption } from "../../output/format";
import type { Session } from "../../session/session";

interface Options {
  readonly apiGroup?: string;
  readonly namespaced?: string;
  readonly verbs?: string;
  readonly output?: string;
  readonly headers: boolean;
  readonly cached?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option("--api-group <group>", "only resources of this group")
    .option("--namespaced [true|false]", "only resources with, or without, namespaces")
    .option("--verbs <verbs>", "only resources that have all of these verbs, separated by commas")
    .option("--no-headers", "leave out the headers")
    .option("--cached", "use the documents on disk, if there are any")
    .addOption(outputOption(["wide", "name"]));
  command.action(async (options: Options) => {
    const catalog = await session.catalog();
    const rows = (await catalog.all({ isFresh: options.cached !== true })).filter((each) => matches(each, options));
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
