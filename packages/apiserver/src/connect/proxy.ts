// Requests passed on to a pod, to an endpoint of a service or to a node, and their answers passed back.
// Source: facts, apiserver-hooks.md "Plain proxying" and "Upgrades".
import type { IncomingMessage } from "node:http";
import { serviceUnavailable } from "@orch/machinery";
import { answerBytes, answerError } from "../http/answer";
import type { ApiRequest } from "../pipeline/request-context";
import { bindLives, passAnswer } from "./answer-passing";
import { type Backend, hostText, openRequest } from "./backend";
import type { ConnectDeps, ConnectRequest } from "./connection-handler";
import { answerHeaders, hostOf, requestHeaders } from "./forwarded-headers";
import { linkRewriting } from "./html-links";
import { type ProxyPlace, proxiedLink } from "./proxied-links";
import { PROXY_TARGETS } from "./proxy-target";
import { relayUpgrade } from "./upgrade-relay";

export async function passRequest(deps: ConnectDeps, asked: ConnectRequest): Promise<void> {
  const { request, response, route, key } = asked;
  const { path } = request.context.info;
  const prefix = proxyPrefix(path, route.definition.scope === "Namespaced");
  const tail = path.slice(prefix.length);
  const target = PROXY_TARGETS[route.definition.plural];
  if (target === undefined) throw new Error(`nothing is known of proxying ${route.definition.plural}`);
  const backend = await target(deps, key.name, key.namespace);
  const mark = request.url?.indexOf("?") ?? -1;
  const query = mark < 0 ? "" : (request.url?.slice(mark) ?? "");
  if (request.upgraded !== undefined) {
    relayUpgrade(asked, backend, `${tail || "/"}${query}`);
    return;
  }
  if (tail === "") {
    // Relative links of the target's front page would lead beside the proxy.
    response.setHeader("Location", `${path}/${query}`);
    answerBytes(response, 301, "", NO_BYTES);
    return;
  }
  const place = { prefix, host: hostOf(request) ?? "", target: hostText(backend) };
  passPlain(asked, backend, { path: tail + query, place });
}

const NO_BYTES = Buffer.alloc(0);

function passPlain(
  { request, response }: ConnectRequest,
  backend: Backend,
  { path, place }: { readonly path: string; readonly place: ProxyPlace },
): void {
  const framing = bodyFraming(request);
  const upstream = openRequest(backend, {
    method: request.method ?? "GET",
    path,
    headers: [...requestHeaders(request), ...framing.headers],
  });
  let answerBegan = false;
  bindLives(upstream, response);
  upstream.on("error", (error) => {
    // A target may answer without reading all that it is sent, and then close.
    if (!answerBegan) answerError(response, serviceUnavailable(`error trying to reach service: ${error.message}`));
  });
  upstream.on("response", (answer) => {
    answerBegan = true;
    try {
      passBack(answer, { request, response }, place);
    } catch {
      answer.destroy();
      answerError(response, serviceUnavailable("error trying to reach service: its answer cannot be passed on"));
    }
  });
  if (request.context.awaitsContinue) response.writeContinue();
  if (framing.hasBody) request.pipe(upstream);
  else upstream.end();
}

function passBack(
  answer: IncomingMessage,
  { request, response }: Pick<ConnectRequest, "request" | "response">,
  place: ProxyPlace,
): void {
  const rewriting = request.method === "HEAD" ? undefined : linkRewriting(answer, place);
  const headers = answerHeaders(answer.rawHeaders, (name, value) => {
    if (name === "location") return proxiedLink(value, place);
    return name === "content-length" && rewriting !== undefined ? undefined : value;
  });
  passAnswer(answer, response, { code: answer.statusCode ?? 502, headers }, rewriting);
}

/** How the body is sent on: its length when the client has told it, in chunks when not. */
function bodyFraming(request: ApiRequest): { readonly hasBody: boolean; readonly headers: readonly string[] } {
  const { headers, method } = request;
  if (headers["content-length"] !== undefined) return { hasBody: headers["content-length"] !== "0", headers: [] };
  const hasBody =
    request.httpVersionMajor < 2
      ? headers["transfer-encoding"] !== undefined
      : !(request as unknown as { readonly stream: { readonly endAfterHeaders: boolean } }).stream.endAfterHeaders;
  if (hasBody) return { hasBody, headers: ["Transfer-Encoding", "chunked"] };
  return {
    hasBody,
    headers: method === "POST" || method === "PUT" || method === "PATCH" ? ["Content-Length", "0"] : [],
  };
}

/** `/api/v1/namespaces/<namespace>/pods/<name>/proxy`: so many parts of the path, however they are encoded. */
export function proxyPrefix(path: string, namespaced: boolean): string {
  const parts = namespaced ? 7 : 5;
  const found = new RegExp(`^/*(?:[^/]+/){${parts - 1}}[^/]+`).exec(path);
  return found?.[0] ?? path;
}
