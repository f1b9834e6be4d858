// `GET /debug/audit`: the newest events of the audit log that this server keeps in a file. Source: docs/audit.md, "Read
// the log".
import { eventFilter, FILTER_NAMES, NoRegularFileError, readTail, type TailPosition } from "@orch/audit";
import { answerBytes, JSON_TYPE } from "@orch/http-server";
import { badRequest, StatusError, tooManyRequests } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "@orch/server-config";
import type { PathHandler } from "./dispatch";

export interface AuditHandlerDeps {
  readonly config: Pick<ServerConfig, "audit-log-path" | "audit-log-format" | "audit-policy-file">;
  readonly vocabulary: Pick<Vocabulary, "auditAnnotations">;
  readonly loop: EventLoopYielder;
}

/** Maximum number of concurrent readers. */
const AT_ONCE_MAX = 2;
const DEFAULT_LIMIT = 100;
const LIMIT_MAX = 500;
const PARAMETERS: ReadonlySet<string> = new Set([...FILTER_NAMES, "limit", "continue"]);

/**
 * Answers `{events, unreadable, readBytes, continue}`, the newest event first and without the bodies of requests and
 * responses. `continue` is the parameter for older events; absent at the beginning of the file. Files that rotation has
 * set aside are not read. `unreadable` counts lines that are no event.
 */
export function auditHandler({ config, vocabulary, loop }: AuditHandlerDeps): PathHandler {
  const decisionKey = vocabulary.auditAnnotations.authorizationDecision;
  let running = 0;
  return async (request, response) => {
    const lack = whyNotKept(config);
    if (lack !== undefined) throw notKept(lack);
    const query = request.context.info.query ?? new URLSearchParams();
    const options = optionsOf(query, decisionKey);
    if (running === AT_ONCE_MAX) throw tooManyRequests("others read the audit log", { retryAfterSeconds: 1 });
    running += 1;
    try {
      const { end } = request.context;
      const { events, unreadable, readBytes, next } = await readTail(config["audit-log-path"], options, {
        loop,
        isGone: () => end.aborted,
      });
      const rest = { unreadable, readBytes, ...(next && { continue: tokenOf(next) }) };
      const text = `{"events":[${events.join(",\n")}],${JSON.stringify(rest).slice(1)}\n`;
      answerBytes(response, 200, JSON_TYPE, Buffer.from(text));
    } catch (error) {
      throw error instanceof NoRegularFileError ? notKept("the audit log of this server is not a file") : error;
    } finally {
      running -= 1;
    }
  };
}

/** Whether this server keeps a log that it can read. */
export const keepsAuditLog = (config: AuditHandlerDeps["config"]): boolean => whyNotKept(config) === undefined;

function whyNotKept(config: AuditHandlerDeps["config"]): string | undefined {
  const path = config["audit-log-path"];
  if (config["audit-policy-file"] === "" || path === "") return "this server keeps no audit log";
  if (path === "-") return "this server writes its audit log to the standard output and does not keep it";
  if (config["audit-log-format"] === "legacy")
    return "this server writes its audit log as lines of text, which have no filters: --audit-log-format=legacy";
  return undefined;
}

const REMEDY = "the page needs --audit-policy-file, --audit-log-path=FILE and --audit-log-format=json";
const notKept = (why: string) => new StatusError("NotFound", `${why}: ${REMEDY}`);

/** @throws StatusError BadRequest (400) that names the parameter */
function optionsOf(query: URLSearchParams, decisionKey: string) {
  for (const name of query.keys()) {
    if (!PARAMETERS.has(name)) throw badRequest(`unknown parameter: use ${[...PARAMETERS].join(", ")}`);
    if (query.getAll(name).length > 1) throw badRequest(`${name}: must not be repeated`);
  }
  const limit = query.get("limit") || String(DEFAULT_LIMIT);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > LIMIT_MAX)
    throw badRequest(`limit: must be a number from 1 to ${LIMIT_MAX}`);
  return {
    filter: eventFilter(query, decisionKey),
    limit: Number(limit),
    position: positionOf(query.get("continue") ?? ""),
  };
}

const tokenOf = ({ inode, offset }: TailPosition): string => `${inode.toString(36)}-${offset.toString(36)}`;

function positionOf(token: string): TailPosition | undefined {
  if (token === "") return undefined;
  const parts = /^([0-9a-z]{1,14})-([0-9a-z]{1,10})$/.exec(token);
  if (parts === null) throw badRequest("continue: must be the value of an earlier answer");
  return { inode: Number.parseInt(parts[1] as string, 36), offset: Number.parseInt(parts[2] as string, 36) };
}
