// Namespaces in which a user may do anything, for listing only the accessible namespaces.

/**
 * Namespaces that an authorizer with listable rules allows. Authorizers that cannot list their rules contribute
 * nothing.
 */
export interface NamespaceAccess {
  readonly all: boolean;
  /** Names of namespaces, some of which may not exist. */
  readonly names: ReadonlySet<string>;
}

/** Scope of resources. */
export interface ResourceScopes {
  isOfCluster(group: string, plural: string): boolean;
}

export const NO_NAMESPACES: ReadonlySet<string> = new Set();

export const NO_ACCESS: NamespaceAccess = { all: false, names: NO_NAMESPACES };
export const ALL_ACCESS: NamespaceAccess = { all: true, names: NO_NAMESPACES };

export function joinedAccess(each: readonly NamespaceAccess[]): NamespaceAccess {
  if (each.some(({ all }) => all)) return ALL_ACCESS;
  const [first = NO_ACCESS, ...others] = each.filter(({ names }) => names.size > 0);
  return others.length === 0 ? first : { all: false, names: new Set(each.flatMap(({ names }) => [...names])) };
}
