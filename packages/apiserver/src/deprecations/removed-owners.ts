// Finds field managers of versions that a release removes. Their managedFields entries stay readable, but the manager
// can no longer write through that version.
import { ANY, isServed, type ResourceDefinition } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";

export interface RemovedOwners {
  readonly group: string;
  readonly resource: string;
  /** API version of the entries. */
  readonly apiVersion: string;
  readonly replacement: string;
  /** Number of objects with such entries. */
  readonly objects: number;
  readonly managers: readonly { readonly manager: string; readonly objects: number }[];
  /** `[<namespace>/]<name>` of some objects. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 10;
/** Number of objects read between two turns of the event loop. */
const SLICE_OBJECTS = 100;

/** @param release the removing release, such as `1.24` */
export async function removedOwners(
  storages: readonly ResourceStorage[],
  release: string,
): Promise<readonly RemovedOwners[]> {
  const found: RemovedOwners[] = [];
  for (const storage of storages) found.push(...(await ownersOf(storage, release)));
  return found;
}

async function ownersOf(storage: ResourceStorage, release: string): Promise<readonly RemovedOwners[]> {
  const { definition } = storage;
  const leaving = new Map(leavingVersions(definition, release).map((each) => [each.apiVersion, new Tally()]));
  if (leaving.size === 0) return [];
  const { entries } = await storage.list({ namespace: "", read: ANY, selection: {}, limit: 0 });
  for (let at = 0; at < entries.length; at += SLICE_OBJECTS) {
    for (const entry of entries.slice(at, at + SLICE_OBJECTS)) {
      const path = entry.namespace === "" ? entry.name : `${entry.namespace}/${entry.name}`;
      for (const [apiVersion, managers] of managersIn(entry)) leaving.get(apiVersion)?.add(path, managers);
    }
    await new Promise(setImmediate);
  }
  return [...leaving].flatMap(([apiVersion, tally]) =>
    tally.objects === 0 ? [] : [reportOf(definition, apiVersion, tally)],
  );
}

/** Returns the versions that are served now but not in the given release. */
function leavingVersions({ versions }: ResourceDefinition, release: string) {
  return versions.filter(({ lifecycle }) => !isServed(lifecycle, release));
}

/** Returns the managers by version. */
function managersIn(entry: Entry): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { apiVersion, manager } of entry.owners()) {
    const managers = found.get(apiVersion) ?? new Set();
    found.set(apiVersion, managers.add(manager));
  }
  return found;
}

class Tally {
  objects = 0;
  readonly byManager = new Map<string, number>();
  readonly examples: string[] = [];

  add(path: string, managers: ReadonlySet<string>): void {
    this.objects += 1;
    for (const manager of managers) this.byManager.set(manager, (this.byManager.get(manager) ?? 0) + 1);
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(path);
  }
}

function reportOf(definition: ResourceDefinition, apiVersion: string, tally: Tally): RemovedOwners {
  const version = definition.versions.find((each) => each.apiVersion === apiVersion);
  return {
    group: version?.group ?? "",
    resource: definition.plural,
    apiVersion,
    replacement: version?.lifecycle?.replacement ?? "",
    objects: tally.objects,
    managers: [...tally.byManager].map(([manager, objects]) => ({ manager, objects })),
    examples: tally.examples,
  };
}
