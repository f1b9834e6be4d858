// What becomes of a registration that the server itself looks after. Source: facts, apiserver-hooks.md "APIService auto-registration".
import type { Automation, Registration } from "./registration";

/** A group version that this server answers for. */
export interface WantedRegistration {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly automation: Automation;
}

export type AutomaticStep = "create" | "correct" | "delete" | "leave";

export interface AutomaticState {
  /** It was there, and labelled, when this process began. */
  readonly existedAtStart: boolean;
  /** This process has seen to it before. */
  readonly isDone: boolean;
}

/** Told `once`: never again by this process, whatever users do with it from then on. */
export function automaticStep(
  current: Registration | undefined,
  wanted: WantedRegistration | undefined,
  { existedAtStart, isDone }: AutomaticState,
): AutomaticStep {
  if (current === undefined) {
    if (wanted === undefined) return "leave";
    return wanted.automation === "onstart" && isDone ? "leave" : "create";
  }
  switch (current.automation) {
    case undefined:
      return "leave";
    case "onstart":
      if (!existedAtStart || isDone) return "leave";
      break;
    case "true":
      if (wanted?.automation === "onstart" && isDone) return "leave";
  }
  if (wanted === undefined) return "delete";
  return isAsWanted(current, wanted) ? "leave" : "correct";
}

const isAsWanted = (current: Registration, wanted: WantedRegistration): boolean =>
  current.automation === wanted.automation &&
  current.backend === undefined &&
  current.group === wanted.group &&
  current.version === wanted.version &&
  current.groupPriority === wanted.groupPriority &&
  current.versionPriority === wanted.versionPriority;
