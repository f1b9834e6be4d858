// What every write passes on to the registry.
import { writeTimeoutMs } from "@orch/machinery";
import type { WriteContext } from "@orch/registry";
import type { ResourceRequest } from "./handler";
import { NO_QUERY } from "./handler";

export function writeContext({ request, route }: ResourceRequest, dryRun: boolean): WriteContext {
  const { context } = request;
  if (dryRun) context.dryRun = "All";
  return { version: route.version, user: context.user, dryRun, warn: (text) => context.warn(text) };
}

/** The client's own bound on a write, where it is tighter than the server's. Source: facts, http.md "Query parameters", timeout. */
export function boundWrite({ request }: ResourceRequest): void {
  const { context } = request;
  const timeoutMs = writeTimeoutMs(context.info.query ?? NO_QUERY);
  if (timeoutMs >= context.timeoutMs) return;
  context.timeoutMs = timeoutMs;
  context.timeoutFromClient = true;
  context.deadline = context.receivedAt + timeoutMs;
}
