// `orch auth who-can`: the subjects of all grants of an action.
import { actionText, appliesTo, findGrants, type GrantedSubject, placeText, subjectsOf } from "@orch/access";
import { columnText, visible } from "../../output/columns";
import { formatted } from "../../output/format";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { type ActionOptions, askedAction } from "./asked-action";
import { rbacSource } from "./rbac-source";

export interface WhoCanOptions extends ActionOptions {
  readonly headers: boolean;
  readonly output?: string;
}

export async function whoCan(session: Session, words: readonly string[], options: WhoCanOptions): Promise<void> {
  const asked = await askedAction(session, words, options);
  const client = await session.client();
  const { grants, unread } = await findGrants(rbacSource(client, session.signal), asked, { near: false });
  if (grants.length === 0 && unread.length > 0) {
    throw new CliError(`you may not list ${unread.join(", ")}, which say who can ${visible(actionText(asked))}`);
  }
  if (unread.length > 0) session.warn(`the list is incomplete: you may not list ${unread.join(", ")}`);
  const applying = options.allNamespaces === true ? grants : grants.filter((grant) => appliesTo(grant, asked));
  const rows = applying.flatMap(subjectsOf).map(rowOf);
  if (options.output !== undefined) {
    session.write(formatted({ action: asked, subjects: rows }, options.output));
    return;
  }
  if (rows.length === 0) session.tell(`No grant of RBAC lets anybody ${visible(actionText(asked))}.`);
  else {
    const head = options.headers ? [["KIND", "SUBJECT", "IN", "BINDING", "ROLE"]] : [];
    const cells = rows.map((row) => [row.kind, row.subject, row.in || "<all>", row.binding, row.role]);
    session.write(columnText([...head, ...cells.map((row) => row.map(visible))]));
  }
}

interface SubjectRow {
  readonly kind: string;
  readonly subject: string;
  /** Namespace in which the subject may act; "": in all. */
  readonly in: string;
  readonly binding: string;
  readonly role: string;
}

function rowOf({ kind, subject, grant }: GrantedSubject): SubjectRow {
  return { kind, subject, in: grant.namespace, binding: placeText(grant), role: placeText(grant.role) };
}
