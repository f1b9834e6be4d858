// Deletes every object that a list selects, one by one. The answer is the list as it was read.
import { field, IGNORES_READ_ERROR, invalid, isReason } from "@orch/machinery";
import type { Entry, ObjectKey } from "@orch/registry";
import { preparedFor } from "@orch/request";
import { readDeleteCollectionOptions } from "./delete-request";
import type { HandlerDeps, ResourceRequest } from "./handler";
import { inForce } from "./in-force";
import { listFor } from "./list";
import { answerList } from "./list-answer";
import { boundWrite, writeContext } from "./write-context";

export async function deleteCollection(deps: HandlerDeps, asked: ResourceRequest): Promise<void> {
  const { request, response, info } = asked;
  const { route } = info;
  const form = deps.forms.for(asked, "list");
  boundWrite(asked);
  const options = readDeleteCollectionOptions(deps, asked);
  if (options.ignoresReadError) throw notForCollections(deps);
  const listed = await listFor(deps, asked);
  if (route.storage.prepare !== undefined) await preparedFor(route, listed.entries, request.context.end);
  const context = writeContext(asked, options, { pathName: "" });
  // Unreadable objects are in no list; a request that deletes everything deletes them too.
  const unread = !deps.gates.AllowUnsafeMalformedObjectDeletion && selectsAll(asked) ? unreadableKeys(asked) : [];
  // After its timeout the request has been answered; a client that has left needs no result.
  const { end } = request.context;
  const isOver = () => end.aborted;
  const { largeObjectWorkers } = deps;
  const { user, dryRun } = context;
  const remove = (of: Entry | ObjectKey): Promise<unknown> => {
    const key = { namespace: of.namespace, name: of.name };
    return "isLarge" in of && of.isLarge && largeObjectWorkers !== undefined && route.inWorkers
      ? largeObjectWorkers.remove({ route: route.path, key, options, user, dryRun, pathName: "" }, end)
      : route.storage.delete(key, options, context);
  };
  await byWorkers({ workers: deps.deleteWorkers, isOver }, [...listed.entries, ...unread], async (entry) => {
    try {
      await remove(entry);
    } catch (error) {
      // The object was deleted by another request.
      if (!isReason(error, "NotFound")) throw error;
    }
  });
  await inForce(deps, asked);
  if (!isOver()) await answerList(response, form, listed, deps);
}

const notForCollections = ({ vocabulary }: HandlerDeps) =>
  invalid({ group: vocabulary.groups.meta, kind: "DeleteOptions" }, "", [
    field.invalid(
      IGNORES_READ_ERROR,
      true,
      "is not allowed with DELETECOLLECTION, try again after removing the option",
    ),
  ]);

/** Whether the request selects all objects of its namespace. */
function selectsAll({ request }: ResourceRequest): boolean {
  const { query } = request.context.info;
  return PARTS.every((option) => (query?.get(option) ?? "") === "");
}

const PARTS = ["labelSelector", "fieldSelector", "shardSelector", "limit", "continue", "resourceVersion"];

function unreadableKeys({ info }: ResourceRequest): ObjectKey[] {
  const { route, key } = info;
  const { paths } = route.storage.unreadable(key.namespace, Number.POSITIVE_INFINITY);
  return paths.map((path) => {
    const slash = route.definition.scope === "Namespaced" ? path.indexOf("/") : -1;
    return { namespace: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
  });
}

/** The first failure ends the work. */
async function byWorkers(
  { workers, isOver }: { readonly workers: number; isOver(): boolean },
  keys: readonly ObjectKey[],
  work: (key: ObjectKey) => Promise<void>,
): Promise<void> {
  const queue = keys.values();
  let failed = false;
  async function worker(): Promise<void> {
    for (const key of queue) {
      if (failed || isOver()) return;
      await work(key).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, workers) }, worker));
}
