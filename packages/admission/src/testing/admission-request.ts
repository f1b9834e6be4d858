// A request for tests, of the parts that plugins look at.
import type { AdmissionRequest } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import type { AdmissionWorld, NamespaceState } from "../plugin";

export interface RequestParts extends Partial<Omit<AdmissionRequest, "definition">> {
  readonly group?: string;
  readonly plural?: string;
}

/** Creation of a config map named "a" in the namespace "shop", unless said otherwise. */
export function requestOf({ group = "", plural = "configmaps", ...parts }: RequestParts): AdmissionRequest {
  return {
    operation: "CREATE",
    definition: { group, plural } as AdmissionRequest["definition"],
    version: { group, version: "v1" } as AdmissionRequest["version"],
    subresource: "",
    namespace: "shop",
    name: "a",
    user: { name: "ann", groups: [] },
    dryRun: false,
    premises: [],
    warn: () => {},
    ...parts,
  };
}

/** A world in which "shop" exists, "old" is being deleted, at the revisions 7 and 8. */
export function worldOf(parts: Partial<AdmissionWorld> = {}): AdmissionWorld {
  const namespaces: Readonly<Record<string, NamespaceState>> = {
    shop: { terminating: false, revision: 7 },
    old: { terminating: true, revision: 8 },
  };
  return {
    vocabulary: vocabularyOf("orch"),
    namespace: (name) => namespaces[name],
    namespaceInStore: async (name) => namespaces[name],
    ...parts,
  };
}

/** What a plugin's refusal says; undefined when it lets the request pass. */
export async function refusalOf(
  step: () => void | Promise<void>,
): Promise<{ code: number; message: string; details: unknown } | undefined> {
  try {
    await step();
    return undefined;
  } catch (error) {
    const { code, message, details } = error as { code: number; message: string; details: unknown };
    return { code, message, details };
  }
}
