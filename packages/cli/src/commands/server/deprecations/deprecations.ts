// `orch deprecations`: clients and stored objects that use versions of the API which the next release removes.
import type { Client } from "@orch/client";
import { isReason, StatusError } from "@orch/machinery";
import type { Command } from "commander";
import { columnText, visible } from "../../../output/columns";
import { formatted, outputOption } from "../../../output/format";
import type { Session } from "../../../session/session";
import { Metrics } from "../pages/metrics-text";
import { readText } from "../pages/page";

/** Answer of `/debug/deprecations`. */
interface Report {
  readonly release?: string;
  readonly nextRelease?: string;
  readonly requests: readonly DeprecatedUse[];
  readonly managedFields: readonly RemovedOwners[];
}

interface DeprecatedUse {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
  readonly replacement: string;
  readonly clients: readonly {
    readonly userAgent: string;
    readonly user: string;
    readonly requests: number;
    readonly lastRequest: string;
  }[];
}

interface RemovedOwners {
  readonly resource: string;
  readonly apiVersion: string;
  readonly replacement: string;
  readonly objects: number;
  readonly managers: readonly { readonly manager: string; readonly objects: number }[];
  readonly examples: readonly string[];
}

const METRIC = "apiserver_requested_deprecated_apis";

export function define(command: Command, session: Session): void {
  command.addOption(outputOption(["json", "yaml"])).addHelpText(
    "after",
    `
Requests are those since the start of the server that answers. Exit code 0 also when there are uses.

Examples:
  orch deprecations
  orch deprecations -o json | jq '.requests[].clients[].userAgent'`,
  );
  command.action(async ({ output }: { readonly output?: string }) => {
    const client = await session.client();
    const report = await deprecationsOf(client);
    session.write(output === undefined ? textOf(report) : formatted(report, output));
  });
}

/** Reads the report. Servers without one have a metric, which names no clients. @throws StatusError */
export async function deprecationsOf(client: Client): Promise<Report> {
  try {
    return (await client.getJson("/debug/deprecations")) as unknown as Report;
  } catch (error) {
    if (!(error instanceof StatusError) || !isReason(error, "NotFound")) throw error;
  }
  const metrics = new Metrics(await readText(client, "/metrics"), (name) => name === METRIC);
  const requests = metrics.of(METRIC).map(({ labels }) => ({
    group: labels["group"] ?? "",
    version: labels["version"] ?? "",
    resource: labels["resource"] ?? "",
    subresource: labels["subresource"] ?? "",
    ...{ removedRelease: labels["removed_release"] ?? "", replacement: "", clients: [] },
  }));
  return { requests, managedFields: [] };
}

function textOf({ release, nextRelease, requests, managedFields }: Report): string {
  const lines: string[] = [];
  const about = release === undefined ? "" : ` (release ${release}; next: ${nextRelease})`;
  if (requests.length === 0 && managedFields.length === 0)
    return `Nothing uses deprecated versions of the API${about}.\n`;
  if (requests.length > 0) {
    const rows = requests.flatMap((use) => {
      const { group, version, resource, subresource, removedRelease, replacement, clients } = use;
      const name = `${resource}${subresource === "" ? "" : `/${subresource}`}`;
      const place = `${group === "" ? "" : `${group}/`}${version}`;
      const start = [name, place, removedRelease || "-", replacement || "-"];
      if (clients.length === 0) return [[...start, "(not known)", "", "", ""]];
      return clients.map(({ user, userAgent, requests: count, lastRequest }) => [
        ...[...start, user, String(count), lastRequest, userAgent],
      ]);
    });
    lines.push(
      `Requests for deprecated versions${about}:`,
      table(["RESOURCE", "VERSION", "REMOVED IN", "REPLACEMENT", "USER", "REQUESTS", "LAST", "PROGRAM"], rows),
    );
  }
  if (managedFields.length > 0) {
    const rows = managedFields.map(({ resource, apiVersion, replacement, objects, managers, examples }) => [
      ...[resource, apiVersion, replacement || "-", String(objects)],
      managers.map(({ manager, objects: count }) => `${manager} (${count})`).join(", "),
      examples.slice(0, 3).join(", "),
    ]);
    lines.push(
      `Field managers of versions that ${nextRelease} does not serve:`,
      table(["RESOURCE", "VERSION", "REPLACEMENT", "OBJECTS", "MANAGERS", "EXAMPLES"], rows),
    );
  }
  return `${lines.join("\n")}`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  columnText([head, ...rows.map((row) => row.map(visible))]);
