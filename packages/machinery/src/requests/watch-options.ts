// Options of a watch. Source: "Efficient detection of changes" and "Streaming lists" in Kubernetes API concepts.
import type { Vocabulary } from "@orch/schema";
import { type FieldError, forbidden, invalid, notSupported } from "../errors/field-error";
import { parseSelection, type SelectionFeatures, type SelectionOptions } from "./list-options";
import {
  optionalQueryBoolean,
  type QueryParameters,
  queryBoolean,
  queryInteger,
  refuseInvalid,
} from "./query-parameters";
import { ANY, MOST_RECENT, parseResourceVersion, resourceVersionProblem, type WatchStart } from "./read-semantics";

export interface WatchOptions extends SelectionOptions {
  /** With `sendInitialEvents: true`, the initial state is not older than the version of an exact start. */
  readonly start: WatchStart;
  /**
   * true: sends the initial state as ADDED events, followed by a bookmark that marks its end when bookmarks are
   * allowed. false: sends only changes, whatever the start. Undefined: sends the initial state unless the start is
   * exact, without a mark.
   */
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
  /** Lifetime of the stream; undefined: chosen by the server. Limited to what a timer supports. */
  readonly timeoutSeconds: number | undefined;
}

export interface WatchFeatures extends SelectionFeatures {
  /** Whether a watch without a resource version, or from 0, counts as one with `sendInitialEvents`. */
  readonly initialEventsByDefault?: boolean;
}

/** Node.js timers hold 31 bits of milliseconds, and fire immediately beyond that. */
const TIMEOUT_MAX_SECONDS = 2_147_483;

/**
 * Parses the options of a watch.
 * @throws StatusError BadRequest (400) for unparsable values; Invalid (422) for invalid combinations and for an invalid
 * resource version
 */
export function parseWatchOptions(
  query: QueryParameters,
  vocabulary: Vocabulary,
  features?: WatchFeatures,
): WatchOptions {
  const versionText = query.get("resourceVersion") ?? "";
  const resourceVersion = parseResourceVersion(versionText);
  const sendInitialEvents = optionalQueryBoolean(query, "sendInitialEvents");
  const timeoutSeconds = queryInteger(query, "timeoutSeconds") ?? 0;
  queryInteger(query, "limit"); // has no effect on a watch, but must be valid
  const isDefault =
    features?.initialEventsByDefault === true && sendInitialEvents === undefined && resourceVersion === 0;
  const errors = [
    ...(resourceVersion === undefined
      ? [invalid("resourceVersion", versionText, resourceVersionProblem(versionText))]
      : []),
    ...matchErrors(query.get("resourceVersionMatch") ?? "", sendInitialEvents),
    ...continueErrors(query, isDefault),
  ];
  refuseInvalid("ListOptions", errors, vocabulary);
  return {
    ...parseSelection(query, features),
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
      : [
          forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"),
          ...(match === "NotOlderThan" ? [] : [notSupported(path, match, ["NotOlderThan"])]),
        ];
  }
  if (match === "NotOlderThan") return [];
  const wrong = forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  return match === "" ? [wrong] : [wrong, notSupported(path, match, ["NotOlderThan"])];
}

/**
 * Refuses a continue token beside a match, given or by default. Other watches ignore the token. Source:
 * staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 */
function continueErrors(query: QueryParameters, isDefault: boolean): FieldError[] {
  const match = query.get("resourceVersionMatch") ?? "";
  const matches = match !== "" || isDefault;
  if (!matches || (query.get("continue") ?? "") === "") return [];
  return [forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided")];
}
