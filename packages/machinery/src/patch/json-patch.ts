// Applies a JSON patch atomically. Source: RFC 6902, with the deviations of Kubernetes (github.com/evanphx/json-patch):
// `replace` sets an absent member, `test` treats an absent member as null, and list indexes may count from the end.
import {
  copyJson,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  setMember,
  writeJson,
} from "@orch/schema";
import { requestEntityTooLarge, TOO_LARGE_TEXT, unprocessable } from "../errors/request-errors";
import { StatusError } from "../errors/status-error";
import { jsonStart } from "../json/json-text";
import { sameJson } from "../json/same-json";
import { ManyValuesError } from "../resources/resource-definition";
import { DEPTH_MAX, isDeeperThan } from "./json-depth";
import type { JsonPatchOperation } from "./json-patch-operation";
import { isWithin, type JsonPointer, listPosition } from "./json-pointer";

/** Bytes of JSON that all `copy` operations of a patch together may add. */
interface CopyLimits {
  readonly copyMaxBytes: number;
  /** Maximum where other requests wait for the patch. Absent: it is applied in any case. */
  readonly copyBytesHere?: number | undefined;
}

/**
 * Applies a JSON patch.
 * @param document not modified
 * @throws StatusError Invalid (422) when an operation fails, RequestEntityTooLarge (413) when the operations move too
 * many list items; ManyValuesError when they copy more than `copyBytesHere`
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  limits: CopyLimits,
): JsonValue {
  const holder: Holder = { document: copyJson(document), movedItems: 0, copiedBytes: 0 };
  for (const [index, operation] of operations.entries()) {
    try {
      applyOperation(holder, operation, limits);
    } catch (error) {
      throw error instanceof StatusError ? at(index, operation, error) : error;
    }
  }
  if (isDeeperThan(DEPTH_MAX, holder.document)) throw unprocessable();
  return holder.document;
}

/** Adds the failing operation as the error's cause. The response to the client does not contain it. */
function at(index: number, { op, path }: JsonPatchOperation, error: StatusError): StatusError {
  const { reason, message, details } = error;
  const place = jsonStart(path.map((step) => `/${step}`).join(""), PLACE_MAX);
  const text = `operation ${index} (${op} at ${place}) does not apply`;
  const cause = error.cause === UNEQUAL ? new FailedPatchTest(text) : new Error(text);
  return new StatusError(reason, message, details, { cause });
}

/** Cause of the error of a patch whose `test` operation found another value. */
export class FailedPatchTest extends Error {
  override readonly name = "FailedPatchTest";
}

/** Marks the error of a `test` operation until the operation is known. */
const UNEQUAL = new FailedPatchTest("the value differs");

/** Maximum characters of an operation's path shown in a message. */
const PLACE_MAX = 200;

function applyOperation(
  holder: Holder,
  operation: JsonPatchOperation,
  { copyMaxBytes, copyBytesHere = copyMaxBytes }: CopyLimits,
): void {
  switch (operation.op) {
    case "add":
      add(holder, operation.path, copyJson(operation.value));
      break;
    case "replace":
      replace(holder, operation.path, copyJson(operation.value));
      break;
    case "test":
      if (!sameJson(findOrNull(holder, operation.path), operation.value)) throw unprocessable({ cause: UNEQUAL });
      break;
    case "remove":
      remove(holder, operation.path);
      break;
    case "move":
      move(holder, operation);
      break;
    case "copy": {
      const value = find(holder, operation.from);
      if (isDeeperThan(DEPTH_MAX - operation.path.length, value)) throw unprocessable();
      holder.copiedBytes += Buffer.byteLength(writeJson(value));
      if (holder.copiedBytes > copyMaxBytes) throw unprocessable();
      if (holder.copiedBytes > copyBytesHere) throw new ManyValuesError("a patch copies many values");
      add(holder, operation.path, copyJson(value));
    }
  }
}

/** Holds the document, so that the root can be replaced like any other value. */
interface Holder {
  document: JsonValue;
  /** Number of list items shifted by insertions and removals so far. */
  movedItems: number;
  /** Bytes added by `copy` operations so far. */
  copiedBytes: number;
}

/**
 * Maximum number of shifted items: corresponds to ten thousand operations at the front of a list of twenty thousand.
 */
const MOVED_ITEMS_MAX = 200_000_000;

function countMoved(holder: Holder, items: number): void {
  holder.movedItems += items;
  if (holder.movedItems > MOVED_ITEMS_MAX) throw requestEntityTooLarge(TOO_LARGE_TEXT.movedItems(MOVED_ITEMS_MAX));
}

function add(holder: Holder, path: JsonPointer, value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) {
    holder.document = value;
    return;
  }
  const parent = find(holder, path.slice(0, -1));
  if (!Array.isArray(parent)) {
    setMember(membersOf(parent), last, value);
    return;
  }
  const position = insertPosition(parent, last);
  countMoved(holder, parent.length - position);
  parent.splice(position, 0, value);
}

function replace(holder: Holder, path: JsonPointer, value: JsonValue): void {
  const last = path.at(-1);
  if (last === undefined) {
    holder.document = value;
    return;
  }
  const parent = find(holder, path.slice(0, -1));
  if (Array.isArray(parent)) parent[itemPosition(parent, last)] = value;
  else setMember(membersOf(parent), last, value);
}

function remove(holder: Holder, path: JsonPointer): JsonValue {
  const value = find(holder, path);
  const last = path.at(-1);
  // The root cannot be removed.
  if (last === undefined) throw unprocessable();
  const parent = find(holder, path.slice(0, -1));
  if (Array.isArray(parent)) {
    const position = itemPosition(parent, last);
    countMoved(holder, parent.length - position);
    parent.splice(position, 1);
  } else delete membersOf(parent)[last];
  return value;
}

function move(holder: Holder, { from, path }: { readonly from: JsonPointer; readonly path: JsonPointer }): void {
  if (!isWithin(path, from)) add(holder, path, remove(holder, from));
  // A move onto itself changes nothing, but requires that the value exists; a move into itself fails.
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

/** Returns the value at a path; an absent member of an object counts as null. */
function findOrNull(holder: Holder, path: JsonPointer): JsonValue {
  const last = path.at(-1);
  if (last === undefined) return holder.document;
  const parent = find(holder, path.slice(0, -1));
  return Array.isArray(parent)
    ? (parent[itemPosition(parent, last)] ?? null)
    : (memberOf(membersOf(parent), last) ?? null);
}

function itemAt(list: JsonArray, step: string): JsonValue | undefined {
  const position = listPosition(step, list.length);
  return position === undefined ? undefined : list[position];
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function itemPosition(list: JsonArray, step: string): number {
  const position = listPosition(step, list.length);
  if (position === undefined) throw unprocessable();
  return position;
}

/** Returns the index at which a new item is inserted; "-1" inserts after the last item. */
function insertPosition(list: JsonArray, step: string): number {
  const position = step === "-" ? list.length : listPosition(step, list.length + 1);
  if (position === undefined) throw unprocessable();
  return position;
}

function membersOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw unprocessable();
  return value;
}
