// Tables of the history of objects: the recorded writes of an object, and the deleted objects.
import { ageText } from "@orch/machinery";
import { columnText, visible } from "../../../output/columns";
import type { DeletedObject, HistoryPlace, PatchStep, RecordedWrite } from "../../../resources/object-history";
import { objectText } from "../../../resources/resource-arguments";
import { fieldsText } from "./fields-text";

const NONE = "<none>";

/** @param isWhole shows all changed fields */
export function recordedWritesText(
  writes: readonly RecordedWrite[],
  { nowMs, isWhole, isCut }: { readonly nowMs: number; readonly isWhole: boolean; readonly isCut: boolean },
): string {
  const rows = writes.map((each) => [
    visible(each.resourceVersion),
    agoText(each.time, nowMs),
    visible(each.user || NONE),
    visible(verbText(each)),
    visible(each.fieldManager || NONE),
    changesText(each, isWhole),
  ]);
  const oldest = writes.at(-1);
  // The state before the first recorded write is kept as well, unless the note tells why it is not.
  if (!isCut && oldest?.replaces !== undefined && oldest.note === undefined)
    rows.push([
      visible(oldest.replaces),
      UNKNOWN,
      UNKNOWN,
      UNKNOWN,
      UNKNOWN,
      "the state before the first recorded write",
    ]);
  return columnText([["RESOURCE VERSION", "TIME", "USER", "VERB", "MANAGER", "CHANGES"], ...rows]);
}

const UNKNOWN = "<unknown>";

const verbText = ({ verb = "", subresource }: RecordedWrite): string =>
  subresource === undefined ? verb || NONE : `${verb} (${subresource})`;

function changesText({ change, patch, note }: RecordedWrite, isWhole: boolean): string {
  if (change !== "updated") return change;
  if (patch !== undefined) return patch.length === 0 ? NONE : fieldsText(changedFields(patch), isWhole);
  return note === undefined ? UNKNOWN : `(${visible(note)})`;
}

/** Marks of operations of a JSON patch: those of the rows of `orch get -w`. */
const MARKS: Readonly<Record<string, string>> = { add: "+", remove: "-" };

/** Returns the paths of a patch, such as `~data.color`. A key with a dot is in quotes: `+metadata.labels["a.b/c"]`. */
function changedFields(patch: readonly PatchStep[]): readonly string[] {
  return patch.map(({ op, path }) => {
    const keys = path.split("/").slice(1);
    const text = keys
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
      .map((key) => (/^[\w-]+$/.test(key) ? (/^\d+$/.test(key) ? `[${key}]` : `.${key}`) : `[${JSON.stringify(key)}]`))
      .join("");
    return `${MARKS[op] ?? "~"}${text.replace(/^\./, "")}`;
  });
}

/** @param withNamespace adds the column of the namespaces */
export function deletedObjectsText(
  { type }: HistoryPlace,
  objects: readonly DeletedObject[],
  { nowMs, withNamespace }: { readonly nowMs: number; readonly withNamespace: boolean },
): string {
  const rows = objects.map(({ namespace = "", name, time, user, lastState }) => [
    ...(withNamespace ? [visible(namespace)] : []),
    visible(objectText(type, name)),
    agoText(time, nowMs),
    visible(user || NONE),
    visible(lastState ?? NONE),
  ]);
  const headers = [...(withNamespace ? ["NAMESPACE"] : []), "OBJECT", "DELETED", "USER", "RESOURCE VERSION"];
  return columnText([headers, ...rows]);
}

export const agoText = (time: string, nowMs: number): string => `${ageText(time, nowMs)} ago`;
