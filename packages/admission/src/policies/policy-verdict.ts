// Outcome of a validating policy for a request: a decision per validation, and the audit annotations. Source: KEP-3488,
// "CEL for Admission Control", for failures, messages and annotations.
import type { CelValue } from "@orch/expressions";
import type { MaybePromise } from "../contract/dependencies";
import type { ConditionsCheck, PolicyErrorType } from "../contract/policy-observer";
import type { KnownPolicy } from "./known-policies";
import type { CompiledPolicy, CompiledValidation } from "./policy-compilation";
import type { EvaluatedValue, Failure, PolicyRun } from "./policy-run";

/** Decision for a validation that does not hold, or for match conditions that fail. */
export type Decision = {
  /** Index of the validation in the policy. */
  readonly index: number;
  readonly error: PolicyErrorType;
  readonly seconds: number;
  readonly message: string;
} & ({ readonly kind: "admitted" } | { readonly kind: "failed"; readonly reason?: string | undefined });

export interface Verdict {
  readonly decisions: readonly Decision[];
  readonly notes: readonly { readonly key: string; readonly value: string }[];
  /** Errors of audit annotations when they refuse the request. */
  readonly brokenNotes: readonly string[];
  /** Present when the policy has match conditions. */
  readonly conditions?: Pick<ConditionsCheck, "outcome" | "seconds">;
}

const NOTHING: Verdict = { decisions: [], notes: [], brokenNotes: [] };
export const ERROR_TYPES: Readonly<Record<Failure["why"], PolicyErrorType>> = {
  compile: "compile_error",
  invalid: "invalid_error",
  budget: "out_of_budget",
};

/** Returns the verdict; synchronous when the policy holds and nothing is awaited, which is the common case. */
export function verdictOf(policy: KnownPolicy, compiled: CompiledPolicy, run: PolicyRun): MaybePromise<Verdict> {
  const { conditions, annotations, validations } = compiled;
  if (conditions.length > 0) return conditionalVerdict(policy, compiled, run);
  for (let index = 0; index < validations.length; index += 1) {
    const said = run.ask(validations[index] as CompiledValidation);
    if (said instanceof Promise || said.kind === "failure" || said.value !== true)
      return verdictFrom(index, said, { policy, compiled, run });
  }
  return annotations.length === 0 ? NOTHING : notedVerdict([], { policy, compiled, run });
}

interface Asking {
  readonly policy: KnownPolicy;
  readonly compiled: CompiledPolicy;
  readonly run: PolicyRun;
}

async function conditionalVerdict(policy: KnownPolicy, compiled: CompiledPolicy, run: PolicyRun): Promise<Verdict> {
  const begunAt = performance.now();
  const met = await run.conditions();
  const conditions = { outcome: outcomeOf(met), seconds: secondsSince(begunAt) };
  if (met === false) return { ...NOTHING, conditions };
  if (met !== true) return { ...NOTHING, conditions, decisions: [failed(policy, met, { index: 0, begunAt })] };
  return { ...(await verdictFrom(0, undefined, { policy, compiled, run })), conditions };
}

export function outcomeOf(met: boolean | Failure): ConditionsCheck["outcome"] {
  if (typeof met !== "boolean") return "failed";
  return met ? "held" : "excluded";
}

/** Evaluates the validations from `start`. @param first outcome of the first one, when it was evaluated already */
async function verdictFrom(
  start: number,
  first: MaybePromise<EvaluatedValue> | undefined,
  asking: Asking,
): Promise<Verdict> {
  const { policy, compiled, run } = asking;
  const begunAt = performance.now();
  const decisions: Decision[] = [];
  for (let index = start; index < compiled.validations.length; index += 1) {
    const validation = compiled.validations[index] as CompiledValidation;
    const asked = index === start && first !== undefined ? first : run.ask(validation);
    const said = asked instanceof Promise ? await asked : asked;
    if (said.kind === "failure") decisions.push(failed(policy, said, { index, begunAt }));
    else if (said.value !== true) {
      const message = await messageOf(validation, run);
      const seconds = secondsSince(begunAt);
      decisions.push({ kind: "failed", index, error: "no_error", message, reason: validation.reason, seconds });
    }
  }
  return notedVerdict(decisions, asking);
}

async function notedVerdict(decisions: readonly Decision[], { policy, compiled, run }: Asking): Promise<Verdict> {
  return compiled.annotations.length === 0
    ? { ...NOTHING, decisions }
    : { decisions, ...(await notesOf(policy, compiled, run)) };
}

const secondsSince = (begunAt: number): number => (performance.now() - begunAt) / 1000;

function failed(
  { failsClosed }: KnownPolicy,
  { message, why }: Failure,
  { index, begunAt }: { readonly index: number; readonly begunAt: number },
): Decision {
  const kind = failsClosed ? "failed" : "admitted";
  return { kind, index, error: ERROR_TYPES[why], seconds: secondsSince(begunAt), message };
}

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

/** Returns "" for null, the only other type that the value may have. */
const textOf = (value: CelValue): string => (typeof value === "string" ? value.trim() : "");

/** Value of an audit annotation of a policy. */
export interface PolicyAnnotation {
  readonly policy: string;
  readonly key: string;
  readonly value: string;
}

/** Maximum length of an annotation's value in characters. Longer values are cut. */
const VALUE_MAX = 10 * 1024;

/**
 * Returns the audit annotations: collects the values per key. Values of several bindings and parameters of a policy are
 * joined, and each value appears once.
 */
export function annotationsOf(noted: readonly PolicyAnnotation[]): ReadonlyMap<string, string> {
  const values = new Map<string, Set<string>>();
  for (const { policy, key, value } of noted) {
    const under = `${policy}/${key}`;
    const known = values.get(under) ?? new Set();
    values.set(under, known.add(value.length > VALUE_MAX ? value.slice(0, VALUE_MAX) : value));
  }
  return new Map(Array.from(values, ([key, each]) => [key, [...each].join(", ")]));
}
