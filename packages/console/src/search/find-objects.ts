// Finds objects by a part of their name. Names alone are read.
import { collectionPath, type Resource } from "../discovery/resource";
import { isAborted } from "../requests/api";
import { itemsOf } from "../requests/lists";
import type { ApiObject } from "../values/api-object";
import { eachInTurn } from "../values/each-in-turn";

export interface FoundObject {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

const AT_A_TIME = 4;
/** Objects of one resource that are examined, and objects that are shown. */
const EXAMINED = 10_000;
const SHOWN = 50;

/**
 * Searches the resources in turn, and reports what it has found so far after each. Resources that the user may not list are
 * left out.
 */
export async function findObjects(
  resources: readonly Resource[],
  name: string,
  { signal, report }: { readonly signal: AbortSignal; readonly report: (found: readonly FoundObject[]) => void },
): Promise<void> {
  const wanted = name.toLowerCase();
  let found: FoundObject[] = [];
  await eachInTurn(resources, AT_A_TIME, async (resource) => {
    if (signal.aborted || found.length >= SHOWN) return;
    try {
      const query = { fields: ".metadata.name" };
      const { items } = await itemsOf<ApiObject>(collectionPath(resource), { query, signal, max: EXAMINED });
      const matching = items.filter(({ metadata }) => metadata.name.includes(wanted));
      if (matching.length === 0) return;
      const added = matching.map(({ metadata }) => ({ resource, namespace: metadata.namespace, name: metadata.name }));
      found = [...found, ...added].slice(0, SHOWN);
      report(found);
    } catch (error) {
      if (isAborted(error)) return;
    }
  });
}
