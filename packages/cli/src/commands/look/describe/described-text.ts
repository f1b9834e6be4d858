// The text of a described object.
import { ageText } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { columnLinesOf, visible } from "../../../output/columns";
import { metadataOf } from "../../../output/server-table";
import { eventCells, eventHeaders } from "../event-rows";
import { managedPaths, managersOf } from "../managers";
import { ownersOf, type RelatedObject } from "../related";
import { type KindView, sectionsOf, type ViewContext, viewFacts, withoutShown } from "./kind-view";
import { outline, titleOf } from "./outline";

export interface Surroundings {
  /** The view of a built-in kind; undefined for other kinds. */
  readonly view: KindView | undefined;
  /** Objects that the view asked for. */
  readonly found: ViewContext["found"];
  /** Columns that the server shows of the object. */
  readonly columns: readonly (readonly [name: string, value: unknown])[];
  /** undefined: not asked for, or not readable. */
  readonly events: readonly JsonObject[] | undefined;
  /** Objects that the object owns; undefined: not counted. */
  readonly dependents: readonly RelatedObject[] | undefined;
}

const SHOWN_ELSEWHERE = new Set(["apiVersion", "kind", "metadata", "name", "age", "namespace", "labels"]);
const NONE = "<none>";

export function describedText(
  object: JsonObject,
  { view, found, columns, events, dependents }: Surroundings,
  nowMs: number,
): string {
  const context = { nowMs, found };
  const metadata = metadataOf(object);
  const lines: string[] = [];
  const facts: [string, string][] = [
    ["Name", textOf(metadata["name"])],
    ...(metadata["namespace"] === undefined ? [] : [["Namespace", textOf(metadata["namespace"])] as [string, string]]),
    ["Kind", `${textOf(object["kind"])} (${textOf(object["apiVersion"])})`],
    [
      "Created",
      `${textOf(metadata["creationTimestamp"])} (${ageText(metadata["creationTimestamp"] as string, nowMs)} ago)`,
    ],
    ...mapFacts("Labels", metadata["labels"]),
    ...mapFacts("Annotations", metadata["annotations"]),
    ...ownersOf(metadata).map((owner, at): [string, string] => [
      at === 0 ? "Owned By" : "",
      visible(`${owner.kind}/${owner.name} (${owner.apiVersion})${owner.isController ? ", its controller" : ""}`),
    ]),
    ...(dependents === undefined ? [] : [["Owns", countText(dependents)] as [string, string]]),
    ...deletionFacts(metadata, dependents, nowMs),
    ...managersOf(object).map((each, at): [string, string] => [
      at === 0 ? "Managed By" : "",
      visible(
        `${each.manager} (${each.operation}${each.subresource === undefined ? "" : ` of ${each.subresource}`}, ${fieldsCount(managedPaths(each.fields).length)}, ${ageText(each.time, nowMs)} ago)`,
      ),
    ]),
    ...(view?.facts === undefined ? [] : viewFacts(view, object, context)),
    // The facts of a view say more than the columns of a list.
    ...(view === undefined ? columns : [])
      .filter(
        ([name, value]) =>
          !SHOWN_ELSEWHERE.has(name.toLowerCase()) && value !== null && value !== undefined && value !== "",
      )
      .map(([name, value]): [string, string] => [titleOf(name), textOf(value as JsonValue)]),
  ];
  lines.push(...columnLinesOf(facts.map(([name, value]) => [name === "" ? "" : `${name}:`, value])));
  if (view !== undefined) lines.push(...sectionsOf(view, object, context));
  const rest = view === undefined ? object : withoutShown(object, view.shows);
  for (const key of Object.keys(rest).sort(bySection)) {
    if (SHOWN_ELSEWHERE.has(key)) continue;
    lines.push(...sectionLines(rest, key, nowMs));
  }
  if (events !== undefined) lines.push(...eventLines(events, nowMs));
  return `${lines.join("\n")}\n`;
}

/** The specification comes before the status, and other members before both. */
const ORDER = ["spec", "status"];
const bySection = (one: string, other: string): number =>
  ORDER.indexOf(one) - ORDER.indexOf(other) || (one < other ? -1 : 1);

function sectionLines(object: JsonObject, key: string, nowMs: number): string[] {
  const value = object[key] as JsonValue;
  const isSecret = object["kind"] === "Secret" && (key === "data" || key === "stringData");
  const isBinary = object["kind"] === "ConfigMap" && key === "binaryData";
  if ((isSecret || isBinary) && isObject(value)) {
    const rows = Object.entries(value).map(([name, text]) => [`  ${visible(name)}:`, `${bytesOf(String(text))} bytes`]);
    return [`${titleOf(key)}:`, ...columnLinesOf(rows)];
  }
  if (key === "status" && isObject(value) && Array.isArray(value["conditions"])) {
    const { conditions, ...rest } = value;
    return [
      ...(Object.keys(rest).length === 0 ? [] : outline({ [key]: rest })),
      ...conditionLines(conditions.filter(isObject), nowMs),
    ];
  }
  return outline({ [key]: value });
}

/** Returns the length of what base64 stands for. */
const bytesOf = (text: string): number => Buffer.byteLength(text, "base64");

function conditionLines(conditions: readonly JsonObject[], nowMs: number): string[] {
  if (conditions.length === 0) return [];
  const rows = conditions.map(({ type, status, reason, message, lastTransitionTime }) => [
    `  ${textOf(type)}`,
    textOf(status),
    textOf(reason ?? ""),
    typeof lastTransitionTime === "string" ? ageText(lastTransitionTime, nowMs) : "",
    textOf(message ?? ""),
  ]);
  return ["Conditions:", ...columnLinesOf([["  Type", "Status", "Reason", "Since", "Message"], ...rows])];
}

function eventLines(events: readonly JsonObject[], nowMs: number): string[] {
  if (events.length === 0) return [`Events:   ${NONE}`];
  const withoutObject = (cells: string[]) => [`  ${cells[0]}`, ...cells.slice(1, 3), ...cells.slice(4)];
  const headers = withoutObject(eventHeaders({})).map((text) =>
    text.toLowerCase().replace(/[a-z]/, (first) => first.toUpperCase()),
  );
  return [
    "Events:",
    ...columnLinesOf([headers, ...events.map((event) => withoutObject(eventCells(event, {}, nowMs)))]),
  ];
}

function mapFacts(name: string, value: unknown): [string, string][] {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) return [[name, NONE]];
  const sign = name === "Labels" ? "=" : ": ";
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, text], at) => [at === 0 ? name : "", visible(`${key}${sign}${String(text)}`)]);
}

function countText(dependents: readonly RelatedObject[]): string {
  if (dependents.length === 0) return NONE;
  const counts = new Map<string, number>();
  for (const { type } of dependents) {
    const name = type.group === "" ? type.resource : `${type.resource}.${type.group}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(", ");
}

/** Explains a deletion that has not finished. */
function deletionFacts(
  metadata: JsonObject,
  dependents: readonly RelatedObject[] | undefined,
  nowMs: number,
): [string, string][] {
  const finalizers = Array.isArray(metadata["finalizers"]) ? metadata["finalizers"].map(String) : [];
  const since = metadata["deletionTimestamp"];
  const facts: [string, string][] = finalizers.length === 0 ? [] : [["Finalizers", visible(finalizers.join(", "))]];
  if (typeof since !== "string") return facts;
  const why: string[] = [];
  for (const finalizer of finalizers) {
    if (finalizer === "foregroundDeletion") {
      const blocking = (dependents ?? []).filter((each) =>
        ownersOf(each.metadata).some(({ uid, blocksDeletion }) => uid === metadata["uid"] && blocksDeletion),
      );
      why.push(`its dependents are deleted first${blocking.length > 0 ? ` (${countText(blocking)} left)` : ""}`);
    } else if (finalizer === "orphan") why.push("its dependents lose their owner first");
    else why.push(`the owner of the finalizer ${finalizer} has not removed it`);
  }
  const seconds = metadata["deletionGracePeriodSeconds"];
  if (why.length === 0 && typeof seconds === "number")
    why.push(`the grace period of ${seconds} s, or the node, has not ended`);
  const ms = nowMs - Date.parse(since);
  const when = ms >= 0 ? `since ${ageText(since, nowMs)}` : `at ${since}`;
  return [
    ...facts,
    ["Deletion", visible(`${when}; waits because ${why.join(", and ") || "the server has not finished it"}`)],
  ];
}

const fieldsCount = (count: number): string => (count === 1 ? "1 field" : `${count} fields`);

const textOf = (value: JsonValue | undefined): string =>
  visible(
    value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value),
  );
