// Sends Strict-Transport-Security (RFC 6797): `--strict-transport-security-directives`.
import type { Middleware } from "@orch/request";

export function transportSecurity(directives: string): Middleware {
  return (_request, response, next) => {
    response.setHeader("Strict-Transport-Security", directives);
    next();
  };
}
