// Writes to the objects that arguments, files or selectors choose, one request or a few for each.
import type { JsonObject } from "@orch/schema";
import type { Session } from "../../session/session";
import { Progress } from "../../terminal/progress";
import { inOrder, throwAll } from "./in-order";
import { localTargets } from "./local-objects";
import type { FileOptions, SelectorOptions } from "./options";
import { type OutcomeOptions, Outcomes } from "./outcome";
import { chosenTargets, type Target } from "./targets";

export interface Written {
  readonly verb: string;
  readonly object: JsonObject;
}

/** Writes to all chosen objects, and prints what was done, in their order. */
export async function writeChosen(
  session: Session,
  {
    words,
    options,
    label,
  }: {
    readonly words: readonly string[];
    readonly options: FileOptions & SelectorOptions & OutcomeOptions & { readonly local?: boolean };
    readonly label: string;
  },
  write: (target: Target) => Promise<Written>,
): Promise<void> {
  const { targets, errors } =
    options.local === true ? await localTargets(session, options) : await chosenTargets(session, words, options);
  if (targets.length === 0) {
    throwAll(errors);
    session.tell("No resources found");
    return;
  }
  throwAll([...errors, ...(await writeAll(session, { targets, options, label }, write))]);
}

/** Writes to all targets. @returns the errors */
export async function writeAll(
  session: Session,
  {
    targets,
    options,
    label,
  }: {
    readonly targets: readonly Target[];
    readonly options: OutcomeOptions;
    readonly label: string;
  },
  write: (target: Target) => Promise<Written>,
): Promise<readonly unknown[]> {
  const outcomes = new Outcomes(session, options);
  const progress = new Progress(session.io, { label, total: targets.length });
  try {
    return await inOrder(targets, {
      signal: session.signal,
      work: write,
      finished: () => progress.advance(),
      done: (target, { verb, object }) => outcomes.tell(target, verb, object, (text) => progress.write(text)),
    });
  } finally {
    progress.end();
  }
}
