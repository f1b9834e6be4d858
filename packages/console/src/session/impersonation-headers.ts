// Headers by which a request assumes another identity.

export interface AssumedIdentity {
  readonly user: string;
  /** Empty for none. */
  readonly uid: string;
  /** At most one: browsers send headers of one name as one value, which the server takes for one group. */
  readonly groups: readonly string[];
}

export function impersonationHeaders({ user, uid, groups }: AssumedIdentity): Record<string, string> {
  return {
    "Impersonate-User": headerBytes(user),
    ...(uid === "" ? {} : { "Impersonate-Uid": headerBytes(uid) }),
    ...Object.fromEntries(groups.map((group) => ["Impersonate-Group", headerBytes(group)])),
  };
}

/** Returns a text whose characters are the bytes of UTF-8: `fetch` accepts no other characters in headers. */
const headerBytes = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
