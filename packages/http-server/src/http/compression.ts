// Conditions for compressing an answer. Source:
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go.
import type { IncomingMessage } from "node:http";

export const COMPRESS_FROM_BYTES = 128 * 1024;
export const COMPRESSION_LEVEL = 4;

export function wantsGzip(request: IncomingMessage): boolean {
  const accepted = request.headers["accept-encoding"];
  if (accepted === undefined) return false;
  return String(accepted)
    .split(",")
    .some((coding) => /^\s*gzip\s*(;(?!\s*q=0(\.0*)?\s*$)|$)/i.test(coding));
}
