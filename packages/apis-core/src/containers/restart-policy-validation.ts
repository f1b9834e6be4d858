// Validation of restart policies of containers. Source: KEP-753, "Sidecar Containers"; KEP-5307, "Container Restart
// Policy"; pkg/apis/core/validation/validation.go.

import { oneOf, type Place, type Report } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { storesRestartOfAll, storesRestartRules } from "./stored-pod-spec";

const RULES_MAX = 20;
const EXIT_CODES_MAX = 255;

const policies = oneOf("Always", "Never", "OnFailure");
const actions = oneOf("Restart");
const everyAction = oneOf("Restart", "RestartAllContainers");
const operators = oneOf("In", "NotIn");

type Restarting = Pick<coreV1.Container, "restartPolicy" | "restartPolicyRules">;

const allowsRules = (report: Report): boolean =>
  report.features.isOn("ContainerRestartRules") || storesRestartRules(report);

const allowsRestartOfAll = (report: Report): boolean =>
  report.features.isOn("RestartAllContainersOnContainerExits") || storesRestartOfAll(report);

/** Only with restart rules may a container have a policy of its own. */
export function containerRestartPolicy(container: Restarting, at: Place, report: Report): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined && rules.length === 0) return;
  if (allowsRules(report)) ruledPolicy(container, at, report);
  else if (restartPolicy !== undefined && report.features.isOn("SidecarContainers")) {
    report.forbidden(at.field("restartPolicy"), "may not be set for non-init containers");
  }
}

export function initContainerRestartPolicy(container: Restarting, at: Place, report: Report): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined && rules.length === 0) return;
  if (restartPolicy === undefined) {
    if (allowsRules(report)) report.required(at.field("restartPolicy"), NO_POLICY);
  } else if (!allowsRules(report)) {
    if (restartPolicy === "Always" || !report.features.isOn("SidecarContainers")) return;
    report.notSupported(at.field("restartPolicy"), restartPolicy, ["Always"]);
  } else if (restartPolicy !== "Always" || allowsRestartOfAll(report)) {
    ruledPolicy(container, at, report);
  } else if (rules.length > 0) {
    const text = "restartPolicyRules are not allowed for init containers with restart policy Always";
    report.forbidden(at.field("restartPolicyRules"), text);
  }
}

const NO_POLICY = "must specify restartPolicy when restart rules are used";

function ruledPolicy({ restartPolicy, restartPolicyRules: rules = [] }: Restarting, at: Place, report: Report): void {
  const place = at.field("restartPolicy");
  if (restartPolicy === undefined) report.required(place, NO_POLICY);
  else policies(restartPolicy, place, report);
  const list = at.field("restartPolicyRules");
  if (rules.length > RULES_MAX) report.tooMany(list, { count: rules.length, max: RULES_MAX });
  const allowed = allowsRestartOfAll(report) ? everyAction : actions;
  for (let position = 0; position < rules.length && position < RULES_MAX; position += 1) {
    const { action = "", exitCodes } = rules[position] as coreV1.ContainerRestartRule;
    const rule = list.item(position);
    allowed(action, rule.field("action"), report);
    const codes = rule.field("exitCodes");
    if (exitCodes === undefined) report.required(codes, "must be specified");
    else {
      operators(exitCodes.operator ?? "", codes.field("operator"), report);
      const count = exitCodes.values?.length ?? 0;
      if (count > EXIT_CODES_MAX) report.tooMany(codes.field("values"), { count, max: EXIT_CODES_MAX });
    }
  }
}
