// Builds the actions of the server from their tables, with the bodies that one release accepts.

import type { ActionBody, ActionRules } from "@orch/apis-model";
import { type Action, apiVersionText, compareReleases, isServed } from "@orch/machinery";
import { groupName, type Schema, type Vocabulary } from "@orch/schema";
import { BodyVersion } from "./body-version";

export interface ActionOptions {
  readonly vocabulary: Vocabulary;
  readonly schema: Schema;
  /** Release whose bodies are accepted. */
  readonly release: string;
}

/** First release that refuses a body of another name than that of its target. */
const COMPARES_NAMES = "1.36";

export function actionOf(
  { bodies, validate, answers, fill, unnamed }: ActionRules,
  { vocabulary, schema, release }: ActionOptions,
): Action {
  const bodyVersion = ({ group, version, kind }: Pick<ActionBody, "group" | "version" | "kind">) =>
    new BodyVersion(schema, { group: groupName(vocabulary, group), version, kind });
  const taken = bodies
    .filter((body) => isServed(body, release))
    .map((body) => ({ sentTo: published(body.sentTo, vocabulary), version: bodyVersion(body) }));
  return {
    bodies(parent) {
      const to = apiVersionText(parent);
      return taken.filter(({ sentTo = to }) => sentTo === to).map(({ version }) => version);
    },
    ...(answers && { answers: bodyVersion(answers) }),
    ...(fill && { fill }),
    ...(unnamed && { unnamed: compareReleases(COMPARES_NAMES, release) <= 0 ? "orSame" : unnamed }),
    ...(validate && { validate: (body, version) => validate(body, { vocabulary, version }) }),
  };
}

/** Returns the published apiVersion. @param parent `group id/version` */
function published(parent: string | undefined, vocabulary: Vocabulary): string | undefined {
  const [group = "", version = ""] = parent?.split("/") ?? [];
  return parent === undefined ? undefined : apiVersionText({ group: groupName(vocabulary, group), version });
}
