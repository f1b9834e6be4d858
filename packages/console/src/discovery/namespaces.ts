// Namespaces in which the user has any permission. Format: docs/authorization.md, "Accessible namespaces".
import { signal } from "@preact/signals";
import { itemsOf } from "../requests/lists";
import { presentUser, type User } from "../session/session";
import type { ApiObject } from "../values/api-object";

interface AccessibleNamespaces {
  readonly names: readonly string[];
  readonly isWhole: boolean;
}

export const namespaces = signal<readonly string[]>([]);

/** User to whom the known names belong. */
let owner: User | undefined;

/** Reads the names again. Without an answer, those that were known stay, and any name can be entered by hand. */
export async function loadNamespaces(): Promise<void> {
  const user = presentUser.peek();
  if (owner !== user) namespaces.value = [];
  owner = user;
  try {
    const { names } = await accessibleNamespaces();
    if (owner === user) namespaces.value = names;
  } catch {
    // The field that chooses a namespace accepts any name.
  }
}

/** Returns the names in their order, and whether these are all of them. @throws ApiFailure */
export async function accessibleNamespaces(signal?: AbortSignal): Promise<AccessibleNamespaces> {
  const query = { accessible: true, fields: ".metadata.name" };
  const { items, isWhole } = await itemsOf<ApiObject>("/api/v1/namespaces", {
    query,
    ...(signal === undefined ? {} : { signal }),
  });
  return { names: items.map(({ metadata }) => metadata.name).sort(), isWhole };
}
