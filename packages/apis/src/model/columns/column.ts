// How the columns of a kind are written down: a name, a sentence, and how a cell is read from an object.
import { ageText, type TableColumn, type TableTime } from "@orch/machinery";
import type { JsonObject, JsonValue, metaV1 } from "@orch/schema";

/**
 * An object as a cell finds it: whatever it holds has the type that the schema says, but any part may be absent, since the tables of
 * a watch have rows for bookmarks too, which are objects with little more than a resource version.
 */
export type Seen<T> = T extends readonly (infer Item)[]
  ? readonly Seen<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: Seen<T[Field]> | null }
    : T;

type Cell<Kind> = (object: Seen<Kind>, at: TableTime) => JsonValue;

/** A column of text that is always shown. Some hold whole numbers; the field's clients expect them to be called text all the same. */
export function column<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return {
    name,
    type: "string",
    format: "",
    description,
    priority: 0,
    cell: (object: JsonObject, at: TableTime) => cell(object as Seen<Kind>, at),
  };
}

export function integerColumn<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return { ...column(name, description, cell), type: "integer" };
}

export function booleanColumn<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return { ...column(name, description, cell), type: "boolean" };
}

/** @param since when it began; RFC 3339 */
export function ageOf<Kind>(
  name: string,
  description: string,
  since: (object: Seen<Kind>) => string | null | undefined,
): TableColumn {
  return {
    ...column<Kind>(name, description, (object, { nowMs }) => ageText(since(object), nowMs)),
    since: (object) => since(object as Seen<Kind>) ?? undefined,
  };
}

/** Shown only on demand. */
export const wide = (shown: TableColumn): TableColumn => ({ ...shown, priority: 1 });

/** Tells the object from others of its kind. */
export const identifying = (shown: TableColumn): TableColumn => ({ ...shown, format: "name" });

interface AnyObject {
  readonly metadata?: metaV1.ObjectMeta;
}

export const nameColumn = identifying(
  column<AnyObject>("Name", "The object's name, unique among those of its kind in a namespace.", nameOf),
);

export function nameOf({ metadata }: Seen<AnyObject>): string {
  return metadata?.name ?? "";
}

export const ageColumn = ageOf<AnyObject>(
  "Age",
  "How long ago the object was created.",
  ({ metadata }) => metadata?.creationTimestamp,
);
