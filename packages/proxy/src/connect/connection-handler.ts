// Common steps of requests to backends, and the choice of their handler. Source:
// pkg/registry/core/pod/rest/subresources.go.
import { randomUUID } from "node:crypto";
import { BAD_REQUEST_TEXT, badRequest, copyJson, sameJson, whenAdmitted } from "@orch/machinery";
import { NO_QUERY } from "@orch/request";
import type { JsonObject } from "@orch/schema";
import type { ConnectDeps, ConnectRequest } from "./connect-request";
import { passLog } from "./log";
import { passRequest } from "./proxy";
import { type StreamKind, streamOptions, streamQuery } from "./stream-options";
import { relayStreams } from "./stream-relay";

/** Answers the request. @throws StatusError to be answered */
export async function handleConnection(deps: ConnectDeps, asked: ConnectRequest): Promise<void> {
  const { info } = asked;
  const { name } = info.route.connection;
  switch (name) {
    case "log":
      return passLog(deps, asked);
    case "exec":
    case "attach":
    case "portforward":
      return connect(deps, asked, streamOptions(name, info.query ?? NO_QUERY), async (changed) => {
        if (info.verb !== "create") await deps.requireCreate?.(asked.request);
        const query = changed === undefined ? info.query : streamQuery(changed);
        return relayStreams(deps, { ...asked, info: { ...info, ...(query && { query }) } }, name satisfies StreamKind);
      });
    case "proxy":
      return connect(deps, asked, { path: info.tail }, (changed) => {
        // The original path was authorized.
        if (changed !== undefined) throw badRequest("admission may not change the path of a proxied request");
        return passRequest(deps, asked);
      });
  }
}

/**
 * @param work called with the options when admission changed them, otherwise with undefined
 * @throws StatusError BadRequest (400) for a dry run, which is not supported; the error of an admission plugin
 */
function connect(
  { admission }: ConnectDeps,
  { request, info }: ConnectRequest,
  options: JsonObject,
  work: (changed: JsonObject | undefined) => void | Promise<void>,
): Promise<void> {
  const { context } = request;
  const { route, key } = info;
  if (info.query?.has("dryRun")) throw badRequest(BAD_REQUEST_TEXT.dryRunOfConnection());
  const kind = route.bodies;
  // Decodes the options like a body of their kind, which drops absent fields.
  const object = kind.type.decode({ kind: kind.kind, apiVersion: kind.apiVersion, ...options }).value;
  const parts = {
    operation: "CONNECT",
    definition: route.definition,
    version: route.version,
    kind,
    subresource: route.connection.name,
    ...key,
    pathName: key.name,
    user: context.user,
    options: undefined,
    object: copyJson(object),
    oldObject: undefined,
  } as const;
  const sinks = {
    dryRun: false,
    signal: context.end,
    warn: (text: string) => context.warn(text),
    annotate: (...annotation: Parameters<typeof context.annotate>) => context.annotate(...annotation),
  };
  return whenAdmitted(admission, { sinks, parts, newUid: randomUUID }, (admitted) =>
    work(sameJson(admitted, object) ? undefined : admitted),
  );
}
