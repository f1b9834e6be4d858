// The options of a watch. Source: resource-api, "Resource version semantics", the watch table; facts, http.md.
import type { Vocabulary } from "@orch/schema";
import { type FieldError, forbidden, invalid, notSupported } from "../errors/field-error";
import { refuseInvalid } from "../errors/option-errors";
import { parseSelection, type SelectionOptions } from "./list-options";
import { optionalQueryBoolean, type QueryParameters, queryBoolean, queryInteger } from "./query-parameters";
import { ANY, MOST_RECENT, type WatchStart } from "./read-semantics";
import { parseResourceVersion, resourceVersionProblem } from "./resource-version";

export interface WatchOptions extends SelectionOptions {
  /** With `sendInitialEvents: true`, the state to begin with is not older than an exact start's version. */
  readonly start: WatchStart;
  /**
   * true: the state as ADDED events, and for who allows bookmarks one that marks its end. false: changes only, whatever the start.
   * Undefined: the state as ADDED events unless the start is exact, and no mark.
   */
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  /** Lifetime of the stream; undefined: the server's choice. Never longer than a timer can wait. */
  readonly timeoutSeconds: number | undefined;
}

/** Node's timers take 31 bits of milliseconds and fire at once beyond. */
const TIMEOUT_MAX_SECONDS = 2_147_483;

/**
 * @throws StatusError BadRequest (400) for what cannot be read; Invalid (422) for options that do not go together, and for a
 *   version that is no number
 */
export function parseWatchOptions(query: QueryParameters, vocabulary: Vocabulary): WatchOptions {
  const versionText = query.get("resourceVersion") ?? "";
  const resourceVersion = parseResourceVersion(versionText);
  const sendInitialEvents = optionalQueryBoolean(query, "sendInitialEvents");
  const timeoutSeconds = queryInteger(query, "timeoutSeconds") ?? 0;
  const errors = [
    ...(resourceVersion === undefined
      ? [invalid("resourceVersion", versionText, resourceVersionProblem(versionText))]
      : []),
    ...matchErrors(query.get("resourceVersionMatch") ?? "", sendInitialEvents),
  ];
  refuseInvalid("ListOptions", errors, vocabulary);
  return {
    ...parseSelection(query),
    start: watchStart(versionText, resourceVersion ?? 0),
    sendInitialEvents,
    allowBookmarks: queryBoolean(query, "allowWatchBookmarks"),
    timeoutSeconds: timeoutSeconds > 0 ? Math.min(timeoutSeconds, TIMEOUT_MAX_SECONDS) : undefined,
  };
}

function watchStart(versionText: string, resourceVersion: number): WatchStart {
  if (versionText === "") return MOST_RECENT;
  return resourceVersion === 0 ? ANY : { kind: "exact", resourceVersion };
}

function matchErrors(match: string, sendInitialEvents: boolean | undefined): FieldError[] {
  const path = "resourceVersionMatch";
  if (sendInitialEvents === undefined) {
    return match === ""
      ? []
      : [forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")];
  }
  if (match === "NotOlderThan") return [];
  return match === ""
    ? [forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")]
    : [notSupported(path, match, ["NotOlderThan"])];
}
