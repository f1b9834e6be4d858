// `orch tree`: the owners of an object above it, and the objects that it owns below it.
import { ageText, isCode } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { columnText, visible } from "../../output/columns";
import { metadataOf } from "../../output/server-table";
import { CliError } from "../../process/cli-error";
import { objectText } from "../../resources/resource-arguments";
import type { Session } from "../../session/session";
import { targetsOf } from "./get/targets";
import { ownersOf, type Related, type RelatedObject, relatedObjects } from "./related";

interface Options {
  readonly headers: boolean;
}

/** Maximum depth that is shown: owner references may form a cycle. */
const DEPTH_MAX = 20;
const EXAMPLES = `
Examples:
  orch tree deployment/web
  orch tree namespace shop`;

export function define(command: Command, session: Session): void {
  command
    .argument("<resource...>", "TYPE NAME or TYPE/NAME")
    .option("--no-headers", "leave out the headers")
    .addHelpText("after", EXAMPLES);
  command.action(async (words: readonly string[], { headers }: Options) => {
    const targets = await targetsOf(session, words, {});
    const [target] = targets;
    if (target?.name === undefined || targets.length > 1)
      throw new CliError("name one object, as in orch tree deployment/web");
    const client = await session.client();
    const all = client.resource(target.type);
    const found = await (target.namespace === undefined ? all : all.namespace(target.namespace)).get(target.name, {
      part: "metadata",
      signal: session.signal,
    });
    const self: RelatedObject = { type: target.type, metadata: metadataOf(found) };
    const related = await relatedObjects(session, target.namespace);
    const rows = rowsOf(await lineageOf(session, self, target.namespace), related, session.io.now());
    session.write(columnText(headers ? [["NAME", "AGE", "STATE"], ...rows] : rows));
    for (const failure of related.failures) session.warn(`could not list ${visible(failure)}`);
  });
}

type Ancestor = RelatedObject | { readonly missing: string };

/** Returns the owners from the topmost one to the object itself, by the controlling owner of each. */
async function lineageOf(session: Session, self: RelatedObject, namespace: string | undefined): Promise<Ancestor[]> {
  const catalog = await session.catalog();
  const line: Ancestor[] = [self];
  let { metadata } = self;
  while (line.length < DEPTH_MAX) {
    const owners = ownersOf(metadata);
    const owner = owners.find(({ isController }) => isController) ?? owners[0];
    if (owner === undefined) break;
    try {
      const type = await catalog.forKind(owner.apiVersion, owner.kind);
      const all = catalog.client.resource(type);
      const where = type.namespaced && namespace !== undefined ? all.namespace(namespace) : all;
      const found = metadataOf(await where.get(owner.name, { part: "metadata", signal: session.signal }));
      if (found["uid"] !== owner.uid) {
        line.unshift({ missing: `${owner.kind}/${owner.name} (another object has its name now)` });
        break;
      }
      metadata = found;
      line.unshift({ type, metadata });
    } catch (error) {
      if (!(error instanceof CliError) && !isCode(error, 404)) throw error;
      line.unshift({ missing: `${owner.kind}/${owner.name} (not found)` });
      break;
    }
  }
  return line;
}

function rowsOf(lineage: readonly Ancestor[], related: Related, nowMs: number): string[][] {
  const rows: string[][] = [];
  const seen = new Set<string>();
  lineage.forEach((each, depth) => {
    const indent = depth === 0 ? "" : `${"  ".repeat(depth - 1)}└─`;
    if ("missing" in each) rows.push([indent + visible(each.missing), "", "missing"]);
    else rows.push(rowOf(each, indent, nowMs, depth === lineage.length - 1 && lineage.length > 1));
  });
  const self = lineage.at(-1) as RelatedObject;
  addChildren(self, "  ".repeat(Math.max(0, lineage.length - 1)), 0);
  return rows;

  function addChildren({ metadata }: RelatedObject, before: string, depth: number): void {
    const uid = String(metadata["uid"]);
    if (seen.has(uid) || depth >= DEPTH_MAX) return;
    seen.add(uid);
    const children = [...(related.byOwner.get(uid) ?? [])].sort((one, other) =>
      nameText(one) < nameText(other) ? -1 : 1,
    );
    children.forEach((child, at) => {
      const isLast = at === children.length - 1;
      rows.push(rowOf(child, `${before}${isLast ? "└─" : "├─"}`, nowMs, false));
      addChildren(child, `${before}${isLast ? "  " : "│ "}`, depth + 1);
    });
  }
}

const nameText = ({ type, metadata }: RelatedObject): string => visible(objectText(type, String(metadata["name"])));

function rowOf(object: RelatedObject, indent: string, nowMs: number, isChosen: boolean): string[] {
  const { metadata } = object;
  const state = metadata["deletionTimestamp"] === undefined ? "" : deletionText(metadata);
  return [
    `${indent}${nameText(object)}${isChosen ? " *" : ""}`,
    ageText(metadata["creationTimestamp"] as string, nowMs),
    state,
  ];
}

function deletionText(metadata: JsonObject): string {
  const finalizers = Array.isArray(metadata["finalizers"]) ? metadata["finalizers"].map(String) : [];
  return finalizers.length === 0 ? "being deleted" : `being deleted, waits for ${visible(finalizers.join(", "))}`;
}
