// The configuration that a server-side apply of an edited object sends: the fields that the user changed, and those that
// the console has applied before. Source: Kubernetes documentation, "Server-Side Apply".
import { type ApiObject, isRecord } from "../values/api-object";
import { fieldManagersOf } from "../values/field-managers";
import { pointerOf, type Step, stepsOf } from "../values/field-path";

export interface ChangedFields {
  readonly configuration: Readonly<Record<string, unknown>>;
  /** Fields that the user removed and that another manager has: an apply does not remove them. */
  readonly unremovable: readonly string[];
}

/** @param manager name of the console as a field manager */
export function changedFields(original: ApiObject, edited: ApiObject, manager: string): ChangedFields {
  const { apiVersion, kind } = edited;
  const { name, namespace } = original.metadata;
  const identity = { name, ...(namespace === undefined ? {} : { namespace }) };
  const configuration: Record<string, unknown> = { apiVersion, kind, metadata: identity };
  const managers = fieldManagersOf(original);
  const isOwn = (pointer: string) =>
    managers.get(pointer)?.some((each) => each.name === manager && each.operation === "Apply") === true;
  const removed: string[] = [];
  const changed: Step[][] = [];
  compare(writable(original), writable(edited), [], changed, removed);
  for (const path of changed) copyField(edited, configuration, path);
  for (const pointer of managers.keys()) if (isOwn(pointer)) copyField(edited, configuration, stepsOf(pointer));
  return { configuration, unremovable: removed.filter((pointer) => !isOwn(pointer)) };
}

function compare(one: unknown, other: unknown, path: Step[], changed: Step[][], removed: string[]): void {
  if (JSON.stringify(one) === JSON.stringify(other)) return;
  if (!isRecord(one) || !isRecord(other)) {
    changed.push(path);
    return;
  }
  for (const name of Object.keys(one)) if (!Object.hasOwn(other, name)) removed.push(pointerOf([...path, name]));
  for (const [name, value] of Object.entries(other)) compare(one[name], value, [...path, name], changed, removed);
}

/** Returns the object without the fields that only the server sets. */
function writable({ metadata, status: _status, ...fields }: ApiObject): Record<string, unknown> {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const written = Object.entries({ labels, annotations, finalizers, ownerReferences });
  return { ...fields, metadata: Object.fromEntries(written.filter(([, value]) => value !== undefined)) };
}

/** Copies a field. One within a list is copied with its list, whose items the server merges by their keys. */
function copyField(from: unknown, to: Record<string, unknown>, path: readonly Step[]): void {
  const depth = path.findIndex((_step, index) => !isRecord(valueAt(from, path.slice(0, index + 1))));
  const copied = depth < 0 ? path : path.slice(0, depth + 1);
  const value = valueAt(from, copied);
  const last = copied.at(-1);
  if (value === undefined || last === undefined) return;
  let target = to;
  for (const step of copied.slice(0, -1)) {
    const inner = isRecord(target[step]) ? target[step] : {};
    target[step] = inner;
    target = inner;
  }
  target[last] = value;
}

function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((inner, step) => (isRecord(inner) ? inner[step] : undefined), value);
}
