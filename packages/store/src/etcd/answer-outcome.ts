// What the end of an answer means, whatever carried it. Source: gRPC over HTTP/2, "Responses".
import { GRPC_STATUS, GrpcError } from "./transport";

/** What an answer's headers or trailers tell of a call; absent where they do not. */
export interface AnswerFields {
  readonly httpStatus?: string | undefined;
  readonly grpcStatus?: string | undefined;
  readonly grpcMessage?: string | undefined;
}

/** The status of a call that went well. */
export const WELL = "0";

/**
 * @param sent whether the server may have seen the request, where it says nothing of it
 * @returns undefined when all went well
 */
export function problemOf({ httpStatus, grpcStatus, grpcMessage }: AnswerFields, sent: boolean): GrpcError | undefined {
  if (grpcStatus === WELL) return undefined;
  if (grpcStatus !== undefined) return new GrpcError(Number(grpcStatus), readable(grpcMessage), true);
  if (httpStatus !== undefined && httpStatus !== "200") {
    return new GrpcError(GRPC_STATUS.unavailable, `the endpoint answers HTTP ${httpStatus}`, false);
  }
  return lost(sent);
}

/** @param sent whether the server may have seen the request */
export const lost = (sent: boolean): GrpcError =>
  new GrpcError(GRPC_STATUS.unavailable, "the connection was lost before the answer", sent);

/** Messages are percent-encoded where they are not plain text. */
function readable(message = "no message"): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
