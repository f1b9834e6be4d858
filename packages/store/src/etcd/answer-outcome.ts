// Outcome of a call from the end of its answer, for every transport. Source: gRPC over HTTP/2, "Responses".
import { GRPC_STATUS, GrpcError } from "./transport";

/** The relevant fields of an answer's headers or trailers; absent when they do not occur. */
export interface AnswerFields {
  readonly httpStatus?: string | undefined;
  readonly grpcStatus?: string | undefined;
  readonly grpcMessage?: string | undefined;
}

/** The gRPC status of a successful call. */
export const GRPC_OK = "0";

/**
 * @param sent whether the server may have seen the request, when the answer does not tell
 * @returns undefined for a successful call
 */
export function problemOf({ httpStatus, grpcStatus, grpcMessage }: AnswerFields, sent: boolean): GrpcError | undefined {
  if (grpcStatus === GRPC_OK) return undefined;
  if (grpcStatus !== undefined) return new GrpcError(Number(grpcStatus), readable(grpcMessage), true);
  if (httpStatus !== undefined && httpStatus !== "200") {
    return new GrpcError(GRPC_STATUS.unavailable, `the endpoint answered with HTTP status ${httpStatus}`, false);
  }
  return lost(sent);
}

/** @param sent whether the server may have seen the request */
export const lost = (sent: boolean): GrpcError =>
  new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", sent);

/** Decodes a message. Messages are percent-encoded where they are not plain text. */
function readable(message = "no message"): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
