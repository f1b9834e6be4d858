// Redirects a browser that opens the bare address of the server to the page for people, /docs. Programs get the list of paths.

import { answerRedirect, READING_METHODS } from "@orch/http-server";
import { parseAccept } from "@orch/machinery";
import type { Middleware } from "@orch/request";

const PAGE = "/docs";

/**
 * Runs before authentication: a browser without a certificate is anonymous, and may open the page but not read the list of paths.
 * The answer is the same for everybody and reveals nothing.
 */
export function browserEntry(): Middleware {
  return (request, response, next) => {
    const { info } = request.context;
    const opened = info.kind === "path" && info.path === "/" && READING_METHODS.includes(info.method);
    if (!opened || parseAccept(request.headers.accept ?? "")[0]?.type !== "text/html") {
      next();
      return;
    }
    answerRedirect(response, PAGE);
  };
}
