// Follows flow schemas and priority levels. Changes through other replicas are in force within a second; changes
// through this one before the client gets its answer. Built-in objects stand in for missing mandatory ones.
import { type BootstrapObject, bootstrapFlowControl } from "@orch/apis";
import { copyJson } from "@orch/machinery";
import { errorFields, type Log } from "@orch/platform";
import type { EventLoopYielder, ResourceStorage } from "@orch/registry";
import type { flowcontrolV1, JsonObject, Vocabulary } from "@orch/schema";
import { type FlowSpec, flowSpecOf, type LevelSpec, levelSpecOf } from "../schemas/flow-spec";
import type { FlowControlConfig } from "./fairness-control";

/** All current objects of a resource. */
interface CurrentObjects {
  readonly storage: ResourceStorage;
  of(namespace: string): Iterable<JsonObject>;
}

export interface FlowControlObjectsDeps {
  readonly flowSchemas: CurrentObjects;
  readonly priorityLevels: CurrentObjects;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly loop: EventLoopYielder;
  readonly logger: Log;
  /** Resolves once the configuration is in force. */
  apply(config: FlowControlConfig): Promise<void>;
  /** Called afterwards with all flow schemas, and whether their levels exist. */
  applied(flows: readonly MatchedFlow[]): void;
}

export interface MatchedFlow {
  /** In the hub version; read-only. */
  readonly object: JsonObject;
  readonly spec: FlowSpec;
  readonly isDangling: boolean;
}

/** Delay in which successive changes are gathered. */
const GATHERED_MS = 200;
const RETRY_MS = 1000;

export class FlowControlObjects {
  private readonly builtIn: ReturnType<typeof builtInSpecs>;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private changedMeanwhile = false;
  private closed = false;

  constructor(private readonly deps: FlowControlObjectsDeps) {
    this.builtIn = builtInSpecs(deps.vocabulary, deps.release);
  }

  /** Resolves once the existing objects are in force. */
  async start(): Promise<void> {
    await this.look();
  }

  /** Reports a change. */
  changed(): void {
    if (this.looking !== undefined) this.changedMeanwhile = true;
    else this.lookIn(GATHERED_MS);
  }

  /** Resolves once all reported changes are in force. @throws when they cannot be put in force now */
  async inForce(): Promise<void> {
    while (!this.closed && (this.looking !== undefined || this.timer !== undefined)) await this.look();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private lookIn(ms: number): void {
    if (this.closed || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.look().catch((error: unknown) => {
        this.deps.logger.error("cannot apply the objects of flow control", errorFields(error));
        this.lookIn(RETRY_MS);
      });
    }, ms).unref();
  }

  private look(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
      if (this.changedMeanwhile) this.lookIn(GATHERED_MS);
    });
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    const { deps, builtIn } = this;
    this.changedMeanwhile = false;
    const levels: LevelSpec[] = [];
    for (const object of deps.priorityLevels.of(""))
      levels.push(levelSpecOf(inHub(deps.priorityLevels, object) as flowcontrolV1.PriorityLevelConfiguration));
    levels.push(...missing(builtIn.levels, levels));
    const names = new Set(levels.map(({ name }) => name));
    const found: MatchedFlow[] = [];
    for (const object of [...deps.flowSchemas.of("")]) {
      if (deps.loop.isOver) await deps.loop.next();
      const hub = inHub(deps.flowSchemas, object);
      const spec = flowSpecOf(hub as flowcontrolV1.FlowSchema);
      found.push({ object: hub, spec, isDangling: !names.has(spec.level) });
    }
    const flows = found.filter(({ isDangling }) => !isDangling).map(({ spec }) => spec);
    flows.push(...missing(builtIn.flows, flows));
    await deps.apply({ levels, flows: flows.sort(inOrder) });
    deps.applied(found);
  }
}

const missing = <Spec extends { readonly name: string }>(wanted: readonly Spec[], there: readonly Spec[]): Spec[] =>
  wanted.filter(({ name }) => !there.some((each) => each.name === name));

const inOrder = (one: FlowSpec, other: FlowSpec): number =>
  one.precedence - other.precedence || (one.name < other.name ? -1 : 1);

function inHub({ storage }: CurrentObjects, object: JsonObject): JsonObject {
  const { toHub } = storage.definition.storage;
  return toHub === undefined ? object : toHub(copyJson(object));
}

function builtInSpecs(
  vocabulary: Vocabulary,
  release: string,
): { readonly levels: LevelSpec[]; readonly flows: FlowSpec[] } {
  const { priorityLevels, flowSchemas } = bootstrapFlowControl(vocabulary, release);
  const mandatory = (objects: readonly BootstrapObject[]) =>
    objects.filter(({ isMandatory }) => isMandatory).map(({ name, spec }) => ({ metadata: { name }, spec }));
  return {
    levels: mandatory(priorityLevels).map((level) => levelSpecOf(level as object)),
    flows: mandatory(flowSchemas).map((flow) => flowSpecOf(flow as object)),
  };
}
