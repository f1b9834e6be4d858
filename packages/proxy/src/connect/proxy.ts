// Forwards requests to a pod, a service endpoint or a node, and returns their answers. Source:
// staging/src/k8s.io/apimachinery/pkg/util/proxy/upgradeaware.go.
import type { IncomingMessage } from "node:http";
import { answerBytes } from "@orch/http-server";
import { serviceUnavailable } from "@orch/machinery";
import { observeResponse } from "@orch/platform";
import { answerHeaders } from "./answer-headers";
import { type Backend, hostText, openRequest } from "./backend";
import { bodyFraming } from "./body-framing";
import type { ConnectDeps, ConnectRequest } from "./connect-request";
import { requestHeaders, upgradeHeaders } from "./forwarded-headers";
import { linkRewriting } from "./html-links";
import { withLinks } from "./page-headers";
import { type ProxyPlace, proxiedLink } from "./proxied-links";
import { PROXY_TARGETS } from "./proxy-target";
import { bindLives, passFailure, streamResponse } from "./response-stream";
import { relayUpgrade } from "./upgrade-relay";

export async function passRequest(deps: ConnectDeps, asked: ConnectRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route, key, stem, tail, search } = info;
  const target = PROXY_TARGETS[route.definition.plural];
  if (target === undefined) throw new Error(`the resource ${route.definition.plural} has no proxy`);
  const backend = await target(deps, key.name, key.namespace);
  if (request.upgraded !== undefined) {
    relayUpgrade(asked, backend, { path: `${tail || "/"}${search}`, headers: upgradeHeaders(request, deps.trusted()) });
    return;
  }
  if (tail === "") {
    // Redirects to the path with a slash, because relative links of the front page would not lead through the proxy.
    response.setHeader("Location", `${stem}/${search}`);
    answerBytes(response, 301, "", NO_BYTES);
    return;
  }
  const place = { prefix: stem, host: request.context.host, target: hostText(backend) };
  passPlain(deps, asked, backend, { path: tail + search, place });
}

const NO_BYTES = Buffer.alloc(0);

function passPlain(
  { trusted }: ConnectDeps,
  { request, response, info }: ConnectRequest,
  backend: Backend,
  { path, place }: { readonly path: string; readonly place: ProxyPlace },
): void {
  const framing = bodyFraming(request);
  const upstream = openRequest(backend, {
    method: info.method,
    path,
    headers: [...requestHeaders(request, trusted()), ...framing.headers],
  });
  const fail = (why: string) => passFailure(response, serviceUnavailable(`error trying to reach service: ${why}`));
  bindLives(upstream, response);
  observeResponse(upstream, {
    failed: (error) => fail(error.message),
    answered: (answer) => {
      try {
        passBack(answer, { response, info }, place);
      } catch {
        answer.destroy();
        fail("its answer cannot be forwarded");
      }
    },
  });
  if (request.context.awaitsContinue) response.writeContinue();
  if (framing.hasBody) request.pipe(upstream);
  else upstream.end();
}

function passBack(
  answer: IncomingMessage,
  { response, info }: Pick<ConnectRequest, "response" | "info">,
  place: ProxyPlace,
): void {
  const rewriting = info.method === "HEAD" ? undefined : linkRewriting(answer, place);
  const { vocabulary } = response.req.context.negotiation.schema;
  const headers = answerHeaders(answer.rawHeaders, vocabulary, (name, value) => {
    if (name === "location") return proxiedLink(value, place);
    if (name === "link") return withLinks(value, (link) => proxiedLink(link, place));
    return name === "content-length" && rewriting !== undefined ? undefined : value;
  });
  streamResponse(answer, response, { code: answer.statusCode ?? 502, headers }, rewriting);
}
