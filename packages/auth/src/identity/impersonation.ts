// Impersonation headers. A request whose headers are not understood is rejected: it must not run with the permissions
// of the requesting user, which may be wider. Source: Kubernetes documentation, "Authenticating", "User impersonation".
import { badRequest, StatusError, survivesHeaders } from "@orch/machinery";
import { decodedKey, textOf } from "./header-text";

export interface Impersonation {
  readonly name: string;
  /** "" when no UID is requested. */
  readonly uid: string;
  readonly groups: readonly string[];
  /** Values by lower-case key. */
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const BEGINNING = "impersonate";
const HYPHEN = "-".charCodeAt(0);
const UNDERSCORE = "_".charCodeAt(0);
const NAME_SHOWN = 100;

/**
 * Returns whether a header belongs to impersonation, in any release. Many servers do not distinguish underscores from
 * hyphens in header names.
 */
export function isImpersonationHeader(name: string): boolean {
  const after = name.charCodeAt(BEGINNING.length);
  if (after !== HYPHEN && after !== UNDERSCORE) return false;
  return name.slice(0, BEGINNING.length).toLowerCase() === BEGINNING;
}

export interface HeaderRules {
  /** Whether the served release has `Impersonate-Uid`. */
  readonly knowsUids: boolean;
  /** Whether constrained impersonation is on. Groups, a UID or extra values without a user are then a bad request. */
  readonly isConstrained: boolean;
  /**
   * Key of the extra value that holds groups as a JSON array; undefined where no extra value does. Browsers send several
   * headers of one name as one.
   */
  readonly groupsKey: string | undefined;
}

/**
 * Reads the impersonation headers.
 * @param rawHeaders header names and values alternating, as received
 * @returns undefined when the request impersonates no user
 * @throws StatusError Forbidden (403) for an unknown impersonation header; BadRequest (400) for an invalid value; an
 *   error without a reason (500) for groups, a UID or extra values without a user
 */
export function readImpersonation(rawHeaders: readonly string[], rules: HeaderRules): Impersonation | undefined {
  let reader: HeaderReader | undefined;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!isImpersonationHeader(name)) continue;
    reader ??= new HeaderReader(rules);
    reader.take(name.toLowerCase(), rawHeaders[at + 1] as string);
  }
  return reader?.read();
}

const USER = "impersonate-user";
const UID = "impersonate-uid";
const GROUP = "impersonate-group";
const EXTRA = "impersonate-extra-";

class HeaderReader {
  private name: string | undefined;
  private uid: string | undefined;
  private readonly groups = new Set<string>();
  private readonly extra = new Map<string, string[]>();

  constructor(private readonly rules: HeaderRules) {}

  /** @param header in lower case */
  take(header: string, bytes: string): void {
    if (header === USER) {
      this.name = onlyOne(header, this.name, textFor(header, bytes));
    } else if (header === UID && this.rules.knowsUids) {
      this.uid = onlyOne(header, this.uid, textFor(header, bytes));
    } else if (header === GROUP) {
      this.groups.add(textFor(header, bytes));
    } else if (header.startsWith(EXTRA)) {
      this.takeExtra(header, textFor(header, bytes));
    } else {
      throw new StatusError("Forbidden", `${shown(header)}: unknown impersonation header`);
    }
  }

  private takeExtra(header: string, value: string): void {
    const key = decodedKey(header.slice(EXTRA.length));
    if (key === "") throw badRequest(`${header}: must be followed by a key`);
    if (/[A-Z]/.test(key) || !survivesHeaders(key)) {
      throw badRequest(
        `${shown(header)}: a key must be in lower case, without control characters and spaces around it`,
      );
    }
    if (key === this.rules.groupsKey) {
      for (const group of groupsIn(header, value)) this.groups.add(group);
      return;
    }
    const values = this.extra.get(key);
    if (values === undefined) this.extra.set(key, [value]);
    else values.push(value);
  }

  read(): Impersonation {
    const { name = "", uid = "", groups, extra } = this;
    if (name === "") throw this.nobody();
    return { name, uid, groups: [...groups], extra };
  }

  private nobody(): StatusError {
    const asked = [
      ...(this.groups.size > 0 ? ["groups"] : []),
      ...[...this.extra.keys()].map((key) => `userextras/${key}`),
      ...(this.uid === undefined ? [] : ["uids"]),
    ];
    if (asked.length === 0) return badRequest(`${USER}: must name a user`);
    const text = `requested [${shown(asked.join(" "))}] without impersonating a user`;
    return this.rules.isConstrained ? badRequest(`${text} name`) : new StatusError("", text, undefined, { code: 500 });
  }
}

function groupsIn(header: string, value: string): readonly string[] {
  let groups: unknown;
  try {
    groups = JSON.parse(value);
  } catch {
    groups = undefined;
  }
  if (Array.isArray(groups) && groups.every((each) => typeof each === "string" && survivesHeaders(each))) return groups;
  throw badRequest(
    `${shown(header)}: must be a JSON array of names of groups, without control characters and spaces around them`,
  );
}

function textFor(header: string, bytes: string): string {
  const value = textOf(bytes);
  if (survivesHeaders(value)) return value;
  throw badRequest(`${shown(header)}: must not have control characters or spaces around it`);
}

/** Rejects a repeated header: a proxy may have evaluated the other value. */
function onlyOne(header: string, former: string | undefined, value: string): string {
  if (former !== undefined) throw badRequest(`${header}: must occur once`);
  return value;
}

const shown = (text: string): string => text.slice(0, NAME_SHOWN);
