// Custom resources in a large-object worker, which follows no definitions itself: each is served from its first large
// object on, and served anew when the main thread uses another definition.

import { type CompileParts, compileDefinition, type ServingState } from "@orch/extensions";
import { resourceText, serviceUnavailable } from "@orch/machinery";
import type { PortPeer } from "@orch/platform";
import type { ServedResources } from "@orch/served-resources";
import type { DefinedBy, MainThreadCalls } from "../../large-objects/worker-calls";

export interface DefinedResourcesParts extends CompileParts {
  readonly main: PortPeer<MainThreadCalls>;
  readonly resources: ServedResources;
}

export class DefinedResources {
  private readonly served = new Map<string, { readonly key: string; readonly state: ServingState }>();

  constructor(private readonly parts: DefinedResourcesParts) {}

  /**
   * Serves the resource of a definition.
   * @throws StatusError ServiceUnavailable (503) when the definition is gone meanwhile
   */
  async have(by: DefinedBy | undefined): Promise<void> {
    if (by === undefined) return;
    const { group, resource, key, terminating } = by;
    const name = resourceText(by);
    if (this.served.get(name)?.key !== key) await this.serve({ group, resource });
    const served = this.served.get(name);
    if (served !== undefined) served.state.terminating = terminating;
  }

  private async serve(of: Pick<DefinedBy, "group" | "resource">): Promise<void> {
    const { main, resources } = this.parts;
    const found = await main.call("definition", of);
    if (found === undefined) throw serviceUnavailable(`${resourceText(of)} are no longer served`);
    const state: ServingState = { terminating: false };
    resources.install([compileDefinition(found.definition, found.names, state, this.parts)]);
    this.served.set(resourceText(of), { key: found.key, state });
  }
}
