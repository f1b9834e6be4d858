// Reads the objects that name a connection's target. Stored objects were decoded and validated when they were written.
import { isReason, MOST_RECENT } from "@orch/machinery";
import type { ObjectKey, ResourceStorage } from "@orch/registry";

export interface PodView {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
    readonly ephemeralContainers?: readonly ContainerView[];
  };
  readonly status?: { readonly podIP?: string; readonly podIPs?: readonly { readonly ip?: string }[] };
}

interface ContainerView {
  readonly name: string;
  readonly ports?: readonly { readonly containerPort: number }[];
}

export interface NodeView {
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
  };
}

export interface ServiceView {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

export interface EndpointsView {
  readonly subsets?: readonly {
    readonly addresses?: readonly EndpointAddress[];
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  }[];
}

export interface EndpointAddress {
  readonly ip: string;
  readonly targetRef?: { readonly kind?: string; readonly namespace?: string; readonly name?: string };
}

/** Storages of the resources that name connection targets. */
export interface TargetStorages {
  readonly pods: ResourceStorage;
  readonly nodes: ResourceStorage;
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
}

/**
 * Reads from the store, not from the cache: a pod may have been bound a moment ago.
 * @throws StatusError NotFound (404)
 */
export class TargetObjects {
  constructor(private readonly storages: TargetStorages) {}

  pod(key: ObjectKey): Promise<PodView> {
    return read<PodView>(this.storages.pods, key);
  }

  node(name: string): Promise<NodeView> {
    return read<NodeView>(this.storages.nodes, { namespace: "", name });
  }

  service(key: ObjectKey): Promise<ServiceView> {
    return read<ServiceView>(this.storages.services, key);
  }

  endpoints(key: ObjectKey): Promise<EndpointsView> {
    return read<EndpointsView>(this.storages.endpoints, key);
  }

  /** Undefined when the pod does not exist. */
  async podIfAny(key: ObjectKey): Promise<PodView | undefined> {
    try {
      return await this.pod(key);
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
      throw error;
    }
  }
}

async function read<View>(storage: ResourceStorage, key: ObjectKey): Promise<View> {
  return (await storage.get(key, MOST_RECENT)).whole() as unknown as View;
}
