// Informers that several controllers share, with only the parts of objects that they read. They run as the manager,
// regardless of the accounts of the controllers.
import { builtInTypes, type Client, type Informer, InformerFactory, type ResourceType } from "@orch/client";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { placedNode, reachablePod, routedService } from "./cached-parts";
import { ObjectMonitors } from "./objects/object-monitors";

export class SharedViews {
  private readonly factory: InformerFactory;
  private monitors: ObjectMonitors | undefined;
  private signal: AbortSignal | undefined;

  constructor(private readonly client: Client) {
    this.factory = new InformerFactory(client);
  }

  /** Starts the informers, present and future ones, until the signal is aborted. */
  start(signal: AbortSignal): void {
    this.signal = signal;
    this.factory.start(signal);
    void this.monitors?.run(signal);
  }

  async stopped(): Promise<void> {
    await this.factory.stopped();
    if (this.signal !== undefined) await this.monitors?.run(this.signal);
  }

  /**
   * Returns the watches of all collections.
   * @param release release of the server, the same in every call
   */
  objects(release: string): ObjectMonitors {
    if (this.monitors === undefined) {
      const { expiresAt, ttl } = vocabularyOf(this.client.vocabulary).annotations;
      this.monitors = new ObjectMonitors(this.client, release, [expiresAt, ttl]);
      if (this.signal !== undefined) void this.monitors.run(this.signal);
    }
    return this.monitors;
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
