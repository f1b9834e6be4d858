// Read-your-writes for objects that govern the server: a write that this replica has acknowledged is in force for every
// later request. The answer to such a write is sent when the server's decisions use the new object. Other replicas
// follow within the delay of their store watches.
//
// When a request reads the watch cache itself (admission, tokens, namespaces), it is enough that the cache has the
// write. State that is computed from the cache (flow control, roles, served definitions) is computed before the answer.
import { type ResourceDefinition, resourceText } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ObjectKey, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";

export interface AcknowledgedWritesParts {
  readonly vocabulary: Vocabulary;
  /** Undefined when the in-flight limits apply instead. */
  readonly flowControl: { inForce(): Promise<void> } | undefined;
  readonly rbac: { inForce(): Promise<void> };
  readonly definitions: { settled(name: string): Promise<void> };
  /** Resources that admission reads from the cache: those that plugins follow, and the parameters of policies. */
  readonly admission: { readsFromCache(plural: string): boolean };
  readonly logger: Logger;
}

export interface AcknowledgedWrite {
  readonly definition: ResourceDefinition;
  readonly storage: ResourceStorage;
  /** Name "" stands for the objects of a collection. */
  readonly key: ObjectKey;
  /** Revision of the write. Absent: the newest revision of the store. */
  readonly revision?: number | undefined;
}

/** The write is already done: a late cache or computation delays its answer by at most this time. */
const WAIT_MS = 2_000;

/** Puts in force what is computed from the cache. */
type Compute = (key: ObjectKey) => Promise<void>;

interface Governing {
  readonly group: string;
  readonly compute: Compute | undefined;
}

export class AcknowledgedWrites {
  /** Entries by the plural name of the resource. */
  private readonly governing: ReadonlyMap<string, Governing>;

  constructor(private readonly parts: AcknowledgedWritesParts) {
    this.governing = governingResources(parts);
  }

  /**
   * Resolves when the write is in force. Never rejects.
   * @returns undefined when such objects do not govern the server
   */
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
      timer = setTimeout(() => reject(new Error(`not applied within ${WAIT_MS} ms`)), WAIT_MS).unref();
    });
    try {
      await Promise.race([reached, late]);
    } catch (error) {
      const resource = resourceText({ group, resource: plural });
      this.parts.logger.warn("a write was answered before its effect was applied", { resource, ...errorFields(error) });
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
