// Every object that a list selects, deleted one by one; the answer is the list as it was read.
import { parseListOptions, StatusError } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import { requireJson } from "./content-negotiation";
import { readDeleteOptions } from "./delete";
import { type HandlerDeps, NO_QUERY, type ResourceRequest } from "./handler";
import { selectionOf } from "./list";
import { answerList } from "./list-answer";
import { boundWrite, writeContext } from "./write-context";

export async function deleteCollection(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, route, key } = asked;
  requireJson(request);
  boundWrite(asked);
  const { dryRun } = await readDeleteOptions(deps, asked);
  const options = parseListOptions(request.context.info.query ?? NO_QUERY, deps.vocabulary);
  const listed = await route.storage.list({
    namespace: key.namespace,
    read: options.read,
    selection: selectionOf(options, route),
    limit: options.limit,
    ...(options.continueToken === "" ? {} : { continueToken: options.continueToken }),
  });
  const context = writeContext(asked, { dryRun });
  await byWorkers(deps.deleteWorkers, listed.entries, async ({ namespace, name }) => {
    try {
      await route.storage.delete({ namespace, name }, {}, context);
    } catch (error) {
      // Somebody else was faster: what was wanted has come about.
      if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
    }
  });
  await answerList(response, route.version, route.definition.listKind, { ...listed, chunked: options.limit > 0 });
}

/** The first failure ends the work. */
async function byWorkers(
  workers: number,
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const queue = entries.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const entry of queue) {
      if (failed) return;
      await work(entry).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
}
