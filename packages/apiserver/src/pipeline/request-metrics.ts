// Counts every request when its answer has been sent or its client has left.

import type { ApiResponse, Middleware } from "@orch/request";
import type { RequestRecords } from "./request-records";

export function requestMetrics(deps: { readonly records: RequestRecords }): Middleware {
  const { records } = deps;

  function record(this: ApiResponse): void {
    const { context, method } = this.req;
    const contentType = context.contentType;
    records.finished(method ?? "", context, this.statusCode, contentType, performance.now());
  }

  return (_request, response, next) => {
    response.on("close", record);
    next();
  };
}
