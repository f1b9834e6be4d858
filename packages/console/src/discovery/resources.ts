// The resources that the server serves, read once after signing in and again when a kind is not found.
import { computed, signal } from "@preact/signals";
import { json } from "../requests/api";
import { presentUser } from "../session/session";
import { type DiscoveryDocument, readDiscovery } from "./read-discovery";
import type { Resource } from "./resource";

const all = signal<readonly Resource[]>([]);

/** All resources, each in its preferred version only. */
export const resources = computed(() => all.value.filter(({ version, versions }) => version === versions[0]));

/** Reads the documents of both roots. @param group of the discovery documents @throws ApiFailure */
export async function loadResources(group: string): Promise<void> {
  const accept = `application/json;g=${group};v=v2;as=APIGroupDiscoveryList,application/json`;
  const user = presentUser.peek();
  const found = readDiscovery(
    await Promise.all(["/api", "/apis"].map((root) => json<DiscoveryDocument>(root, { accept }))),
  );
  if (presentUser.peek() === user) all.value = found;
}

/** Returns a resource in a version; in the preferred one without a version. */
export function findResource(group: string, name: string, version?: string): Resource | undefined {
  const found = all.value.filter((each) => each.group === group && each.name === name);
  return version === undefined ? found[0] : found.find((each) => each.version === version);
}

/** Returns the resource of a kind, as owner references and other objects name it. */
export function resourceOfKind(apiVersion: string, kind: string): Resource | undefined {
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const found = all.value.filter((each) => each.group === group && each.kind === kind && each.verbs.length > 0);
  return found.find((each) => each.version === version) ?? found[0];
}
