// Defaults of update strategies of workloads, by version.

import { fillRolling, rollBy } from "@orch/apis-core";
import type { DefaultRule, DefaultRules } from "@orch/apis-model";
import { isObject } from "@orch/schema";

const QUARTERS = { maxUnavailable: "25%", maxSurge: "25%" } as const;
const ONES = { maxUnavailable: 1, maxSurge: 1 } as const;

const DEPLOYMENT: DefaultRules = { fields: { type: "RollingUpdate" }, then: rollBy(QUARTERS) };
const DAEMON_SET: DefaultRules = { fields: { type: "RollingUpdate" }, then: rollBy({ maxUnavailable: 1 }) };

/** Sets the default partition: always when the type is absent, otherwise only when `rollingUpdate` is set. */
const partitionWhereUntyped: DefaultRule = (strategy) => {
  if (!strategy["type"]) {
    strategy["type"] = "RollingUpdate";
    strategy["rollingUpdate"] ??= {};
  }
};

const fillPartition: DefaultRule = ({ type, rollingUpdate }) => {
  if (type === "RollingUpdate" && isObject(rollingUpdate)) fillRolling(rollingUpdate, { partition: 0 });
};

const STATEFUL_SET: DefaultRules = { first: partitionWhereUntyped, then: fillPartition };

export const UPDATE_STRATEGY_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "apps/v1.DeploymentStrategy": DEPLOYMENT,
  "apps/v1beta2.DeploymentStrategy": DEPLOYMENT,
  "apps/v1beta1.DeploymentStrategy": DEPLOYMENT,
  "extensions/v1beta1.DeploymentStrategy": {
    fields: { type: "RollingUpdate" },
    then: (strategy, vocabulary) => {
      if (isObject(strategy["rollingUpdate"])) fillRolling(strategy["rollingUpdate"], ONES);
      rollBy(ONES)(strategy, vocabulary);
    },
  },
  "apps/v1.DaemonSetUpdateStrategy": DAEMON_SET,
  "apps/v1beta2.DaemonSetUpdateStrategy": DAEMON_SET,
  "extensions/v1beta1.DaemonSetUpdateStrategy": { fields: { type: "OnDelete" }, then: rollBy({ maxUnavailable: 1 }) },
  "apps/v1.StatefulSetUpdateStrategy": STATEFUL_SET,
  "apps/v1beta2.StatefulSetUpdateStrategy": STATEFUL_SET,
  "apps/v1beta1.StatefulSetUpdateStrategy": { fields: { type: "OnDelete" }, then: fillPartition },
};
