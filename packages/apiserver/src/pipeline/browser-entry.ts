// Redirects a browser that opens the bare address of the server to a page for people. Programs get the list of paths.

import { answerRedirect, READING_METHODS } from "@orch/http-server";
import { parseAccept } from "@orch/machinery";
import type { Middleware } from "@orch/request";

/**
 * Runs before authentication: a browser without a certificate is anonymous, and may open the page but not read the list of paths.
 * The answer is the same for everybody and reveals nothing.
 * @param page returns the path of the page
 */
export function browserEntry(page: () => string): Middleware {
  return (request, response, next) => {
    const { info } = request.context;
    const opened = info.kind === "path" && info.path === "/" && READING_METHODS.includes(info.method);
    if (!opened || parseAccept(request.headers.accept ?? "")[0]?.type !== "text/html") {
      next();
      return;
    }
    answerRedirect(response, page());
  };
}
