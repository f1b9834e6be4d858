// What decides about all requests is not decided about by itself: a mistake in it could not be taken back.
// Source: facts, admission/webhooks.md "Source of hooks".
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

const KINDS: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

export const configurationKinds =
  ({ groups }: Vocabulary) =>
  ({ definition }: Pick<AdmissionRequest, "definition">): boolean =>
    definition.group === groups.admissionregistration && KINDS.has(definition.plural);
