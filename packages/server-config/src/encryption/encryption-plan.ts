// The content of the `--encryption-provider-config` file: the encrypted resources and their providers.
import type { GroupResource } from "@orch/machinery";
import type { KmsTerms, NamedKey } from "@orch/store";

export type ProviderPlan =
  | { readonly kind: "aescbc" | "aesgcm" | "secretbox"; readonly keys: readonly NamedKey[] }
  | { readonly kind: "kms"; readonly terms: KmsTerms }
  | { readonly kind: "identity" };

export interface EncryptionEntry {
  /** `resource`, `resource.group`, `*.group`, `*.` for the core group, `*.*` for all. */
  readonly resources: readonly string[];
  /** The first provider encrypts, with its first key. */
  readonly providers: readonly ProviderPlan[];
}

export type EncryptionPlan = readonly EncryptionEntry[];

/**
 * Returns the providers of a resource: those of the first matching entry. When that entry names the resource itself,
 * later entries that name
 * it add providers for reading.
 * @returns an empty list when the resource is stored as plain text
 */
export function providersFor(plan: EncryptionPlan, resource: GroupResource): readonly ProviderPlan[] {
  const own = nameOf(resource);
  const wild = ["*.*", `*.${resource.group}`];
  const at = plan.findIndex(({ resources }) => resources.some((each) => each === own || wild.includes(each)));
  const first = plan[at];
  if (first === undefined) return [];
  if (!first.resources.includes(own)) return first.providers;
  const others = plan.slice(at + 1).filter(({ resources }) => resources.includes(own));
  return [first, ...others].flatMap(({ providers }) => providers);
}

const nameOf = ({ group, resource }: GroupResource): string => (group === "" ? resource : `${resource}.${group}`);
