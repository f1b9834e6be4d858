// `orch auth can-i`: asks the server whether the user may act.
import { compactRules, type ListedRule, typeText } from "@orch/access";
import { columnText, visible } from "../../output/columns";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { review, reviewOwnAccess } from "./access-review";
import { askedAction } from "./asked-action";

export interface CanIOptions {
  readonly allNamespaces?: boolean;
  readonly quiet?: boolean;
  readonly subresource?: string;
  readonly list?: boolean;
  readonly headers: boolean;
}

export async function canI(session: Session, words: readonly string[], options: CanIOptions): Promise<void> {
  if (options.list === true) {
    await listRights(session, words, options);
    return;
  }
  if (words.length !== 2) {
    throw new CliError(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'orch auth can-i -h' for help and examples.",
    );
  }
  if (!options.headers) throw new CliError("--no-headers cannot be set without --list specified");
  const asked = await askedAction(session, words, { ...options, keepsNamespace: true });
  const { allowed, reason = "", evaluationError = "" } = await reviewOwnAccess(await session.client(), asked);
  if (!allowed) session.exitCode = 1;
  if (options.quiet === true) return;
  const why = allowed ? [] : [reason, evaluationError].filter((text) => text !== "");
  session.write(`${[allowed ? "yes" : "no", ...why.map(visible)].join(" - ")}\n`);
}

interface RulesStatus {
  readonly resourceRules?: readonly ListedRule[];
  readonly nonResourceRules?: readonly ListedRule[];
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
}

async function listRights(session: Session, words: readonly string[], options: CanIOptions): Promise<void> {
  if (words.length > 0) throw new CliError("list option must be specified with no arguments");
  const { quiet, allNamespaces, subresource } = options;
  if (quiet === true || allNamespaces === true || subresource !== undefined) {
    throw new CliError("list option can't be specified with neither quiet, all-namespaces nor subresource options");
  }
  const spec = { namespace: session.namespace };
  const client = await session.client();
  const status = await review<RulesStatus>(client, "authorization", { kind: "SelfSubjectRulesReview", spec });
  if (status.incomplete === true) session.warn(`the list may be incomplete: ${status.evaluationError ?? ""}`);
  const rules = compactRules([...(status.resourceRules ?? []), ...(status.nonResourceRules ?? [])]);
  const head = options.headers ? [["Resources", "Non-Resource URLs", "Resource Names", "Verbs"]] : [];
  const rows = rules.map((rule) => [
    typeText(rule),
    ...[rule.nonResourceURLs, rule.resourceNames, rule.verbs].map((list) => `[${(list ?? []).join(" ")}]`),
  ]);
  session.write(columnText([...head, ...rows.map((row) => row.map(visible))]));
}
