// The flow schemas and priority levels that every cluster has: mandatory ones are put right, suggested ones are left to the operators who
// have taken them over. From 1.23 on an annotation says who has; before, suggested ones are made at the first start alone.
// Source: facts, apiserver-hooks.md "priority-and-fairness-config-producer"; rbac-bootstrap.json "flowcontrol.ensure".
import { type BootstrapObject, bootstrapFlowControl } from "@orch/apis";
import { copyJson, isReason, metaOf, sameJson } from "@orch/machinery";
import type { Entry, ResourceStorage, WriteContext } from "@orch/registry";
import { existsIn, type JsonObject, type Vocabulary } from "@orch/schema";
import { ownWrite } from "../own-identity";
import type { FlowControlStorages } from "../resource-storages";
import { canonical } from "./own-objects";

const MANAGER = "api-priority-and-fairness-config-producer-v1";
/** Says of an object that the server keeps it as it should be. */
const ANNOTATED = { since: "1.23" };
/** Of the levels, the one whose absence says that this is the first start. */
const FIRST = "exempt";

export interface FlowControlDeps {
  readonly storages: FlowControlStorages;
  readonly vocabulary: Vocabulary;
  readonly release: string;
}

export async function keepFlowControl({ storages, vocabulary, release }: FlowControlDeps): Promise<void> {
  const { priorityLevels, flowSchemas } = bootstrapFlowControl(vocabulary);
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
      // Another replica, or an operator, was faster: it is looked at again the next time.
      if (!isReason(error, "Conflict") && !isReason(error, "NotFound")) throw error;
    }
  }

  /** @returns undefined where nothing is to be changed */
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

  /** In the storage version, with its defaults. */
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
    return { ...ownWrite(this.storage, this.vocabulary), manager: MANAGER };
  }
}

const differs = (one: JsonObject, other: JsonObject): boolean => !sameJson(one["spec"], other["spec"]);
