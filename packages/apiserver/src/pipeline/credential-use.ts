import type { CredentialUse } from "@orch/auth";
import type { ApiRequest } from "@orch/request";

/** Records the annotations and warning of a credential, for the request that carries it or asks for its review. */
export function recordCredentialUse(
  { context }: Pick<ApiRequest, "context">,
  { annotations, warning }: CredentialUse,
): void {
  for (const key in annotations) context.annotate(key, annotations[key] as string);
  if (warning !== undefined) context.warn(warning);
}
