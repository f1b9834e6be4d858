// Deletion of objects that are no longer applied: members of an apply set, or, as older clients do it, objects with the
// annotation of client-side apply that a selector chooses. Source: kubectl/pkg/cmd/apply/prune.go and applyset_pruner.go.
import { isCode, metaOf } from "@orch/machinery";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { inOrder, throwAll } from "../in-order";
import type { DryRun } from "../options";
import type { Outcomes } from "../outcome";
import { clientOf, listed, type Target, takesOthers, uidOf } from "../targets";
import { ApplySet } from "./apply-set";
import type { SetWork } from "./run-apply";

export interface PruneOptions {
  readonly dryRun: DryRun;
  readonly selector?: string;
  readonly pruneAllowlist?: readonly string[];
}

/** Kinds that are pruned without an apply set: those with namespaces before those without. */
const DEFAULT_KINDS = [
  "v1/ConfigMap",
  "v1/Endpoints",
  "v1/PersistentVolumeClaim",
  "v1/Pod",
  "v1/ReplicationController",
  "v1/Secret",
  "v1/Service",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "networking/v1/Ingress",
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "v1/Namespace",
  "v1/PersistentVolume",
] as const;

/** Returns the work on an apply set. */
export async function applySetWork(session: Session, reference: string, { dryRun }: PruneOptions): Promise<SetWork> {
  const set = await ApplySet.open(session, { reference, dryRun });
  const applied = new Set<string>();
  return {
    before: async (manifests) => {
      const labelled = set.labelled(manifests);
      await set.announce(labelled);
      return labelled;
    },
    applied: (_, object) => {
      applied.add(uidOf(object));
    },
    after: async (outcomes) => {
      await prune(session, { targets: await set.leftMembers(applied), outcomes, dryRun });
      await set.settle();
    },
  };
}

/** Returns the work of a client without apply sets, in the namespaces of the applied objects. */
export async function selectionWork(session: Session, options: PruneOptions): Promise<SetWork> {
  const applied = new Set<string>();
  const namespaces = new Set<string>();
  return {
    before: async (manifests) => manifests,
    applied: ({ namespace }, object) => {
      applied.add(uidOf(object));
      if (namespace !== undefined) namespaces.add(namespace);
    },
    after: async (outcomes) => {
      const targets = await formerObjects(session, { applied, namespaces, options });
      await prune(session, { targets, outcomes, dryRun: options.dryRun });
    },
  };
}

interface Selection {
  readonly applied: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly options: PruneOptions;
}

async function formerObjects(
  session: Session,
  { applied, namespaces, options }: Selection,
): Promise<readonly Target[]> {
  const names = await session.vocabulary();
  const annotation = names.annotations.orchctlLastAppliedConfiguration;
  const catalog = await session.catalog();
  const found: Target[] = [];
  for (const text of options.pruneAllowlist ?? DEFAULT_KINDS) {
    const parts = text.split("/");
    const [group = "", version = "", kind = ""] = parts.length === 2 ? ["", ...parts] : parts;
    if (kind === "") throw new CliError(`invalid GroupVersionKind format: ${text}, please follow <group/version/kind>`);
    const full =
      group === "" || group === "core"
        ? version
        : `${group === "networking" ? names.groups.networking : group}/${version}`;
    const type = await catalog.forKind(full, kind);
    for (const namespace of type.namespaced ? namespaces : [undefined]) {
      const client = await clientOf(session, { type, namespace });
      const selection = options.selector === undefined ? {} : { labelSelector: options.selector };
      for await (const object of client.all({ ...selection, part: "metadata", signal: session.signal })) {
        const { annotations = {}, uid = "" } = metaOf(object);
        if (annotations[annotation] === undefined || applied.has(uid)) continue;
        found.push(listed(type, object));
      }
    }
  }
  return found;
}

interface Pruning {
  readonly targets: readonly Target[];
  readonly outcomes: Outcomes;
  readonly dryRun: DryRun;
}

/** Deletes the objects, unless another one has their name meanwhile. Namespaces and definitions are deleted last. */
async function prune(session: Session, { targets, outcomes, dryRun }: Pruning): Promise<void> {
  for (const part of [targets.filter((each) => !takesOthers(each)), targets.filter(takesOthers)]) {
    throwAll(
      await inOrder(part, {
        signal: session.signal,
        work: (target) => deleted(session, target, dryRun),
        done: (target) => outcomes.tell(target, "pruned", target.object),
      }),
    );
  }
}

async function deleted(session: Session, target: Target, dryRun: DryRun): Promise<void> {
  if (dryRun === "client") return;
  const client = await clientOf(session, target);
  try {
    await client.delete(target.name, {
      propagationPolicy: "Background",
      preconditions: { uid: uidOf(target.object ?? {}) },
      dryRun: dryRun === "server",
      signal: session.signal,
    });
  } catch (error) {
    if (!isCode(error, 404, 409)) throw error;
  }
}
