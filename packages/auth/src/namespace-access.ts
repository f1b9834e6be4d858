// In which namespaces a user may do anything, for those who want to see theirs without a right to all.

/** What an authorizer that can list its rules says. Others say nothing: what they alone allow is not known before it is asked for. */
export interface NamespaceAccess {
  readonly all: boolean;
  /** Names, of which some may not exist. */
  readonly names: ReadonlySet<string>;
}

/** Which resources lie in no namespace. */
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
