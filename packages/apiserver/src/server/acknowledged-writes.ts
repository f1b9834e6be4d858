// The rule: what this replica has acknowledged counts for every request that it reads afterwards. The answer to a write of an object by
// which the server itself decides is sent when the decision is made by the new object. Other replicas follow within the delay of their
// watches of the store.
//
// Where a request reads the watch cache itself (admission, tokens, namespaces), it is enough that the cache has the write. What is
// computed from the cache (flow control, roles, served definitions) is computed before the answer.
import { type ResourceDefinition, resourceText } from "@orch/machinery";
import { errorFields } from "@orch/platform";
import type { ObjectKey, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Logger } from "../logging/logger";

export interface AcknowledgedWritesParts {
  readonly vocabulary: Vocabulary;
  /** Undefined where the limits of requests in flight apply. */
  readonly flowControl: { inForce(): Promise<void> } | undefined;
  readonly rbac: { inForce(): Promise<void> };
  readonly definitions: { settled(name: string): Promise<void> };
  /** What admission reads of the cache: whatever plugins follow, and the parameters of policies. */
  readonly admission: { readsFromCache(plural: string): boolean };
  readonly logger: Logger;
}

export interface AcknowledgedWrite {
  readonly definition: ResourceDefinition;
  readonly storage: ResourceStorage;
  /** Name "": objects of a collection. */
  readonly key: ObjectKey;
  /** Of the write. Absent: the newest of the store. */
  readonly revision?: number | undefined;
}

/** The write is done: a cache or a computation that is late holds up its answer no longer than this. */
const WAIT_MS = 2_000;

/** Puts in force what is computed from the cache. */
type Compute = (key: ObjectKey) => Promise<void>;

interface Governing {
  readonly group: string;
  readonly compute: Compute | undefined;
}

export class AcknowledgedWrites {
  /** By the plural name of the resource. */
  private readonly governing: ReadonlyMap<string, Governing>;

  constructor(private readonly parts: AcknowledgedWritesParts) {
    this.governing = governingResources(parts);
  }

  /** Resolves once the write is in force, and never rejects. @returns undefined where the server decides nothing by such objects */
  inForce({ definition, storage, key, revision }: AcknowledgedWrite): Promise<void> | undefined {
    const { plural, group } = definition;
    const found = this.governing.get(plural);
    const compute = found?.group === group ? found.compute : undefined;
    if (found?.group !== group && !this.parts.admission.readsFromCache(plural)) return undefined;
    const reached = async (): Promise<void> => {
      await storage.caughtUp?.({ revision });
      await compute?.(key);
    };
    return this.inTime(reached(), definition);
  }

  private async inTime(reached: Promise<void>, { group, plural }: ResourceDefinition): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not within ${WAIT_MS} ms`)), WAIT_MS).unref();
    });
    try {
      await Promise.race([reached, late]);
    } catch (error) {
      const resource = resourceText({ group, resource: plural });
      this.parts.logger.warn("a write is answered before it is in force", { resource, ...errorFields(error) });
    } finally {
      clearTimeout(timer);
    }
  }
}

function governingResources(parts: AcknowledgedWritesParts): ReadonlyMap<string, Governing> {
  const { flowControl, rbac, definitions } = parts;
  const { groups } = parts.vocabulary;
  const flows = flowControl && (() => flowControl.inForce());
  const roles = () => rbac.inForce();
  const rows: readonly (readonly [group: string, plurals: readonly string[], compute?: Compute | undefined])[] = [
    ["", ["namespaces", "serviceaccounts", "secrets"]],
    [groups.apiextensions, ["customresourcedefinitions"], ({ name }) => definitions.settled(name)],
    [groups.apiregistration, ["apiservices"]],
    [groups.flowcontrol, ["flowschemas", "prioritylevelconfigurations"], flows],
    [groups.rbac, ["clusterroles", "clusterrolebindings", "roles", "rolebindings"], roles],
  ];
  return new Map(rows.flatMap(([group, plurals, compute]) => plurals.map((plural) => [plural, { group, compute }])));
}
