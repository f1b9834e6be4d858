// Headers by which a request assumes another identity.

export interface AssumedIdentity {
  readonly user: string;
  /** Empty for none. */
  readonly uid: string;
  readonly groups: readonly string[];
}

/** @param groupsKey key of the extra value that holds several groups: browsers send headers of one name as one */
export function impersonationHeaders(
  { user, uid, groups }: AssumedIdentity,
  groupsKey: string,
): Record<string, string> {
  return {
    "Impersonate-User": headerBytes(user),
    ...(uid === "" ? {} : { "Impersonate-Uid": headerBytes(uid) }),
    ...groupHeaders(groups, groupsKey),
  };
}

function groupHeaders(groups: readonly string[], groupsKey: string): Record<string, string> {
  const [group] = groups;
  if (group === undefined) return {};
  if (groups.length === 1) return { "Impersonate-Group": headerBytes(group) };
  return { [`Impersonate-Extra-${encodeURIComponent(groupsKey)}`]: headerBytes(JSON.stringify(groups)) };
}

/** Returns a text whose characters are the bytes of UTF-8: `fetch` accepts no other characters in headers. */
const headerBytes = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
