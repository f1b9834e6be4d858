// The managers of each field. Source: Kubernetes documentation, "Server-Side Apply", and the format FieldsV1.
import { type ApiObject, isRecord, type ManagedFieldsEntry } from "./api-object";
import { parentOf, pointerOf, type Step } from "./field-path";

export interface FieldManager {
  readonly name: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly time: string | undefined;
  readonly subresource: string | undefined;
}

/** The managers by the JSON pointer of the field that they own. */
export type FieldManagers = ReadonlyMap<string, readonly FieldManager[]>;

/** Maps the entries of `managedFields` to the fields of the object. Entries of fields that it does not have are left out. */
export function fieldManagersOf(object: ApiObject): FieldManagers {
  const found = new Map<string, FieldManager[]>();
  for (const entry of object.metadata.managedFields ?? []) {
    const manager = managerOf(entry);
    visit(entry.fieldsV1 ?? {}, object, [], (path) => {
      const pointer = pointerOf(path);
      found.set(pointer, [...(found.get(pointer) ?? []), manager]);
    });
  }
  return found;
}

/** Returns the managers of a field: its own, or those of the nearest field around it that is owned as a whole. */
export function managersAt(managers: FieldManagers, pointer: string): readonly FieldManager[] {
  for (let at: string | undefined = pointer; at !== undefined && at !== ""; at = parentOf(at)) {
    const own = managers.get(at);
    if (own !== undefined) return own;
  }
  return [];
}

function managerOf({ manager = "unknown", operation = "", time, subresource }: ManagedFieldsEntry): FieldManager {
  return { name: manager, operation, time, subresource };
}

function visit(
  fields: Readonly<Record<string, unknown>>,
  value: unknown,
  path: readonly Step[],
  owns: (path: readonly Step[]) => void,
): void {
  for (const [key, inner] of Object.entries(fields)) {
    if (key === ".") {
      owns(path);
      continue;
    }
    const step = stepOf(key, value);
    if (step === undefined) continue;
    const next = [...path, step];
    if (!isRecord(inner) || Object.keys(inner).length === 0) owns(next);
    else visit(inner, (value as Record<Step, unknown>)[step], next, owns);
  }
}

/** Returns the name or the index that a key of FieldsV1 selects; undefined when the value has no such part. */
function stepOf(key: string, value: unknown): Step | undefined {
  const text = key.slice(2);
  switch (key.slice(0, 2)) {
    case "f:":
      return isRecord(value) && Object.hasOwn(value, text) ? text : undefined;
    case "k:":
      return indexWhere(value, text, (item, keys) => isRecord(keys) && hasValues(item, keys));
    case "v:":
      return indexWhere(value, text, (item, wanted) => JSON.stringify(item) === JSON.stringify(wanted));
    case "i:":
      return Array.isArray(value) && Number(text) < value.length ? Number(text) : undefined;
    default:
      return undefined;
  }
}

function indexWhere(
  list: unknown,
  text: string,
  matches: (item: unknown, wanted: unknown) => boolean,
): number | undefined {
  if (!Array.isArray(list)) return undefined;
  try {
    const wanted: unknown = JSON.parse(text);
    const index = list.findIndex((item) => matches(item, wanted));
    return index < 0 ? undefined : index;
  } catch {
    return undefined;
  }
}

/** A key of a list may have a default that the item does not have, such as the protocol of a port. */
const hasValues = (item: unknown, keys: Readonly<Record<string, unknown>>): boolean =>
  isRecord(item) && Object.entries(keys).every(([name, value]) => item[name] === value || item[name] === undefined);
