// Conversion between the requests and results of the store contract and etcd's messages.

import type {
  Compare,
  KeyRange,
  KeyValue,
  Operation,
  OperationResult,
  RangeRequest,
  RangeResult,
  Revision,
  StoreEvent,
  TxnRequest,
  TxnResult,
} from "../contract/contract";
import type * as etcd from "../generated/etcd";

const NOTHING = Buffer.alloc(0);
const RESULT = { "=": 0, ">": 1, "<": 2, "!=": 3 } as const;

export function rangeRequest(request: RangeRequest): etcd.RangeRequest {
  const { limit, revision, keysOnly } = request;
  const { key, rangeEnd } = keyRange(request);
  return { key, rangeEnd, limit, revision, keysOnly };
}

export function rangeResult(answer: etcd.RangeResponse, revision: Revision): RangeResult {
  return {
    revision: answer.header?.revision || revision,
    items: (answer.kvs ?? []).map(keyValue),
    count: answer.count ?? 0,
    more: answer.more ?? false,
  };
}

export function txnRequest(request: TxnRequest): etcd.TxnRequest {
  return {
    compare: request.compare.map(comparison),
    success: request.then.map(operation),
    failure: request.else?.map(operation),
  };
}

export function txnResult(answer: etcd.TxnResponse): TxnResult {
  const revision = answer.header?.revision ?? 0;
  return {
    succeeded: answer.succeeded ?? false,
    revision,
    results: (answer.responses ?? []).map((response) => operationResult(response, revision)),
  };
}

export function storeEvent({ type, kv = {} }: etcd.Event): StoreEvent {
  if (type === 1) return { kind: "delete", key: kv.key ?? "", modRevision: kv.modRevision ?? 0 };
  return { kind: "put", item: keyValue(kv) };
}

/** etcd has no empty key. A range that begins with it begins at the smallest key, U+0000. */
export function keyRange({ start, end }: KeyRange): { readonly key: string; readonly rangeEnd: string | undefined } {
  return { key: start === "" && end !== undefined ? "\0" : start, rangeEnd: end };
}

function keyValue(kv: etcd.KeyValue): KeyValue {
  return {
    key: kv.key ?? "",
    value: kv.value ?? NOTHING,
    createRevision: kv.createRevision ?? 0,
    modRevision: kv.modRevision ?? 0,
    version: kv.version ?? 0,
    lease: kv.lease ?? 0,
  };
}

function comparison(compare: Compare): etcd.Compare {
  const { key } = compare;
  const result = RESULT[compare.is];
  switch (compare.target) {
    case "version":
      return { key, result, target: 0, version: compare.version };
    case "createRevision":
      return { key, result, target: 1, createRevision: compare.revision };
    case "modRevision":
      return { key, result, target: 2, modRevision: compare.revision };
  }
}

function operation(wanted: Operation): etcd.RequestOp {
  switch (wanted.kind) {
    case "put":
      return { requestPut: { key: wanted.key, value: wanted.value, lease: wanted.lease } };
    case "delete":
      return { requestDeleteRange: keyRange(wanted) };
    case "range":
      return { requestRange: rangeRequest(wanted) };
  }
}

function operationResult(response: etcd.ResponseOp, revision: Revision): OperationResult {
  if (response.responseRange !== undefined && response.responseRange !== null) {
    return { kind: "range", ...rangeResult(response.responseRange, revision) };
  }
  if (response.responseDeleteRange !== undefined && response.responseDeleteRange !== null) {
    return { kind: "delete", deleted: response.responseDeleteRange.deleted ?? 0 };
  }
  return { kind: "put" };
}
