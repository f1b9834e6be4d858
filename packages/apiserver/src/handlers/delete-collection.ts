// Every object that a list selects, deleted one by one; the answer is the list as it was read.
import { StatusError } from "@orch/machinery";
import type { Entry } from "@orch/registry";
import { readDeleteCollectionOptions } from "./delete-request";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { listFor } from "./list";
import { answerList } from "./list-answer";
import { boundWrite, writeContext } from "./write-context";

export async function deleteCollection(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { response, info } = asked;
  const { route } = info;
  const form = deps.forms.for(asked, "list");
  boundWrite(asked);
  const options = await readDeleteCollectionOptions(deps, asked);
  const listed = await listFor(deps, asked);
  const context = writeContext(asked, options);
  // Past its time the request has been answered, and a client that has gone wants nothing any more.
  const isOver = () => response.writableEnded || response.destroyed;
  const { lane } = deps;
  const { user, dryRun } = context;
  const signal = NEVER;
  const remove = ({ namespace, name, hasManyValues }: Entry): Promise<unknown> => {
    const key = { namespace, name };
    return hasManyValues && lane !== undefined
      ? lane.remove({ route: route.path, key, options, user, dryRun }, signal)
      : route.storage.delete(key, options, context);
  };
  await byWorkers({ workers: deps.deleteWorkers, isOver }, listed.entries, async (entry) => {
    try {
      await remove(entry);
    } catch (error) {
      // Somebody else was faster: what was wanted has come about.
      if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
    }
  });
  if (!isOver()) await answerList(response, form, listed, deps);
}

const NEVER = new AbortController().signal;

/** The first failure ends the work. */
async function byWorkers(
  { workers, isOver }: { readonly workers: number; isOver(): boolean },
  entries: readonly Entry[],
  work: (entry: Entry) => Promise<void>,
): Promise<void> {
  const queue = entries.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const entry of queue) {
      if (failed || isOver()) return;
      await work(entry).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
}
