// Maps errors of etcd and gRPC to store errors.

import { StoreError, type StoreErrorCode } from "../contract/contract";
import { GRPC_STATUS, GrpcError } from "./transport";

/**
 * Prefixes of etcd's error messages. All of them mean that the request was not executed. Source: etcd 3.4,
 * etcdserver/api/v3rpc/rpctypes/error.go; checked against 3.4.23.
 */
const MEANING: readonly (readonly [message: string, code: StoreErrorCode])[] = [
  ["etcdserver: mvcc: required revision has been compacted", "compacted"],
  ["etcdserver: mvcc: required revision is a future revision", "futureRevision"],
  ["etcdserver: mvcc: database space exceeded", "full"],
  ["etcdserver: corrupt cluster", "full"],
  ["etcdserver: request is too large", "tooLarge"],
  ["etcdserver: too many operations in txn request", "tooLarge"],
  ["grpc: received message larger than max", "tooLarge"],
  ["etcdserver: requested lease not found", "leaseNotFound"],
  ["etcdserver: no leader", "unavailable"],
  ["etcdserver: too many requests", "unavailable"],
];

/**
 * gRPC codes by which the server rejects a request permanently: invalid argument, failed precondition, permission
 * denied, unimplemented.
 */
const REFUSALS: ReadonlySet<number> = new Set([3, 5, 6, 7, 9, 11, 12, 16]);

/** Whether a request that changes nothing may succeed when it is repeated, perhaps at another endpoint. */
export function isTransient(error: GrpcError): boolean {
  const code = meaning(error);
  return (
    code === "unavailable" ||
    (code === undefined && error.status !== GRPC_STATUS.cancelled && !REFUSALS.has(error.status))
  );
}

/** Whether the error is rather caused by the endpoint than by the request. */
export const blamesEndpoint = (error: GrpcError): boolean => error.sent && isTransient(error);

/** @param writes whether the request may have made changes without an answer */
export function toStoreError(error: unknown, { writes }: { readonly writes: boolean }): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof GrpcError)) return new StoreError("internal", (error as Error).message, { cause: error });
  return new StoreError(codeOf(error, writes), error.message, { cause: error });
}

function codeOf(error: GrpcError, writes: boolean): StoreErrorCode {
  const known = meaning(error);
  if (known !== undefined) return known;
  if (error.status === GRPC_STATUS.cancelled) return "cancelled";
  if (!error.sent) return "unavailable";
  if (REFUSALS.has(error.status)) return "internal";
  if (writes) return "unknownOutcome";
  return error.status === GRPC_STATUS.dataLoss ? "internal" : "unavailable";
}

const meaning = ({ message }: GrpcError): StoreErrorCode | undefined =>
  MEANING.find(([beginning]) => message.startsWith(beginning))?.[1];
