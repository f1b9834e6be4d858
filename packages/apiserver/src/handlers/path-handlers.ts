// The paths beside the API that are neither discovery nor health.
import { notAcceptable, routerMethodNotAllowed } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { Discovery } from "../discovery/discovery-documents";
import {
  OPENAPI_PROTOBUF_ANSWER_TYPE,
  OPENAPI_PROTOBUF_TYPE,
  openapiJson,
  openapiProtobuf,
} from "../discovery/openapi-stub";
import type { VersionInfo } from "../discovery/version-document";
import { answerBytes, answerJson, JSON_TYPE } from "../http/answer";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { PathHandler } from "./dispatch";
import type { ResourceRoutes } from "./resource-route";

export interface PathDeps {
  readonly metrics: ServerMetrics;
  readonly deprecations: PathHandler;
  readonly version: VersionInfo;
  readonly vocabulary: Vocabulary;
  readonly routes: ResourceRoutes;
  /** Looked at when asked, for it lists these paths too. */
  readonly discovery: () => Discovery;
}

export function pathHandlers(deps: PathDeps): ReadonlyMap<string, PathHandler> {
  const { metrics, version } = deps;
  const root: PathHandler = (_request, response) => answerJson(response, 200, deps.discovery().paths(), 2);
  return new Map<string, PathHandler>([
    ["/", reading(root)],
    ["/index.html", reading(root)],
    ["/version", reading((_request, response) => answerJson(response, 200, version, 2))],
    [
      "/metrics",
      reading(async (_request, response) => {
        const text = await metrics.render(performance.now());
        answerBytes(response, 200, metrics.contentType, Buffer.from(text));
      }),
    ],
    ["/debug/deprecations", reading(deps.deprecations)],
    ["/openapi/v2", reading(openapiHandler(deps))],
  ]);
}

function reading(handler: PathHandler): PathHandler {
  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") throw routerMethodNotAllowed();
    return handler(request, response);
  };
}

/** Made when first asked for, and anew when what is served has changed. */
function openapiHandler({ version, vocabulary, routes }: PathDeps): PathHandler {
  let madeFor = -1;
  let documents: { readonly json: Buffer; readonly protobuf: Buffer } | undefined;
  return (request, response) => {
    if (documents === undefined || madeFor !== routes.generation) {
      const source = { version, vocabulary, routes: [...routes.all()] };
      documents = { json: openapiJson(source), protobuf: openapiProtobuf(source) };
      madeFor = routes.generation;
    }
    const accept = request.headers.accept ?? "*/*";
    response.setHeader("Vary", "Accept");
    if (accept.includes(OPENAPI_PROTOBUF_TYPE))
      answerBytes(response, 200, OPENAPI_PROTOBUF_ANSWER_TYPE, documents.protobuf);
    else if (/application\/json|\*\/\*|application\/\*/.test(accept))
      answerBytes(response, 200, JSON_TYPE, documents.json);
    else throw notAcceptable(`only the following media types are accepted: ${JSON_TYPE}, ${OPENAPI_PROTOBUF_TYPE}`);
  };
}
