// Non-resource paths other than discovery and health.

import { answerBytes, answerJson, methodNotAllowed, READING_METHODS } from "@orch/http-server";
import type { HealthIndicators, ServerMetrics } from "@orch/observability";
import type { DiscoverySource, SchemaSource } from "@orch/openapi";
import type { RemoteApis } from "@orch/proxy";
import { type ApiRequest, type ApiResponse, plainForm, WATCH_PATH } from "@orch/request";
import type { VersionInfo } from "../version/version-document";
import { CONSOLE_PATH, type ConsoleHandlers } from "./console-handler";
import type { PathHandler } from "./dispatch";
import { type DocsHandlers, EXPLORER_PATH } from "./docs-handler";
import { ISSUER_PATHS, type IssuerDiscovery, issuerDocument, keySet } from "./issuer-discovery";
import { metricsHandler } from "./metrics-handler";
import { version2Handler, version3Handler, version3IndexHandler, version3Name } from "./openapi-handlers";
import type { pageHandlers } from "./page-handlers";
import { PROFILES_PATH, type profileHandlers } from "./profile-handlers";

const AUDIT_PATH = "/debug/audit";

export interface PathDeps {
  readonly metrics: ServerMetrics;
  /** Results of health checks; undefined in releases without the page. */
  readonly healthIndicators: HealthIndicators | undefined;
  readonly pages: ReturnType<typeof pageHandlers>;
  readonly deprecations: PathHandler;
  readonly audit: PathHandler;
  /** Whether the audit log can be read; otherwise its path tells why not, and is not listed. */
  readonly keepsAudit: boolean;
  readonly clients: PathHandler;
  readonly definitions: PathHandler;
  readonly backup: PathHandler;
  readonly migration: PathHandler;
  readonly version: VersionInfo;
  readonly publishedSchema: SchemaSource;
  /** Serves the documents of aggregated API servers. */
  readonly remote: Pick<RemoteApis, "ofSchema" | "answerDocument">;
  readonly docs: DocsHandlers;
  /** Undefined when the console is switched off. */
  readonly console: ConsoleHandlers | undefined;
  /** Debug pages by path; undefined without priority and fairness. */
  readonly flowControl: ReadonlyMap<string, PathHandler> | undefined;
  /** Undefined when the server issues no tokens that others can verify. */
  readonly issuer: IssuerDiscovery | undefined;
  /** Undefined when profiling is disabled. */
  readonly profiles: ReturnType<typeof profileHandlers> | undefined;
  /** A function, because discovery lists these paths too. */
  readonly discovery: () => DiscoverySource;
}

export function pathHandlers(deps: PathDeps): ReadonlyMap<string, PathHandler> {
  const { metrics, version, publishedSchema, docs } = deps;
  const indicators = deps.healthIndicators === undefined ? [] : [deps.healthIndicators];
  const root: PathHandler = (_request, response) => answerJson(response, 200, deps.discovery().paths(), 2);
  return new Map<string, PathHandler>([
    ["/", reading(root)],
    ["/index.html", reading(root)],
    ...withSlash(
      "/version",
      reading((request, response) => answerVersion(request, response, version)),
    ),
    ["/metrics", reading(metricsHandler(metrics))],
    ...indicators.map((each): [string, PathHandler] => ["/metrics/slis", reading(metricsHandler(each))]),
    ...deps.pages.map(([path, page]): [string, PathHandler] => [path, reading(page)]),
    [AUDIT_PATH, reading(deps.audit)],
    ["/debug/backup", reading(deps.backup)],
    ["/debug/clients", reading(deps.clients)],
    ["/debug/definitions", reading(deps.definitions)],
    ["/debug/deprecations", reading(deps.deprecations)],
    ["/debug/migrate", deps.migration],
    ...(deps.profiles === undefined ? [] : withSlash(PROFILES_PATH, reading(deps.profiles.index))),
    ...[...(deps.flowControl ?? [])].map(([path, page]): [string, PathHandler] => [path, reading(page)]),
    ...(deps.issuer === undefined
      ? []
      : ([
          [ISSUER_PATHS.document, reading(issuerDocument(deps.issuer))],
          [ISSUER_PATHS.keys, reading(keySet(deps.issuer))],
        ] as const)),
    ["/openapi/v2", reading(version2Handler(publishedSchema))],
    ...withSlash("/openapi/v3", reading(version3IndexHandler(publishedSchema))),
    ...withSlash(EXPLORER_PATH, reading(docs.page)),
    ...(deps.console === undefined ? [] : withSlash(CONSOLE_PATH, reading(deps.console.page))),
    [WATCH_PATH, onlyWatched],
  ]);
}

/** A GET is a request for several resources, which does not come here. */
const onlyWatched: PathHandler = (_request, response) => {
  throw methodNotAllowed(response, ["GET"]);
};

/** Paths that discovery lists: those that have a document. */
export function namedPaths(
  handlers: ReadonlyMap<string, PathHandler>,
  { keepsAudit }: Pick<PathDeps, "keepsAudit">,
): readonly string[] {
  const isListed = (path: string) => !path.endsWith("/") && path !== WATCH_PATH && (path !== AUDIT_PATH || keepsAudit);
  return [...handlers.keys()].filter((path) => path === "/" || isListed(path));
}

/** Serves a path with a trailing slash too. The two paths are authorized separately. */
const withSlash = (path: string, handler: PathHandler): [string, PathHandler][] => [
  [path, handler],
  [`${path}/`, handler],
];

function answerVersion(request: ApiRequest, response: ApiResponse, version: VersionInfo): void {
  const { contentType, bytes } = plainForm(request);
  answerBytes(response, 200, contentType, bytes(version));
}

/** Handlers by path prefix, with the slash. */
export function treeHandlers(deps: PathDeps): ReadonlyMap<string, PathHandler> {
  const { publishedSchema, docs, remote, profiles } = deps;
  return new Map([
    ["/openapi/v3/", reading(orElsewhere({ remote, publishedSchema }, version3Handler(publishedSchema)))],
    [`${EXPLORER_PATH}/`, reading(docs.part)],
    ...(deps.console === undefined ? [] : ([[`${CONSOLE_PATH}/`, reading(deps.console.part)]] as const)),
    ...(profiles === undefined ? [] : ([[`${PROFILES_PATH}/`, reading(profiles.profile)]] as const)),
  ]);
}

function orElsewhere(
  { remote, publishedSchema }: Pick<PathDeps, "remote" | "publishedSchema">,
  handler: PathHandler,
): PathHandler {
  return (request, response) => {
    const { path, search } = request.context.info;
    const registration = remote.ofSchema(path);
    if (registration === undefined || publishedSchema.makes?.(version3Name(path)) === true)
      return handler(request, response);
    return remote.answerDocument(request, response, { path, search, registration });
  };
}

function reading(handler: PathHandler): PathHandler {
  return (request, response) => {
    if (!READING_METHODS.includes(request.context.info.method)) throw methodNotAllowed(response, READING_METHODS);
    return handler(request, response);
  };
}
