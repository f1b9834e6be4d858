// Columns of tables: a name, a description, and how a cell is read from an object.
import { ageText, type TableColumn, type TableTime } from "@orch/machinery";
import type { JsonObject, JsonValue, metaV1 } from "@orch/schema";

/**
 * An object as a cell reads it: present values have the type of the schema, but any part may be absent, because tables
 * of a watch also have rows for bookmarks, which hold little more than a resource version.
 */
export type CellObject<T> = T extends readonly (infer Item)[]
  ? readonly CellObject<Item>[]
  : T extends object
    ? { readonly [Field in keyof T]?: CellObject<T[Field]> | null }
    : T;

type Cell<Kind> = (object: CellObject<Kind>, at: TableTime) => JsonValue;

/** A text column that is always shown. Some hold integers; Kubernetes declares those columns as text. */
export function column<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return {
    name,
    type: "string",
    format: "",
    description,
    priority: 0,
    cell: (object: JsonObject, at: TableTime) => cell(object as CellObject<Kind>, at),
  };
}

export function integerColumn<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return { ...column(name, description, cell), type: "integer" };
}

export function booleanColumn<Kind>(name: string, description: string, cell: Cell<Kind>): TableColumn {
  return { ...column(name, description, cell), type: "boolean" };
}

/** A column that shows an age. @param since start of the period; RFC 3339 */
export function ageOf<Kind>(
  name: string,
  description: string,
  since: (object: CellObject<Kind>) => string | null | undefined,
): TableColumn {
  return {
    ...column<Kind>(name, description, (object, { nowMs }) => ageText(since(object), nowMs)),
    since: (object) => since(object as CellObject<Kind>) ?? undefined,
  };
}

/** Marks a column that is shown only with `-o wide`. */
export const wide = (shown: TableColumn): TableColumn => ({ ...shown, priority: 1 });

/** Marks the column that identifies the object. */
export const identifying = (shown: TableColumn): TableColumn => ({ ...shown, format: "name" });

interface AnyObject {
  readonly metadata?: metaV1.ObjectMeta;
}

export const nameColumn = identifying(
  column<AnyObject>("Name", "Name of the object, unique per kind and namespace.", nameOf),
);

export function nameOf({ metadata }: CellObject<AnyObject>): string {
  return metadata?.name ?? "";
}

export const ageColumn = ageOf<AnyObject>(
  "Age",
  "Time since the creation of the object.",
  ({ metadata }) => metadata?.creationTimestamp,
);
