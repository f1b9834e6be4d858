// Browsers are told to come back by TLS only: `--strict-transport-security-directives`.
import type { Middleware } from "./request-context";

export function transportSecurity(directives: string): Middleware {
  return (_request, response, next) => {
    response.setHeader("Strict-Transport-Security", directives);
    next();
  };
}
