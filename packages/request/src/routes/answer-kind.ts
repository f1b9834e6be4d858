// The kind of the answers of a route, which discovery and the published schema name.
import type { GroupVersionKind, Vocabulary } from "@orch/schema";
import type { Route } from "./resource-route";

const REVISION_LIST = "RevisionList";

/** Returns the kind of the list of the recorded writes of an object. Source: docs/history.md. */
export const revisionListKind = (vocabulary: Vocabulary): GroupVersionKind => ({
  group: vocabulary.groups.meta,
  version: "v1",
  kind: REVISION_LIST,
});

/** Returns the kind of answers: that of the objects, or of the list of their recorded writes. */
export const answerKind = ({ history, bodies }: Route, vocabulary: Vocabulary): GroupVersionKind => {
  if (history?.part === "history") return revisionListKind(vocabulary);
  const { group, version, kind } = bodies;
  return { group, version, kind };
};
