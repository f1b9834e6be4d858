// What the file of `--encryption-provider-config` says: which resources lie encrypted in the store, and with what.
import type { GroupResource } from "@orch/machinery";
import type { KmsTerms, NamedKey } from "@orch/store";

export type ProviderPlan =
  | { readonly kind: "aescbc" | "aesgcm" | "secretbox"; readonly keys: readonly NamedKey[] }
  | { readonly kind: "kms"; readonly terms: KmsTerms }
  | { readonly kind: "identity" };

export interface EncryptionEntry {
  /** `resource`, `resource.group`, `*.group`, `*.` for the core group, `*.*` for all. */
  readonly resources: readonly string[];
  /** The first encrypts; of several keys of one, its first. */
  readonly providers: readonly ProviderPlan[];
}

export type EncryptionPlan = readonly EncryptionEntry[];

/**
 * What the values of a resource are encrypted with: the first entry that it is in says it. Where that names the resource itself, later ones that
 * do so too add what else can read them.
 * @returns none where it lies in the store as it is
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
