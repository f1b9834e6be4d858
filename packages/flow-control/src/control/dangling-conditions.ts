// Maintains the condition of each flow schema that tells whether its priority level exists. Any number of replicas do
// so; each writes the conditions that differ, and the first write wins.
import { isReason, timestamp } from "@orch/machinery";
import { errorFields, type Log } from "@orch/platform";
import type { ResourceStorage, WriteContext } from "@orch/registry";
import type { JsonObject } from "@orch/schema";
import type { MatchedFlow } from "./flow-control-objects";

export interface DanglingDeps {
  readonly storage: ResourceStorage;
  readonly logger: Log;
  /** Context of the server's own writes. */
  readonly write: WriteContext;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
}

const MANAGER = "api-priority-and-fairness-config-consumer-v1";
const TYPE = "Dangling";
/** Maximum number of concurrent writes. */
const WRITERS = 4;

type Condition = Readonly<Record<string, string>>;

export class DanglingConditions {
  private wanted = new Map<string, Condition>();
  private writing = 0;

  constructor(private readonly deps: DanglingDeps) {}

  /** Writes the conditions that are missing or different. */
  keep(flows: readonly MatchedFlow[]): void {
    this.wanted = new Map();
    for (const { object, spec, isDangling } of flows) {
      const condition = conditionOf(spec.level, isDangling);
      if (!isSaid(conditionsIn(object), condition)) this.wanted.set(spec.name, condition);
    }
    while (this.writing < WRITERS && this.wanted.size > this.writing) void this.writeAll();
  }

  private async writeAll(): Promise<void> {
    this.writing += 1;
    for (;;) {
      const [next] = this.wanted;
      if (next === undefined) break;
      this.wanted.delete(next[0]);
      await this.write(...next);
    }
    this.writing -= 1;
  }

  private async write(name: string, condition: Condition): Promise<void> {
    const { storage, logger, write, nowMs } = this.deps;
    const rules = storage.definition.subresources["status"];
    const subresource = rules && { name: "status", rules };
    const key = { namespace: "", name };
    const flow = storage.peek(key)?.object();
    if (flow === undefined) return;
    const next = withCondition(flow, { ...condition, lastTransitionTime: timestamp(nowMs()) });
    try {
      await storage.update(next, key, { ...write, manager: MANAGER, ...(subresource && { subresource }) });
    } catch (error) {
      // A deleted flow schema has no status; one that was changed meanwhile is looked at again.
      if (isReason(error, "NotFound") || isReason(error, "Conflict")) return;
      logger.warn("cannot update the status of a flow schema", { flowSchema: name, ...errorFields(error) });
    }
  }
}

const conditionOf = (level: string, isDangling: boolean): Condition => {
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return isDangling
    ? { type: TYPE, status: "True", reason: "NotFound", message: `${refers} but there is no such object` }
    : { type: TYPE, status: "False", reason: "Found", message: `${refers} and it exists` };
};

function conditionsIn(flow: JsonObject): readonly Condition[] {
  const { conditions = [] } = (flow["status"] ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions;
}

const isSaid = (conditions: readonly Condition[], { status, reason, message }: Condition): boolean =>
  conditions.some(
    (each) =>
      each["type"] === TYPE && each["status"] === status && each["reason"] === reason && each["message"] === message,
  );

function withCondition(flow: JsonObject, condition: Condition): JsonObject {
  const others = conditionsIn(flow).filter(({ type }) => type !== TYPE);
  const former = conditionsIn(flow).find(({ type }) => type === TYPE);
  const since = former?.["status"] === condition["status"] ? former?.["lastTransitionTime"] : undefined;
  const next = since === undefined ? condition : { ...condition, lastTransitionTime: since };
  return { ...flow, status: { ...(flow["status"] as JsonObject | undefined), conditions: [...others, next] } };
}
