// Framing of the body of a forwarded request.
import { mayHaveBody } from "@orch/http-server";
import type { ApiRequest } from "@orch/request";

/** Returns Content-Length when the client sent it, otherwise chunked transfer coding. */
export function bodyFraming(request: ApiRequest): { readonly hasBody: boolean; readonly headers: readonly string[] } {
  const { headers, context } = request;
  const { method } = context.info;
  if (headers["content-length"] !== undefined) return { hasBody: headers["content-length"] !== "0", headers: [] };
  const hasBody = mayHaveBody(request);
  if (hasBody) return { hasBody, headers: ["Transfer-Encoding", "chunked"] };
  return {
    hasBody,
    headers: method === "POST" || method === "PUT" || method === "PATCH" ? ["Content-Length", "0"] : [],
  };
}
