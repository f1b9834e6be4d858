// Counts every request when its answer has been sent or its client has left.

import type { ApiResponse, Middleware } from "@orch/request";
import { agentOf, type ClientTally } from "./client-tally";
import type { RequestRecords } from "./request-records";

export function requestMetrics(deps: { readonly records: RequestRecords; readonly clients: ClientTally }): Middleware {
  const { records, clients } = deps;

  function record(this: ApiResponse): void {
    const { context, headers, method } = this.req;
    const nowMs = performance.now();
    const contentType = context.contentType;
    records.finished(method ?? "", context, this.statusCode, contentType, nowMs);
    clients.finished(context, agentOf(headers["user-agent"]), nowMs);
  }

  return (_request, response, next) => {
    response.on("close", record);
    next();
  };
}
