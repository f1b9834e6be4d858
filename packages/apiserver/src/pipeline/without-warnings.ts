// Answers carry no Warning headers: gate WarningHeaders, in releases where it can be off.
import type { Middleware } from "./request-context";

export function withoutWarnings(): Middleware {
  return ({ context }, _response, next) => {
    context.warn = () => {};
    next();
  };
}
