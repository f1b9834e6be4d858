// Nobody can act as somebody else here. A request that means to must not be answered as the caller's own, who may have more rights.
import { StatusError } from "@orch/machinery";
import type { Middleware } from "./request-context";

const NAMED_BY = ["impersonate-user", "impersonate-group", "impersonate-uid"];

export function impersonation(): Middleware {
  return ({ headers }, _response, next) => {
    const named = NAMED_BY.find((header) => headers[header] !== undefined);
    if (named !== undefined) throw new StatusError("Forbidden", `${named}: this server knows no impersonation`);
    next();
  };
}
