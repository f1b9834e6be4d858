// The changes of one object: its field managers, the revisions of a workload, and the writes that the server has recorded.
import { isCode, StatusError } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import { columnText, visible } from "../../../output/columns";
import { formatted } from "../../../output/format";
import { objectFormat } from "../../../output/object-format";
import { ObjectPrinter } from "../../../output/object-printer";
import { metadataOf } from "../../../output/server-table";
import { historyDocument, isRevisionList } from "../../../resources/object-history";
import { objectText } from "../../../resources/resource-arguments";
import type { Session } from "../../../session/session";
import { hasRevisions, type Revision, revisionsOf } from "../../change/rollout/revisions";
import { absentError, clientOf } from "../../change/targets";
import type { Target } from "../get/targets";
import { type FieldManager, managedPaths, managersOf } from "../managers";
import { fieldsText } from "./fields-text";
import type { HistoryOptions } from "./history-options";
import { agoText, recordedWritesText } from "./history-tables";

export type NamedTarget = Target & { readonly name: string };

export async function showObject(session: Session, target: NamedTarget, options: HistoryOptions): Promise<void> {
  const found = await foundObject(session, target);
  const own = await ownHistory(session, target, options.limit);
  // The history may be shown of a deleted object, and of one that the user may not read.
  if (found instanceof StatusError && !(isRevisionList(own) && own.items.length > 0)) throw found;
  const isHidden = found instanceof StatusError && found.code === 403;
  if (isHidden) session.warn(`the object is not shown: ${found.message}`);
  const object = found instanceof StatusError ? undefined : found;
  const revisions = object === undefined ? [] : await revisionsIfAllowed(session, target, object);
  const changes = { object, isHidden, own, managers: managersOf(object ?? {}), revisions: revisions.map(shown) };
  if (options.output === undefined) writeText(session, target, changes, options);
  else writeDocument(session, changes, options.output);
}

/** Returns the object, or the error that tells why it cannot be shown: it does not exist, or must not be read. */
async function foundObject(session: Session, target: NamedTarget): Promise<JsonObject | StatusError> {
  const client = await clientOf(session, target);
  try {
    return (
      (await client.find(target.name, { signal: session.signal })) ??
      absentError({ ...target, object: undefined, source: undefined })
    );
  } catch (error) {
    if (isCode(error, 403)) return error;
    throw error;
  }
}

/** Returns the revisions of a workload, as far as the user may list the objects that keep them. */
async function revisionsIfAllowed(
  session: Session,
  { type, namespace }: NamedTarget,
  object: JsonObject,
): Promise<readonly Revision[]> {
  if (!hasRevisions(type)) return [];
  try {
    return await revisionsOf(session, { type, namespace }, object);
  } catch (error) {
    if (!isCode(error, 403)) throw error;
    session.warn(`the revisions are not shown: ${error.message}`);
    return [];
  }
}

interface Changes {
  /** Undefined: the object was deleted, or is hidden. */
  readonly object: JsonObject | undefined;
  /** Whether the user may not read the object. */
  readonly isHidden: boolean;
  readonly managers: readonly FieldManager[];
  readonly revisions: readonly ShownRevision[];
  /** The answer of the subresource `history`; undefined: there is none. */
  readonly own: JsonValue | undefined;
}

/**
 * Returns what the server tells of the history, or undefined. The subresource is asked for where discovery does not list it
 * as well: where the annotation of a namespace decides, it is served and not listed.
 */
async function ownHistory(
  session: Session,
  target: NamedTarget,
  limit: string | undefined,
): Promise<JsonValue | undefined> {
  const isListed = target.type.subresources.includes("history");
  try {
    const document = await historyDocument(session, target, limit);
    const isEmpty = isRevisionList(document) && document.items.length === 0;
    return isEmpty && !isListed ? undefined : document;
  } catch (error) {
    if (isCode(error, 404, 405)) return undefined;
    if (!isCode(error, 403)) throw error;
    if (isListed || (await isKeptInNamespace(session, target.namespace))) tellMissing(session, target);
    return undefined;
  }
}

/** Tells whether the annotation of a namespace switches the history on, as far as the user may see it. */
async function isKeptInNamespace(session: Session, namespace: string | undefined): Promise<boolean> {
  if (namespace === undefined) return false;
  try {
    const { annotations } = await session.vocabulary();
    const type = await (await session.catalog()).forName("namespaces");
    const client = await clientOf(session, { type, namespace: undefined });
    const found = await client.find(namespace, { part: "metadata", signal: session.signal });
    const set = (metadataOf(found ?? {})["annotations"] ?? {}) as Readonly<Record<string, string>>;
    return set[annotations.history] !== undefined;
  } catch (error) {
    if (isCode(error, 403)) return false;
    throw error;
  }
}

function tellMissing(session: Session, { type: { resource, group }, namespace }: NamedTarget): void {
  const of = `${JSON.stringify(`${resource}/history`)}${group === "" ? "" : ` of the API group ${JSON.stringify(group)}`}`;
  const where = namespace === undefined ? "" : ` in the namespace ${JSON.stringify(namespace)}`;
  session.warn(`the recorded writes are not shown: this needs the verb "get" on ${of}${where}`);
}

function writeDocument(session: Session, { managers, revisions, own }: Changes, output: string): void {
  const format = objectFormat({ output });
  const document = { managers, revisions, ...(own !== undefined && { history: own }) } as unknown as JsonObject;
  if (format !== undefined) session.write(new ObjectPrinter(format).text(document));
}

function writeText(
  session: Session,
  { type, name }: NamedTarget,
  { object, isHidden, managers, revisions, own }: Changes,
  { fields: isWhole = false }: HistoryOptions,
): void {
  const nowMs = session.io.now();
  const named = visible(objectText(type, name));
  if (isHidden) session.write(`${named}:\n\n`);
  else if (object === undefined) session.write(`${named}: deleted; orch undelete ${named} creates it again\n\n`);
  else {
    const { creationTimestamp, generation } = metadataOf(object);
    session.write(`${named}: created ${agoText(creationTimestamp as string, nowMs)}`);
    session.write(generation === undefined ? "\n\n" : `, generation ${String(generation)}\n\n`);
    session.write(managersText(managers, { nowMs, isWhole }));
  }
  if (revisions.length > 0) {
    const rows = revisions.map((each) => [
      String(each.revision),
      visible(each.object),
      agoText(each.created, nowMs),
      visible(each.changeCause),
    ]);
    session.write(`\n${columnText([["REVISION", "OBJECT", "CREATED", "CHANGE-CAUSE"], ...rows])}`);
  }
  if (own === undefined) return;
  if (object !== undefined) session.write("\n");
  session.write(ownText(own, { nowMs, isWhole }));
}

interface TextOptions {
  readonly nowMs: number;
  /** Shows all fields. */
  readonly isWhole: boolean;
}

function managersText(managers: readonly FieldManager[], { nowMs, isWhole }: TextOptions): string {
  if (managers.length === 0) return "The server has recorded no field managers.\n";
  return columnText([
    ["MANAGER", "OPERATION", "LAST CHANGE", "FIELDS"],
    ...managers.map((each) => [
      visible(each.subresource === undefined ? each.manager : `${each.manager} (${each.subresource})`),
      visible(each.operation),
      each.time === undefined ? "<unknown>" : agoText(each.time, nowMs),
      fieldsText(managedPaths(each.fields), isWhole),
    ]),
  ]);
}

function ownText(own: JsonValue, options: TextOptions): string {
  // An aggregated API server may have a subresource of this name.
  if (!isRevisionList(own)) return formatted(own, "yaml");
  if (own.items.length === 0) return "The server has recorded no writes of the object yet.\n";
  const rest = own.metadata?.remainingItemCount ?? 0;
  const older =
    rest === 0 ? "" : `${rest} older ${rest === 1 ? "write is" : "writes are"} not shown: use a larger --limit\n`;
  return recordedWritesText(own.items, { ...options, isCut: rest > 0 }) + older;
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
