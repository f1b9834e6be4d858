// `orch history`: what the server knows of the changes of an object: who manages which fields since when, and the
// revisions of workloads.
import { ageText, isCode } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { columnText, visible } from "../../output/columns";
import { formatted, outputOption } from "../../output/format";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { objectText } from "../../resources/resource-arguments";
import type { Session } from "../../session/session";
import { hasRevisions, type Revision, revisionsOf } from "../change/rollout/revisions";
import { targetsOf } from "./get/targets";
import { managedPaths, managersOf } from "./managers";

interface Options {
  readonly output?: string;
  readonly fields?: boolean;
}

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
    const revisions = hasRevisions(type) ? (await revisionsOf(session, { type, namespace }, object)).map(shown) : [];
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
    const { generation } = metadata;
    session.write(generation === undefined ? "\n\n" : `, generation ${String(generation)}\n\n`);
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

interface ShownRevision {
  readonly revision: number;
  readonly object: string;
  readonly created: string;
  readonly changeCause: string;
}

function shown({ number, object, type, changeCause }: Revision): ShownRevision {
  const { name, creationTimestamp } = metadataOf(object);
  return {
    revision: number,
    object: objectText(type, String(name)),
    created: String(creationTimestamp),
    changeCause: changeCause || "<none>",
  };
}

const FIELDS_SHOWN = 4;

function fieldsText(paths: readonly string[], isWhole: boolean): string {
  const shown = isWhole ? paths : paths.slice(0, FIELDS_SHOWN);
  const rest = paths.length - shown.length;
  return visible(`${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`);
}
