// From the table of what can be done to objects to what the server works with: the bodies that one release takes.
import { type Action, apiVersionText, isServed } from "@orch/machinery";
import { groupName, type Schema, type Vocabulary } from "@orch/schema";
import { BodyVersion } from "./body-version";
import type { ActionRules } from "./built-in-resource";

export interface ActionOptions {
  readonly vocabulary: Vocabulary;
  readonly schema: Schema;
  /** Whose bodies are taken. */
  readonly release: string;
}

export function actionOf({ bodies, validate }: ActionRules, { vocabulary, schema, release }: ActionOptions): Action {
  const taken = bodies
    .filter((body) => isServed(body, release))
    .map(({ group, version, kind, sentTo }) => ({
      sentTo: published(sentTo, vocabulary),
      version: new BodyVersion(schema, { group: groupName(vocabulary, group), version, kind }),
    }));
  return {
    bodies(parent) {
      const to = apiVersionText(parent);
      return taken.filter(({ sentTo = to }) => sentTo === to).map(({ version }) => version);
    },
    ...(validate && { validate: (body, version) => validate(body, { vocabulary, version }) }),
  };
}

/** @param parent `group id/version` */
function published(parent: string | undefined, vocabulary: Vocabulary): string | undefined {
  const [group = "", version = ""] = parent?.split("/") ?? [];
  return parent === undefined ? undefined : apiVersionText({ group: groupName(vocabulary, group), version });
}
