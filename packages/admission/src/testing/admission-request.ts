// Admission requests for tests, with the parts that plugins read.
import { type AdmissionRequest, AdmittedWrite, type MutableAdmissionRequest, notFound } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import type { AdmissionDependencies, NamespaceReader, NamespaceState } from "../contract/dependencies";
import { TokenBuckets } from "../plugins/event-rate-limit/token-buckets";
import { storedObjects } from "./stored-objects";

export interface RequestParts extends Partial<Omit<AdmissionRequest, "definition">> {
  readonly group?: string;
  readonly plural?: string;
}

/** Returns the creation of a config map named "a" in the namespace "shop", unless the parts say otherwise. */
export function requestOf({
  group = "",
  plural = "configmaps",
  dryRun = false,
  signal,
  ...parts
}: RequestParts): MutableAdmissionRequest {
  const write = new AdmittedWrite(undefined, { dryRun, signal, warn() {} }, () => "u-1");
  return write.ask({
    operation: "CREATE",
    definition: { group, plural, kind: "Thing" } as AdmissionRequest["definition"],
    version: { group, version: "v1" } as AdmissionRequest["version"],
    subresource: "",
    namespace: "shop",
    name: "a",
    pathName: "",
    user: { name: "ann", groups: [] },
    kind: { group, version: "v1", kind: "Thing" },
    object: undefined,
    oldObject: undefined,
    ...parts,
    options: undefined,
  });
}

/**
 * Returns dependencies without time or randomness. "shop" exists at revision 7, "old" is terminating at revision 8; the
 * authorizer allows nothing, and there are no roles.
 */
export function fakeDependencies(parts: Partial<AdmissionDependencies> = {}): AdmissionDependencies {
  return {
    vocabulary: vocabularyOf("orch"),
    release: "1.20",
    options: { notReadyTolerationSeconds: 300, unreachableTolerationSeconds: 300, isOn: () => true },
    clock: { now: () => 0, elapsed: () => 0 },
    allowances: new TokenBuckets({ elapsed: () => 0 }),
    yielder: { isOver: false, next: async () => {} },
    randomness: (bytes) => new Uint8Array(bytes),
    pauses: { wait: async () => {} },
    ...storedObjects([]),
    namespaces: namespacesOf(),
    roles: {
      role: async (kind, _namespace, name) => {
        throw notFound({ group: "rbac.authorization.orch.io", resource: `${kind.toLowerCase()}s` }, name);
      },
      heldBy: () => ({ rules: [], problems: [] }),
    },
    authorizer: { authorize: () => ({ kind: "noOpinion", reason: "" }) },
    remotes: {
      open() {
        throw new Error("there are no services to ask");
      },
    },
    podSecurity: { evaluated() {}, exempted() {}, failed() {} },
    ...parts,
  };
}

export function namespacesOf(parts: Partial<NamespaceReader> = {}): NamespaceReader {
  const namespaces: Readonly<Record<string, NamespaceState>> = {
    shop: { terminating: false, revision: 7 },
    old: { terminating: true, revision: 8 },
  };
  return { get: (name) => namespaces[name], inStore: async (name) => namespaces[name], ...parts };
}

/** Returns the refusal of a plugin step; undefined when it allows the request. */
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
