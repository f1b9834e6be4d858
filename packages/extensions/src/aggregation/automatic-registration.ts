// Decides the next step for an automatically managed APIService.
// Source: staging/src/k8s.io/kube-aggregator/pkg/controllers/autoregister/autoregister_controller.go.
import type { Automation, Registration } from "./registration";

/** A group version that this server serves itself. */
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
  /** The APIService existed, with the automanaged label, when this process started. */
  readonly existedAtStart: boolean;
  /** This process has handled the APIService before. */
  readonly isDone: boolean;
}

/**
 * Returns the step for one APIService. With automation `onstart`, a name is handled once per process; later changes by
 * users stay.
 */
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
