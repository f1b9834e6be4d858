// Answers failures. Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/status.go.

import { answerBytes, answered } from "@orch/http-server";
import { toStatus } from "@orch/machinery";
import type { ApiResponse } from "../request/request-context";
import { statusForm } from "./document-form";

/** Answers a failure as a Status. Errors other than StatusError become an internal error without details. */
export function answerError(response: ApiResponse, error: unknown): void {
  if (answered(response)) return;
  const status = toStatus(error);
  response.req.context.failure = status;
  if (status.code === 403) response.setHeader("X-Content-Type-Options", "nosniff");
  const retryAfterSeconds = status.details?.retryAfterSeconds ?? 0;
  if (retryAfterSeconds > 0) response.setHeader("Retry-After", String(retryAfterSeconds));
  const { contentType, bytes } = statusForm(response.req);
  answerBytes(response, status.code, contentType, bytes(status));
}
