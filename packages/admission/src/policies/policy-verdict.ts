// What a policy says of a request: of each validation whether it is met, and the notes for the audit log. Source: the field's rules for
// failures of expressions, messages and notes.
import type { CelValue } from "@orch/expressions";
import type { KnownPolicy } from "./known-policies";
import type { CompiledPolicy, CompiledValidation } from "./policy-compilation";
import type { PolicyErrorType } from "./policy-observer";
import type { Failure, PolicyRun } from "./policy-run";

export type Decision =
  | { readonly kind: "admitted"; readonly error: PolicyErrorType; readonly seconds: number }
  | {
      readonly kind: "failed";
      readonly error: PolicyErrorType;
      readonly seconds: number;
      readonly message: string;
      readonly reason?: string | undefined;
    };

export interface Verdict {
  /** One for each validation; where the conditions fail, one for all. */
  readonly decisions: readonly Decision[];
  readonly notes: readonly { readonly key: string; readonly value: string }[];
  /** Why notes cannot be made, where that refuses the request. */
  readonly brokenNotes: readonly string[];
}

const NOTHING: Verdict = { decisions: [], notes: [], brokenNotes: [] };
const ADMITTED: Decision = { kind: "admitted", error: "no_error", seconds: 0 };
export const ERROR_TYPES: Readonly<Record<Failure["why"], PolicyErrorType>> = {
  compile: "compile_error",
  invalid: "invalid_error",
  budget: "out_of_budget",
};

export async function verdictOf(policy: KnownPolicy, compiled: CompiledPolicy, run: PolicyRun): Promise<Verdict> {
  const begunAt = performance.now();
  const seconds = () => (performance.now() - begunAt) / 1000;
  const conditions = compiled.conditions.length === 0 ? true : await run.conditions();
  if (conditions === false) return NOTHING;
  if (conditions !== true) return { ...NOTHING, decisions: [failed(policy, conditions, seconds())] };
  const decisions: Decision[] = [];
  for (const validation of compiled.validations) {
    const asked = run.ask(validation);
    const said = asked instanceof Promise ? await asked : asked;
    if (said.kind === "failure") decisions.push(failed(policy, said, seconds()));
    else if (said.value === true) decisions.push(ADMITTED);
    else {
      const message = await messageOf(validation, run);
      decisions.push({ kind: "failed", error: "no_error", message, reason: validation.reason, seconds: seconds() });
    }
  }
  return compiled.annotations.length === 0
    ? { ...NOTHING, decisions }
    : { decisions, ...(await notesOf(policy, compiled, run)) };
}

const failed = ({ failsClosed }: KnownPolicy, { message, why }: Failure, seconds: number): Decision =>
  failsClosed
    ? { kind: "failed", error: ERROR_TYPES[why], message, seconds }
    : { kind: "admitted", error: ERROR_TYPES[why], seconds };

const MESSAGE_MAX = 5 * 1024;

async function messageOf({ messageExpression, message, source }: CompiledValidation, run: PolicyRun): Promise<string> {
  if (messageExpression !== undefined) {
    const said = await run.ask({ compiled: messageExpression, source: "" });
    const made = said.kind === "value" && typeof said.value === "string" ? said.value.trim() : "";
    if (made !== "" && made.length <= MESSAGE_MAX && !made.includes("\n")) return made;
  }
  const own = message.trim();
  return own === "" ? `failed expression: ${source.trim()}` : own;
}

async function notesOf(
  { failsClosed }: KnownPolicy,
  { annotations }: CompiledPolicy,
  run: PolicyRun,
): Promise<Pick<Verdict, "notes" | "brokenNotes">> {
  const notes: { key: string; value: string }[] = [];
  const broken: string[] = [];
  for (const annotation of annotations) {
    const said = await run.ask(annotation);
    if (said.kind === "failure") broken.push(said.message);
    else if (textOf(said.value) !== "") notes.push({ key: annotation.name, value: textOf(said.value) });
  }
  return { notes, brokenNotes: failsClosed ? broken : [] };
}

/** "" for none: null, which is the only other type that it may be of. */
const textOf = (value: CelValue): string => (typeof value === "string" ? value.trim() : "");
