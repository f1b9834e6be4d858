// Revisions of deployments, daemon sets and stateful sets: replica sets and controller revisions.
import type { DiscoveredResource } from "@orch/client";
import { labelSelectorOfObject, labelSelectorText, metaOf, sameJson } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { clientOf, type Target, uidOf } from "../targets";

export interface Revision {
  readonly number: number;
  /** "" for none. */
  readonly changeCause: string;
  /** The replica set, or the controller revision. */
  readonly object: JsonObject;
  readonly type: DiscoveredResource;
}

/** Kinds of the group apps whose revisions are kept as other objects. */
const KEPT_AS: Readonly<Record<string, string>> = {
  Deployment: "replicasets.apps",
  StatefulSet: "controllerrevisions.apps",
  DaemonSet: "controllerrevisions.apps",
};

export const hasRevisions = ({ kind, group }: DiscoveredResource): boolean =>
  group === "apps" && Object.hasOwn(KEPT_AS, kind);

/** Returns the revisions in ascending order. @throws CliError for kinds without revisions */
export async function revisionsOf(
  session: Session,
  target: Pick<Target, "type" | "namespace">,
  live: JsonObject,
): Promise<readonly Revision[]> {
  const { kind, group } = target.type;
  const names = await session.vocabulary();
  const keptAs = KEPT_AS[kind];
  if (keptAs === undefined) {
    throw new CliError(`no history viewer has been implemented for ${JSON.stringify(`${kind}.${group}`)}`);
  }
  const type = await (await session.catalog()).forName(keptAs);
  const client = await clientOf(session, { type, namespace: target.namespace });
  const { selector = {} } = (live["spec"] ?? {}) as { readonly selector?: JsonObject };
  const found: Revision[] = [];
  for await (const object of client.all({
    labelSelector: labelSelectorText(labelSelectorOfObject(selector)),
    dropsManagedFields: true,
    signal: session.signal,
  })) {
    if (!(metaOf(object).ownerReferences ?? []).some(({ uid }) => uid === uidOf(live))) continue;
    const number = numberOf(object, kind === "Deployment", names);
    const changeCause = metaOf(object).annotations?.[names.annotations.changeCause] ?? "";
    if (number > 0) found.push({ number, changeCause, object, type });
  }
  return found.sort((one, other) => one.number - other.number);
}

const numberOf = (object: JsonObject, isDeployment: boolean, names: Vocabulary): number =>
  isDeployment
    ? Number(metaOf(object).annotations?.[names.annotations.deploymentRevision] ?? 0)
    : Number(object["revision"] ?? 0);

/** Returns the revision to go back to. @param wanted 0: the one before the last @throws CliError */
export function chosenRevision(revisions: readonly Revision[], wanted: number, { type, name }: Target): Revision {
  const found = wanted === 0 ? revisions.at(-2) : revisions.find(({ number }) => number === wanted);
  if (found !== undefined) return found;
  if (wanted !== 0) throw new CliError(`unable to find specified revision ${wanted} in history`);
  throw new CliError(
    type.kind === "Deployment"
      ? `no rollout history found for deployment ${JSON.stringify(name)}`
      : "no last revision to roll back to",
  );
}

/** Returns the template of the pods of a revision. */
export function templateOf({ object }: Revision): JsonObject {
  const holder = (
    object["kind"] === "ControllerRevision" || object["data"] !== undefined ? object["data"] : object
  ) as JsonObject;
  const { template = {} } = (holder["spec"] ?? {}) as { readonly template?: JsonObject };
  const metadata = { ...((template["metadata"] ?? {}) as JsonObject) };
  const { "pod-template-hash": _, ...labels } = (metadata["labels"] ?? {}) as JsonObject;
  const { $patch: __, ...rest } = template;
  return { ...rest, metadata: { ...metadata, ...(Object.keys(labels).length === 0 ? {} : { labels }) } };
}

/** Tells whether an object has the template already. */
export function hasTemplate(live: JsonObject, template: JsonObject): boolean {
  const { template: present } = (live["spec"] ?? {}) as { readonly template?: JsonObject };
  return sameJson(present, template);
}
