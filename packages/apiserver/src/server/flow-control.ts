// Priority and fairness: its configuration objects, the controller and its status and debug output.

import { DanglingConditions, type FairnessControl, FlowControlObjects, fairnessPages } from "@orch/flow-control";
import type { StatusError } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { type Clock, systemClock } from "@orch/platform";
import type { Entry, EventLoopYielder, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import { type FlowControlStorages, ParsedObjects, serverWrite } from "@orch/served-resources";
import { keepFlowControl } from "./bootstrap/flow-control-objects";

export interface FlowControlDeps {
  readonly control: FairnessControl;
  readonly storages: FlowControlStorages;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly loop: EventLoopYielder;
  readonly logger: Logger;
  readonly clock?: Clock;
}

export class FlowControl {
  /** Debug pages by path. */
  readonly pages: ReturnType<typeof fairnessPages>;
  private readonly parsed: readonly ParsedObjects[];
  private readonly objects: FlowControlObjects;

  constructor(private readonly deps: FlowControlDeps) {
    const { control, storages, vocabulary, release, loop, logger, clock = systemClock } = deps;
    this.pages = fairnessPages(() => control.levels.all(), clock);
    const dangling = new DanglingConditions({
      storage: storages.flowSchemas,
      logger,
      write: serverWrite(storages.flowSchemas, vocabulary),
      nowMs: () => clock.now(),
    });
    const changed = () => this.objects.changed();
    const tooLarge = ({ path }: Entry, { message }: StatusError) =>
      logger.error("an object of flow control has no effect", { object: path, why: message });
    const parsed = (storage: ResourceStorage) => {
      const objects = new ParsedObjects({ storage, logger, changed, tooLarge });
      return { storage, objects, of: (namespace: string) => objects.of(namespace) };
    };
    const flowSchemas = parsed(storages.flowSchemas);
    const priorityLevels = parsed(storages.priorityLevels);
    this.parsed = [flowSchemas.objects, priorityLevels.objects];
    this.objects = new FlowControlObjects({
      flowSchemas,
      priorityLevels,
      ...{ vocabulary, release, loop, logger },
      apply: (config) => control.replace(config, () => (loop.isOver ? loop.next() : undefined)),
      applied: (flows) => dangling.keep(flows),
    });
  }

  /** Resolves when the stored configuration is in force. @throws the error of the cache */
  async start(): Promise<void> {
    await Promise.all(this.parsed.map((objects) => objects.start()));
    await this.objects.start();
  }

  /** Resolves when the configuration in the cache is in force. @throws Error when it cannot be put in force */
  inForce(): Promise<void> {
    return this.objects.inForce();
  }

  /** Creates bootstrap objects and reconciles mandatory ones. */
  keep(): Promise<void> {
    return keepFlowControl(this.deps);
  }

  close(): void {
    this.objects.close();
    for (const objects of this.parsed) objects.close();
  }
}
