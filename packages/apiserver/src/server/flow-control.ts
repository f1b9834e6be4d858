// Priority and fairness, put together: the objects that say how it is to be, the control that keeps to them, and what it tells people.
import type { StatusError } from "@orch/machinery";
import { type Clock, systemClock } from "@orch/platform";
import type { Entry, LoopTurns, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import { DanglingConditions } from "../fairness/dangling-conditions";
import { fairnessPages } from "../fairness/debug-pages";
import type { FairnessControl } from "../fairness/fairness-control";
import { FlowControlObjects } from "../fairness/flow-control-objects";
import type { Logger } from "../logging/logger";
import { keepFlowControl } from "./bootstrap/flow-control-objects";
import { ObjectMirror } from "./object-mirror";
import { ownWrite } from "./own-identity";
import type { FlowControlStorages } from "./resource-storages";

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
  /** By path. */
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

  /** Resolves once what is stored is in force. @throws what the cache says */
  async start(): Promise<void> {
    await Promise.all(this.mirrors.map((mirror) => mirror.start()));
    await this.objects.start();
  }

  /** Resolves once what the cache holds by now is in force. @throws where it cannot be */
  inForce(): Promise<void> {
    return this.objects.inForce();
  }

  /** Makes what every server has, and puts right what nobody changes. */
  keep(): Promise<void> {
    return keepFlowControl(this.deps);
  }

  close(): void {
    this.objects.close();
    for (const mirror of this.mirrors) mirror.close();
  }
}
