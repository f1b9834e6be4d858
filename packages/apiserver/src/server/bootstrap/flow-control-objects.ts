// Bootstrap FlowSchemas and PriorityLevelConfigurations: mandatory objects are reconciled, suggested objects are left
// to operators who have changed them. From 1.23 on an annotation tells which; before, suggested objects are created
// only at the first start. Source: pkg/registry/flowcontrol/rest/storage_flowcontrol.go.
import { type BootstrapObject, bootstrapFlowControl } from "@orch/apis";
import { copyJson, isReason, metaOf, sameJson } from "@orch/machinery";
import type { Entry, ResourceStorage, WriteContext } from "@orch/registry";
import { existsIn, isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { canonical, type FlowControlStorages, serverWrite } from "@orch/served-resources";

const MANAGER = "api-priority-and-fairness-config-producer-v1";
/** Releases with the annotation that marks objects reconciled by the server. */
const ANNOTATED = { since: "1.23" };
/** The priority level whose absence indicates the first start. */
const FIRST = "exempt";

export interface FlowControlDeps {
  readonly storages: FlowControlStorages;
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

export async function keepFlowControl({ storages, vocabulary, release }: FlowControlDeps): Promise<void> {
  const { priorityLevels, flowSchemas, formerFlowSchemas } = bootstrapFlowControl(vocabulary, release);
  const annotation = existsIn(ANNOTATED, release) ? vocabulary.annotations.apfAutoupdateSpec : undefined;
  const isFirst = storages.priorityLevels.peek({ namespace: "", name: FIRST }) === undefined;
  const ofKinds = [
    [storages.priorityLevels, priorityLevels],
    [storages.flowSchemas, flowSchemas],
  ] as const;
  for (const [storage, wanted] of ofKinds) {
    const kept = wanted.filter(({ isMandatory }) => isMandatory || isFirst || annotation !== undefined);
    const keep = new Keeper(storage, vocabulary, annotation);
    await Promise.all(kept.map((object) => keep.one(object)));
  }
  const keeper = new Keeper(storages.flowSchemas, vocabulary, annotation);
  await Promise.all(formerFlowSchemas.map((name) => keeper.remove(name)));
}

class Keeper {
  constructor(
    private readonly storage: ResourceStorage,
    private readonly vocabulary: Vocabulary,
    private readonly annotation: string | undefined,
  ) {}

  async one(wanted: BootstrapObject): Promise<void> {
    const { storage } = this;
    const object = this.objectOf(wanted);
    const key = { namespace: "", name: wanted.name };
    try {
      const existing = storage.peek(key) ?? (await storage.seed(object, this.write()));
      const next = existing && this.corrected(existing, object, wanted);
      if (next !== undefined) await storage.update(next, key, this.write());
    } catch (error) {
      // Another replica or an operator was faster: the object is checked again at the next interval.
      if (!isReason(error, "Conflict") && !isReason(error, "NotFound")) throw error;
    }
  }

  /** Deletes an object of an earlier release, unless it belongs to an operator. */
  async remove(name: string): Promise<void> {
    const { storage, annotation } = this;
    const key = { namespace: "", name };
    const existing = storage.peek(key)?.object();
    if (existing === undefined || annotation === undefined) return;
    const { uid = "", resourceVersion = "", annotations } = metaOf(existing);
    if (annotations?.[annotation] !== "true") return;
    try {
      await storage.delete(key, { preconditions: { uid, resourceVersion } }, this.write());
    } catch (error) {
      if (!isReason(error, "Conflict") && !isReason(error, "NotFound")) throw error;
    }
  }

  /** @returns undefined when nothing is to be changed */
  private corrected(entry: Entry, wanted: JsonObject, { isMandatory }: BootstrapObject): JsonObject | undefined {
    const { annotation } = this;
    const existing = entry.object();
    const { generation, annotations = {} } = metaOf(existing);
    if (annotation === undefined)
      return isMandatory && differs(existing, wanted) ? { ...existing, spec: wanted["spec"] ?? {} } : undefined;
    const said = annotations[annotation];
    const isOurs = isMandatory || said === "true" || (said !== "false" && generation === 1);
    const isChanged = isOurs && differs(existing, wanted);
    if (said === String(isOurs) && !isChanged) return undefined;
    const metadata = {
      ...(existing["metadata"] as JsonObject),
      annotations: { ...annotations, [annotation]: String(isOurs) },
    };
    return { ...existing, metadata, ...(isChanged && { spec: wanted["spec"] ?? {} }) };
  }

  /** Returns the object in the storage version, with its defaults. */
  private objectOf({ name, spec }: BootstrapObject): JsonObject {
    const { storage } = this.storage.definition;
    const metadata = { name, ...(this.annotation && { annotations: { [this.annotation]: "true" } }) };
    const hub: JsonObject = {
      kind: storage.kind,
      apiVersion: storage.apiVersion,
      metadata,
      spec: copyJson(spec),
    };
    return storage.fromHub?.(hub) ?? canonical(this.storage, hub);
  }

  private write(): WriteContext {
    return { ...serverWrite(this.storage, this.vocabulary), manager: MANAGER };
  }
}

/** Reports whether the spec differs from the wanted one. Operators choose the seats of the exempt level. */
function differs(existing: JsonObject, wanted: JsonObject): boolean {
  const [one, other] = [existing["spec"], wanted["spec"]];
  if (!isObject(one) || !isObject(other) || one["exempt"] === undefined || other["exempt"] === undefined)
    return !sameJson(one, other);
  return !sameJson({ ...one, exempt: other["exempt"] }, other);
}
