// Cross-origin requests of browsers. Source: staging/src/k8s.io/apiserver/pkg/server/filters/cors.go.
import { answerNothing } from "@orch/http-server";
import type { Middleware } from "@orch/request";

const ALLOWED_METHODS = "POST, GET, OPTIONS, PUT, DELETE, PATCH";
const ALLOWED_HEADERS =
  "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since";

/** @param origins regular expressions; with none the step does nothing */
export function cors(origins: readonly RegExp[]): Middleware {
  return (request, response, next) => {
    const { origin } = request.headers;
    if (origin === undefined || !origins.some((allowed) => allowed.test(origin))) {
      next();
      return;
    }
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Allow-Methods", ALLOWED_METHODS);
    response.setHeader("Access-Control-Allow-Headers", ALLOWED_HEADERS);
    response.setHeader("Access-Control-Expose-Headers", "Date");
    response.setHeader("Access-Control-Allow-Credentials", "true");
    if (request.context.info.method !== "OPTIONS") {
      next();
      return;
    }
    answerNothing(response);
  };
}
