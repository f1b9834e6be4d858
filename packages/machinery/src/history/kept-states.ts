// Numbers of states that the history of an object keeps. Source: docs/history.md.

/** The maximum number for the option of the server. */
export const HISTORY_STATES_MAX = 1000;
/** The maximum number for the annotation of a namespace, because namespaces belong to users. */
export const NAMESPACE_STATES_MAX = 100;

/** Parses the value of the annotation. @returns undefined for anything but a number from 1 to the maximum */
export function statesOfAnnotation(text: string): number | undefined {
  const states = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return states <= NAMESPACE_STATES_MAX ? states : undefined;
}
