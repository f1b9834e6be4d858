// Data of a built-in kind for its view: lines, tables and blocks, beside the general form that all kinds have. The outline
// of an object leaves out the members that its view shows.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { columnLinesOf, visible } from "../../../output/columns";

/** Data that a view may use besides the object. */
export interface ViewContext {
  readonly nowMs: number;
  /** Objects that the view asked for, by the name of the question. A question that could not be answered is absent. */
  readonly found: ReadonlyMap<string, readonly JsonObject[]>;
}

type Text = string | undefined;

/** A line with a title. A fact without a text is left out. */
export type Fact = readonly [title: string, text: (object: JsonObject, context: ViewContext) => Text];

/** A column of a table, from one of its items. */
export type Column = readonly [title: string, text: (item: JsonObject, context: ViewContext) => Text];

export type Section =
  | {
      readonly title: string;
      readonly items: (object: JsonObject, context: ViewContext) => readonly JsonObject[] | undefined;
      readonly columns: readonly Column[];
    }
  | {
      readonly title: string;
      readonly items: (object: JsonObject, context: ViewContext) => readonly JsonObject[] | undefined;
      /** Title of the block of an item. */
      readonly name: (item: JsonObject) => string;
      readonly facts: readonly Fact[];
    };

/** A list of objects that a view needs. */
export interface Question {
  readonly name: string;
  /** Name of the resource, with its group. */
  readonly resource: string;
  readonly allNamespaces?: boolean;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Default: all objects of the list. */
  readonly isWanted?: (object: JsonObject) => boolean;
}

export interface KindView {
  readonly facts?: readonly Fact[];
  readonly sections?: readonly Section[];
  /** Paths of members, with dots, that the view shows instead of the outline. */
  readonly shows: readonly string[];
  readonly questions?: (object: JsonObject, names: ViewNames) => readonly Question[];
}

/** Names of the vocabulary that questions need. */
interface ViewNames {
  readonly groups: { readonly discovery: string };
  readonly labels: { readonly serviceName: string };
}

const NONE = "<none>";

export const viewFacts = (view: KindView, object: JsonObject, context: ViewContext): [string, string][] =>
  (view.facts ?? []).flatMap(([title, text]): [string, string][] => {
    const found = text(object, context);
    return found === undefined ? [] : [[title, visible(found)]];
  });

export function sectionsOf(view: KindView, object: JsonObject, context: ViewContext): string[] {
  return (view.sections ?? []).flatMap((section) => {
    const items = section.items(object, context);
    if (items === undefined) return [];
    if (items.length === 0) return [`${section.title}:   ${NONE}`];
    if ("columns" in section) {
      const head = section.columns.map(([title]) => title);
      const rows = items.map((item) => section.columns.map(([, text]) => visible(text(item, context) ?? "")));
      return [`${section.title}:`, ...columnLinesOf([head, ...rows]).map(indented)];
    }
    return [`${section.title}:`, ...items.flatMap((item) => blockLines(section, item, context).map(indented))];
  });
}

const indented = (line: string): string => `  ${line}`.trimEnd();

function blockLines(
  { name, facts }: Extract<Section, { readonly facts: unknown }>,
  item: JsonObject,
  context: ViewContext,
): string[] {
  const rows = viewFacts({ facts, shows: [] }, item, context).map(([title, text]) => [`${title}:`, text]);
  return [`${visible(name(item))}:`, ...columnLinesOf(rows).map(indented)];
}

/** Returns the object without members that a view shows. Objects that become empty are left out. */
export function withoutShown(object: JsonObject, paths: readonly string[]): JsonObject {
  return paths.reduce((rest, path) => withoutPath(rest, path.split(".")), object);
}

function withoutPath(object: JsonObject, [first = "", ...more]: readonly string[]): JsonObject {
  const value = object[first];
  if (value === undefined) return object;
  const { [first]: _, ...rest } = object;
  if (more.length === 0) return rest;
  if (!isObject(value)) return object;
  const inner = withoutPath(value, more);
  return Object.keys(inner).length === 0 ? rest : { ...object, [first]: inner };
}

/** Returns the value at a path with dots. */
export function at(object: JsonValue | undefined, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const part of path.split(".")) value = isObject(value) ? value[part] : undefined;
  return value;
}

export function textAt(object: JsonObject, path: string): Text {
  const value = at(object, path);
  if (value === undefined || value === null || value === "") return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(scalarText).join(", ");
  return isObject(value) ? mapText(value) : String(value);
}

const scalarText = (value: JsonValue): string =>
  value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);

/** Returns `key=value` for each member; undefined for none. */
export function mapText(value: JsonValue | undefined): Text {
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.length === 0
    ? undefined
    : entries
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([key, each]) => `${key}=${scalarText(each as JsonValue)}`)
        .join(", ");
}

/** Returns the objects of a list; none when it is absent. */
export function itemsAt(object: JsonValue | undefined, path: string): readonly JsonObject[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A fact that is the value at a path. */
export const fact = (title: string, path: string, missing?: string): Fact => [
  title,
  (object) => textAt(object, path) ?? missing,
];

/** A column that is the value at a path. */
export const column = (title: string, path: string, missing = ""): Column => [
  title,
  (item) => textAt(item, path) ?? missing,
];

/** Returns a label selector as text. */
export function selectorText(value: JsonValue | undefined): Text {
  if (!isObject(value)) return undefined;
  const labels = mapText(value["matchLabels"]);
  const more = itemsAt(value, "matchExpressions").map((each) => {
    const values = textAt(each, "values");
    return `${textAt(each, "key")} ${textAt(each, "operator")}${values === undefined ? "" : ` (${values})`}`;
  });
  return [...(labels === undefined ? [] : [labels]), ...more].join(", ") || undefined;
}
