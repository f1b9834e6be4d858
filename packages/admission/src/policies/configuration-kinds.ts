// Kinds that configure admission. Policies are not evaluated for them, because a mistake in a policy could not be
// corrected otherwise. Source: Kubernetes documentation, "Validating Admission Policy".
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
