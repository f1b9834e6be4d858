// Informers that several controllers share, with only the parts of objects that they read. They run as the manager,
// regardless of the accounts of the controllers.
import { builtInTypes, type Client, type Informer, InformerFactory, type ResourceType } from "@orch/client";
import type { coreV1 } from "@orch/schema";
import { placedNode, reachablePod, routedService } from "./cached-parts";

export class SharedViews {
  private readonly factory: InformerFactory;

  constructor(private readonly client: Client) {
    this.factory = new InformerFactory(client);
  }

  /** Starts the informers, present and future ones, until the signal is aborted. */
  start(signal: AbortSignal): void {
    this.factory.start(signal);
  }

  async stopped(): Promise<void> {
    await this.factory.stopped();
  }

  pods(): Informer<coreV1.Pod> {
    return this.factory.informer(this.types.pods, { transform: reachablePod });
  }

  services(): Informer<coreV1.Service> {
    return this.factory.informer(this.types.services, { transform: routedService });
  }

  nodes(): Informer<coreV1.Node> {
    return this.factory.informer(this.types.nodes, { transform: placedNode, part: "metadata" });
  }

  /** Returns an informer for complete objects, which the controllers write. */
  whole<T extends object>(type: ResourceType<T>): Informer<T> {
    return this.factory.informer(type);
  }

  private get types() {
    return builtInTypes(this.client.vocabulary);
  }
}
