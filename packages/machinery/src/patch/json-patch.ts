// Applies a JSON patch: operations one after the other, all or none. Source: RFC 6902; facts, strategic-merge.md.
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { copyJson } from "../copy-json";
import { unprocessable } from "../request-errors";
import { sameJson } from "../same-json";
import type { JsonPatchOperation } from "./json-patch-operation";
import { isWithin, type JsonPointer, listPosition } from "./json-pointer";

/**
 * @param document left as it is
 * @param limits copyMaxBytes: how many bytes of JSON all `copy` operations together may add
 * @throws StatusError Invalid (422) when an operation fails
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  limits: { readonly copyMaxBytes: number },
): JsonValue {
  const holder: Holder = { document: copyJson(document) };
  let copiedBytes = 0;
  for (const operation of operations) {
    switch (operation.op) {
      case "add":
        add(holder, operation.path, copyJson(operation.value));
        break;
      case "replace":
        replace(holder, operation.path, copyJson(operation.value));
        break;
      case "test":
        if (!sameJson(find(holder, operation.path), operation.value)) throw unprocessable();
        break;
      case "remove":
        remove(holder, operation.path);
        break;
      case "move":
        move(holder, operation);
        break;
      case "copy": {
        const value = find(holder, operation.from);
        copiedBytes += Buffer.byteLength(JSON.stringify(value));
        if (copiedBytes > limits.copyMaxBytes) throw unprocessable();
        add(holder, operation.path, copyJson(value));
      }
    }
  }
  return holder.document;
}

/** So that the document itself can be replaced like a part of it. */
interface Holder {
  document: JsonValue;
}

function add(holder: Holder, path: JsonPointer, value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) {
    holder.document = value;
    return;
  }
  const parent = find(holder, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(insertPosition(parent, last), 0, value);
  else membersOf(parent, last)[last] = value;
}

function replace(holder: Holder, path: JsonPointer, value: JsonValue): void {
  find(holder, path);
  const last = path.at(-1);
  if (last === undefined) {
    holder.document = value;
    return;
  }
  const parent = find(holder, path.slice(0, -1));
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else membersOf(parent, last)[last] = value;
}

function remove(holder: Holder, path: JsonPointer): JsonValue {
  const value = find(holder, path);
  const last = path.at(-1);
  // What is left without its root would be no document.
  if (last === undefined) throw unprocessable();
  const parent = find(holder, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete membersOf(parent, last)[last];
  return value;
}

function move(holder: Holder, { from, path }: { readonly from: JsonPointer; readonly path: JsonPointer }): void {
  if (!isWithin(path, from)) add(holder, path, remove(holder, from));
  // Onto itself nothing moves; into itself nothing can.
  else if (path.length === from.length) find(holder, from);
  else throw unprocessable();
}

function find(holder: Holder, path: JsonPointer): JsonValue {
  let value = holder.document;
  for (const step of path) {
    const next = Array.isArray(value) ? itemAt(value, step) : memberOf(value, step);
    if (next === undefined) throw unprocessable();
    value = next;
  }
  return value;
}

function itemAt(list: JsonArray, step: string): JsonValue | undefined {
  const position = listPosition(step, list.length);
  return position === undefined ? undefined : list[position];
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? value[name] : undefined;
}

function insertPosition(list: JsonArray, step: string): number {
  const position = step === "-" ? list.length : listPosition(step, list.length + 1);
  if (position === undefined) throw unprocessable();
  return position;
}

function membersOf(value: JsonValue, name: string): JsonObject {
  // A member of this name would be taken for the object's prototype.
  if (name === "__proto__") throw unprocessable();
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unprocessable();
  return value;
}
