import type { UseNotes } from "@orch/auth";
import type { ApiRequest } from "./request-context";

/** Tells of the use of a credential by the request that came with it, or that asks whose it is. */
export function tellUse({ context }: Pick<ApiRequest, "context">, { annotations, warning }: UseNotes): void {
  for (const key in annotations) context.annotate(key, annotations[key] as string);
  if (warning !== undefined) context.warn(warning);
}
