// Omits Warning headers: feature gate WarningHeaders, in releases in which it can be off.
import type { Middleware } from "@orch/request";

export function withoutWarnings(): Middleware {
  return ({ context }, _response, next) => {
    context.warn = () => {};
    next();
  };
}
