// `orch history`: what the server knows of the changes of an object: who manages which fields since when, and the
// revisions of workloads.
import type { DiscoveredResource } from "@orch/client";
import { ageText, isCode } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { columnText, visible } from "../../output/columns";
import { formatted, outputOption } from "../../output/format";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { objectText } from "../../resources/resource-arguments";
import type { Session } from "../../session/session";
import { targetsOf } from "./get/targets";
import { managedPaths, managersOf } from "./managers";
import { ownersOf } from "./related";

interface Options {
  readonly output?: string;
  readonly fields?: boolean;
}

/** Kinds whose revisions are kept as other objects. */
const REVISIONS: Readonly<Record<string, string>> = {
  Deployment: "ReplicaSet",
  StatefulSet: "ControllerRevision",
  DaemonSet: "ControllerRevision",
};
const HISTORY = "history";
const EXAMPLES = `
Examples:
  orch history deployment/web
  orch history configmap settings --fields`;

export function define(command: Command, session: Session): void {
  command
    .argument("<resource...>", "TYPE NAME or TYPE/NAME")
    .option("--fields", "show all fields of each manager")
    .addOption(outputOption(["json", "yaml"]))
    .addHelpText("after", EXAMPLES);
  command.action(async (words: readonly string[], options: Options) => {
    const targets = await targetsOf(session, words, {});
    const [target] = targets;
    if (target?.name === undefined || targets.length > 1)
      throw new CliError("name one object, as in orch history deployment/web");
    const { type, name, namespace } = target;
    const client = await session.client();
    const resource = namespace === undefined ? client.resource(type) : client.resource(type).namespace(namespace);
    const object = await resource.get(name, { signal: session.signal });
    const own = type.subresources.includes(HISTORY) ? await ownHistory() : undefined;
    const revisions = await revisionsOf(session, object, type, namespace);
    const managers = managersOf(object);
    if (options.output !== undefined) {
      session.write(formatted({ managers, revisions, ...(own && { history: own }) }, options.output));
      return;
    }
    const now = session.io.now();
    const metadata = metadataOf(object);
    session.write(
      `${visible(objectText(type, name))}: created ${ageText(metadata["creationTimestamp"] as string, now)} ago`,
    );
    session.write(`, generation ${String(metadata["generation"] ?? "unknown")}\n\n`);
    if (managers.length === 0) session.write("The server has recorded no field managers.\n");
    else
      session.write(
        columnText([
          ["MANAGER", "OPERATION", "LAST CHANGE", "FIELDS"],
          ...managers.map((each) => [
            visible(each.subresource === undefined ? each.manager : `${each.manager} (${each.subresource})`),
            visible(each.operation),
            each.time === undefined ? "<unknown>" : `${ageText(each.time, now)} ago`,
            fieldsText(managedPaths(each.fields), options.fields === true),
          ]),
        ]),
      );
    if (revisions.length > 0) {
      const rows = revisions.map((each) => [
        String(each.revision),
        visible(each.object),
        `${ageText(each.created, now)} ago`,
        visible(each.changeCause),
      ]);
      session.write(`\n${columnText([["REVISION", "OBJECT", "CREATED", "CHANGE-CAUSE"], ...rows])}`);
    }
    if (own !== undefined) session.write(`\n${formatted(own, "yaml")}`);

    async function ownHistory(): Promise<JsonObject | undefined> {
      try {
        return await resource.getSubresource(name as string, HISTORY, { signal: session.signal });
      } catch (error) {
        if (isCode(error, 404) || isCode(error, 405)) return undefined;
        throw error;
      }
    }
  });
}

const FIELDS_SHOWN = 4;

function fieldsText(paths: readonly string[], isWhole: boolean): string {
  const shown = isWhole ? paths : paths.slice(0, FIELDS_SHOWN);
  const rest = paths.length - shown.length;
  return visible(`${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`);
}

interface Revision {
  readonly revision: number;
  readonly object: string;
  readonly created: string;
  readonly changeCause: string;
}

async function revisionsOf(
  session: Session,
  object: JsonObject,
  { kind, group }: DiscoveredResource,
  namespace: string | undefined,
): Promise<readonly Revision[]> {
  const revisionKind = group === "apps" ? REVISIONS[kind] : undefined;
  if (revisionKind === undefined || namespace === undefined) return [];
  const catalog = await session.catalog();
  const names = await session.vocabulary();
  const type = await catalog.forKind("apps/v1", revisionKind);
  const { uid } = metadataOf(object);
  const found: Revision[] = [];
  const list = catalog.client.resource(type).namespace(namespace);
  for await (const each of list.all({ signal: session.signal, dropsManagedFields: true })) {
    const metadata = metadataOf(each);
    if (!ownersOf(metadata).some((owner) => owner.uid === uid)) continue;
    found.push({
      revision: numberOf(each, names),
      object: objectText(type, String(metadata["name"])),
      created: String(metadata["creationTimestamp"]),
      changeCause: annotationOf(metadata, names.annotations.changeCause) ?? "<none>",
    });
  }
  return found.sort((one, other) => one.revision - other.revision);
}

function numberOf(object: JsonObject, names: Vocabulary): number {
  const { revision } = object;
  if (typeof revision === "number") return revision;
  return Number(annotationOf(metadataOf(object), names.annotations.deploymentRevision) ?? 0);
}

function annotationOf({ annotations }: JsonObject, key: string): string | undefined {
  return isObject(annotations) && annotations[key] !== undefined ? String(annotations[key]) : undefined;
}
