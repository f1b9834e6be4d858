// Checks whether a server supports a controller: an older release, or a disabled API, may lack what it needs.
// Source: cmd/kube-controller-manager/app/controllermanager.go.
import type { Client } from "@orch/client";
import { compareReleases, groupName, vocabularyOf } from "@orch/schema";
import type { Controller, GateReader } from "../framework/controller";
import { servedVersion } from "../framework/served-version";

/**
 * Asks the server until it answers.
 * @returns what is missing; undefined when nothing is, or the signal is aborted
 */
export async function missingRequirement(
  { since, gate, needs }: Pick<Controller, "since" | "gate" | "needs">,
  { client, release, isOn }: { readonly client: Client; readonly release: string; readonly isOn: GateReader },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (since !== undefined && compareReleases(release, since) < 0) return `release ${since}`;
  if (gate !== undefined && !isOn(gate)) return `feature gate ${gate}`;
  if (needs === undefined) return undefined;
  const group = groupName(vocabularyOf(client.vocabulary), needs.group);
  if ((await servedVersion({ ...needs, group }, client, signal)) !== undefined || signal.aborted) return undefined;
  return `${needs.resource}.${group}`;
}
