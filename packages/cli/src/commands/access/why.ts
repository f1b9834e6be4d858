// `orch auth why`: which grant lets a user act, or which grants come near. The decision and its reason are the
// server's. The grants are found in the RBAC objects that the user of the command may read.
import {
  type AskedAction,
  actionText,
  type FoundGrants,
  findGrants,
  granted,
  groupsOf,
  type NearGrant,
  nearest,
  nearText,
  placeText,
  ruleText,
} from "@orch/access";
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { visible } from "../../output/columns";
import { formatted } from "../../output/format";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { type AccessAnswer, reviewAccess, reviewAccessIn, reviewOwnAccess } from "./access-review";
import { type ActionOptions, askedAction } from "./asked-action";
import { rbacSource } from "./rbac-source";
import { currentUser } from "./whoami";

export interface WhyOptions extends ActionOptions {
  readonly group?: readonly string[];
  readonly output?: string;
}

interface ShownGrant {
  readonly binding: string;
  /** Sentence about the binding. */
  readonly text: string;
  /** The role with the rule that matters. */
  readonly role: string;
}

function shownGrant(near: NearGrant): ShownGrant {
  const { grant } = near;
  return {
    binding: placeText(grant),
    text: nearText(near),
    role: `${placeText(grant.role)}: ${ruleText(grant.role.rule)}`,
  };
}

interface Answer {
  readonly user: string;
  readonly groups: readonly string[];
  readonly action: AskedAction;
  /** Absent when the server did not decide. */
  readonly allowed?: boolean;
  readonly reason?: string;
  readonly grants: readonly ShownGrant[];
  readonly nearest: readonly ShownGrant[];
  /** Whether all RBAC objects were read. */
  readonly isWhole: boolean;
}

export async function why(
  session: Session,
  user: string,
  words: readonly string[],
  options: WhyOptions,
): Promise<void> {
  const asked = await askedAction(session, words, options);
  const client = await session.client();
  const groups = groupsOf(user, options.group ?? []);
  const decision = await decisionOf(session, client, asked, { user, groups });
  const who = { user, groups: decision?.groups ?? groups };
  const found = await grantsOf(session, client, asked);
  const grants = granted(found.grants, asked, who).map(shownGrant);
  const allowed = decision?.answer.allowed ?? (grants.length > 0 ? true : undefined);
  if (allowed === undefined && found.unread.length > 0) {
    throw new CliError(
      `you may neither ask the server about other users (create subjectaccessreviews) nor list ${found.unread.join(", ")}`,
    );
  }
  const { reason = "", evaluationError = "" } = decision?.answer ?? {};
  const answer: Answer = {
    ...who,
    action: asked,
    allowed: allowed ?? false,
    ...(reason + evaluationError !== "" && {
      reason: [reason, evaluationError].filter((text) => text !== "").join("; "),
    }),
    grants,
    nearest: allowed === true ? [] : nearest(found.grants, asked, who).map(shownGrant),
    isWhole: found.unread.length === 0,
  };
  if (found.unread.length > 0) session.warn(`you may not list ${found.unread.join(", ")}: grants may be missing`);
  if (allowed !== true) session.exitCode = 1;
  session.write(options.output === undefined ? textOf(answer) : formatted(answer, options.output));
}

/** Asks the server: as another user, or, without the right to, for the user of the session. */
async function decisionOf(
  session: Session,
  client: Client,
  asked: AskedAction,
  who: { readonly user: string; readonly groups: readonly string[] },
): Promise<{ readonly answer: AccessAnswer; readonly groups: readonly string[] } | undefined> {
  const tries: (() => Promise<AccessAnswer>)[] = [() => reviewAccess(client, asked, who)];
  if (asked.kind === "resource" && asked.namespace !== "") {
    const { namespace } = asked;
    tries.push(() => reviewAccessIn(client, asked, { ...who, namespace }));
  }
  for (const ask of tries) {
    try {
      return { answer: await ask(), groups: who.groups };
    } catch (error) {
      if (!isCode(error, 403)) throw error;
    }
  }
  const own = await currentUser(session).catch(() => undefined);
  if (own?.user.username !== who.user) return undefined;
  return { answer: await reviewOwnAccess(client, asked), groups: own.user.groups ?? who.groups };
}

async function grantsOf(session: Session, client: Client, asked: AskedAction): Promise<FoundGrants> {
  try {
    return await findGrants(rbacSource(client, session.signal), asked, { near: true });
  } catch (error) {
    // A server that does not use RBAC has no such objects.
    if (isCode(error, 404)) return { grants: [], unread: [] };
    throw error;
  }
}

function textOf({ user, action, allowed, reason, grants, nearest: near, isWhole }: Answer): string {
  const can = allowed === true ? "yes: user" : "no: user";
  const lines = [`${can} ${user} ${allowed === true ? "can" : "cannot"} ${actionText(action)}`];
  for (const { text, role } of grants) lines.push(`  ${text}`, `    ${role}`);
  if (grants.length === 0 && allowed === true && isWhole) {
    lines.push("  no grant of RBAC allows it; another authorizer does");
  }
  if (near.length > 0) {
    lines.push("nearest grants:");
    for (const { text, role } of near) lines.push(`  ${text}`, `    ${role}`);
  } else if (allowed !== true) lines.push("  no grant comes near");
  if (reason !== undefined) lines.push(`reason of the server: ${reason}`);
  return lines.map((line) => `${visible(line)}\n`).join("");
}
