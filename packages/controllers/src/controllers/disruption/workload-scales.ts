// Scales of the workloads behind pods. The built-in kinds are watched; the scale of any other kind is requested.
import {
  builtInTypes,
  type Client,
  type Informer,
  type InformerFactory,
  ResourceMapper,
  type ResourceType,
} from "@orch/client";
import { isCode, metaOf, type OwnerReference, parseApiVersion } from "@orch/machinery";
import type { autoscalingV1, JsonObject } from "@orch/schema";
import { UncountableError } from "./budget-status";
import { controllerOf } from "./counted-pod";
import type { Scale, Scales } from "./expected-pods";

/** The cached parts of a workload: identity and replicas. */
export interface Workload {
  readonly metadata?: object;
  readonly spec?: { readonly replicas?: number | null };
}

const KINDS = {
  replicationControllers: { groups: [""], kind: "ReplicationController" },
  replicaSets: { groups: ["apps", "extensions"], kind: "ReplicaSet" },
  deployments: { groups: ["apps", "extensions"], kind: "Deployment" },
  statefulSets: { groups: ["apps"], kind: "StatefulSet" },
} as const;

type KnownKind = keyof typeof KINDS;

export class WorkloadScales implements Scales {
  private readonly known: Readonly<Record<KnownKind, Informer<Workload>>>;
  private readonly mapper: ResourceMapper;

  constructor(
    private readonly client: Client,
    factory: InformerFactory,
  ) {
    const types = builtInTypes(client.vocabulary);
    const follow = (type: ResourceType<object>): Informer<Workload> =>
      factory.informer(type as ResourceType<Workload>, { transform: scaledPart });
    this.known = {
      replicationControllers: follow(types.replicationControllers),
      replicaSets: follow(types.replicaSets),
      deployments: follow(types.deployments),
      statefulSets: follow(types.statefulSets),
    };
    this.mapper = new ResourceMapper(client);
  }

  /**
   * @param changed called with the UID that pods may name as their controller, for a new workload or a change of
   *   replicas
   */
  follow(changed: (uid: string) => void): void {
    for (const [kind, informer] of Object.entries(this.known)) {
      const tell = (workload: Workload) => {
        for (const uid of kind === "deployments" ? this.setsOf(workload) : [uidOf(workload)]) changed(uid);
      };
      informer.addHandler({
        added: (workload, isInInitialList) => {
          if (!isInInitialList) tell(workload);
        },
        updated: (before, after) => {
          if (before.spec?.replicas !== after.spec?.replicas || uidOf(before) !== uidOf(after)) tell(after);
        },
      });
    }
  }

  private setsOf(deployment: Workload): readonly string[] {
    return this.known.replicaSets.store.byIndex("ownerUid", uidOf(deployment)).map(uidOf);
  }

  async of(owner: OwnerReference, namespace: string): Promise<Scale | undefined> {
    const found = this.find("replicationControllers", owner, namespace) ?? this.find("statefulSets", owner, namespace);
    if (found !== undefined) return scaleOf(found);
    const set = this.find("replicaSets", owner, namespace);
    const above = set === undefined ? undefined : controllerOf(set);
    if (set !== undefined && above?.kind !== KINDS.deployments.kind) return scaleOf(set);
    const deployment = above === undefined ? undefined : this.find("deployments", above, namespace);
    return deployment === undefined ? this.ask(owner, namespace) : scaleOf(deployment);
  }

  private find(kind: KnownKind, owner: OwnerReference, namespace: string): Workload | undefined {
    const { groups, kind: name } = KINDS[kind];
    const group = parseApiVersion(owner.apiVersion ?? "")?.group ?? "";
    if (owner.kind !== name || !(groups as readonly string[]).includes(group)) return undefined;
    const found = this.known[kind].store.get(`${namespace}/${owner.name ?? ""}`);
    return found !== undefined && uidOf(found) === owner.uid ? found : undefined;
  }

  private async ask(owner: OwnerReference, namespace: string): Promise<Scale | undefined> {
    const { apiVersion = "", kind = "", name = "" } = owner;
    const type = await this.mapper.forKind(apiVersion, kind);
    if (!type.subresources.includes("scale"))
      throw new UncountableError("NoControllers", `${type.resource} of ${apiVersion} have no scale`);
    try {
      const objects = this.client.resource(type).namespace(namespace);
      const { metadata, spec } = await objects.getSubresource<autoscalingV1.Scale>(name, "scale");
      if (metadata?.uid !== owner.uid) return undefined;
      return { uid: metadata?.uid ?? "", replicas: spec?.replicas ?? 0 };
    } catch (error) {
      if (isCode(error, 404)) return undefined;
      throw error;
    }
  }
}

const uidOf = (workload: Workload): string => metaOf(workload as JsonObject).uid ?? "";
const scaleOf = (workload: Workload): Scale => ({ uid: uidOf(workload), replicas: workload.spec?.replicas ?? 1 });

function scaledPart(workload: Workload): Workload {
  const { name, namespace, uid, resourceVersion } = metaOf(workload as JsonObject);
  const owner = controllerOf(workload);
  return {
    metadata: { name, namespace, uid, resourceVersion, ...(owner && { ownerReferences: [owner] }) },
    spec: { replicas: workload.spec?.replicas ?? 1 },
  };
}
