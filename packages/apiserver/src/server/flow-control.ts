// Priority and fairness: its configuration objects, the controller and its status and debug output.

import { DanglingConditions, type FairnessControl, FlowControlObjects, fairnessPages } from "@orch/flow-control";
import type { StatusError } from "@orch/machinery";
import { type Clock, systemClock } from "@orch/platform";
import type { Entry, LoopTurns, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Logger } from "../logging/logger";
import { ObjectMirror } from "../serving/object-mirror";
import { ownWrite } from "../serving/own-identity";
import type { FlowControlStorages } from "../serving/resource-storages";
import { keepFlowControl } from "./bootstrap/flow-control-objects";

export interface FlowControlDeps {
  readonly control: FairnessControl;
  readonly storages: FlowControlStorages;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly loop: LoopTurns;
  readonly logger: Logger;
  readonly clock?: Clock;
}

export class FlowControl {
  /** Debug pages by path. */
  readonly pages: ReturnType<typeof fairnessPages>;
  private readonly mirrors: readonly ObjectMirror[];
  private readonly objects: FlowControlObjects;

  constructor(private readonly deps: FlowControlDeps) {
    const { control, storages, vocabulary, loop, logger, clock = systemClock } = deps;
    this.pages = fairnessPages(() => control.levels.all(), clock);
    const dangling = new DanglingConditions({
      storage: storages.flowSchemas,
      logger,
      write: ownWrite(storages.flowSchemas, vocabulary),
      nowMs: () => clock.now(),
    });
    const changed = () => this.objects.changed();
    const tooLarge = ({ path }: Entry, { message }: StatusError) =>
      logger.error("an object of flow control has no effect", { object: path, why: message });
    const mirrored = (storage: ResourceStorage) => {
      const mirror = new ObjectMirror(storage, { changed, tooLarge });
      return { storage, mirror, of: (namespace: string) => mirror.of(namespace) };
    };
    const flowSchemas = mirrored(storages.flowSchemas);
    const priorityLevels = mirrored(storages.priorityLevels);
    this.mirrors = [flowSchemas.mirror, priorityLevels.mirror];
    this.objects = new FlowControlObjects({
      flowSchemas,
      priorityLevels,
      ...{ vocabulary, loop, logger },
      apply: (config) => control.replace(config, () => (loop.isOver ? loop.next() : undefined)),
      applied: (flows) => dangling.keep(flows),
    });
  }

  /** Resolves when the stored configuration is in force. @throws the error of the cache */
  async start(): Promise<void> {
    await Promise.all(this.mirrors.map((mirror) => mirror.start()));
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
    for (const mirror of this.mirrors) mirror.close();
  }
}
