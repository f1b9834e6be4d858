// Static token file. Source: Kubernetes documentation, "Authenticating", "Static token file".
import { hash } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import {
  type AuthenticationOutcome,
  asAuthenticated,
  NOT_APPLICABLE,
  type TokenAuthenticator,
} from "../authentication/authenticator";
import { parseCsv } from "./csv";

export interface TokenFile {
  readonly entries: readonly TokenEntry[];
  /** Warnings about lines without effect, for the log; they contain no token. */
  readonly warnings: readonly string[];
}

interface TokenEntry {
  readonly token: string;
  readonly user: UserInfo;
}

/**
 * Reads lines of `token,user,uid[,"group1,group2"]`; columns after the fourth are ignored. The last of two equal tokens
 * wins.
 * @throws Error naming the line: broken quoting, or fewer than three columns
 */
export function parseTokenFile(csv: string): TokenFile {
  const entries = new Map<string, TokenEntry>();
  const warnings: string[] = [];
  for (const { line, fields } of parseCsv(csv)) {
    const [token, name, uid, groups] = fields;
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(
        `line ${line}: must have at least 3 columns (token, user name, user uid), found ${fields.length}`,
      );
    }
    if (token === "") {
      warnings.push(`line ${line}: empty token, line skipped`);
      continue;
    }
    if (entries.has(token)) warnings.push(`line ${line}: duplicate token; this line is used`);
    entries.set(token, { token, user: { name, uid, groups: groups === undefined ? [] : groups.split(",") } });
  }
  return { entries: [...entries.values()], warnings };
}

/** Authenticates the tokens of a file. */
export class TokenFileAuthenticator implements TokenAuthenticator {
  // Entries by digest, so that the time of a lookup reveals nothing about a guessed token.
  private byDigest: ReadonlyMap<string, AuthenticationOutcome> = new Map();

  constructor(file: TokenFile) {
    this.replace(file);
  }

  /** Replaces all tokens. */
  replace({ entries }: TokenFile): void {
    const byDigest = new Map<string, AuthenticationOutcome>();
    const standing = { holds: () => this.byDigest === byDigest };
    for (const { token, user } of entries) {
      byDigest.set(digest(token), { kind: "authenticated", user: asAuthenticated(user), standing });
    }
    this.byDigest = byDigest;
  }

  authenticateToken(token: string): AuthenticationOutcome {
    return this.byDigest.get(digest(token)) ?? NOT_APPLICABLE;
  }
}

function digest(token: string): string {
  return hash("sha256", token, "base64");
}
