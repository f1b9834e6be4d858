// Defaults of pods and pod templates. Defaults of pods only are in pods.ts.

import { type DefaultRules, objectsAt, roundResources } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";

/** Keeps the deprecated `serviceAccount` equal to `serviceAccountName`, which takes precedence. */
export function matchAccountNames(spec: JsonObject): void {
  const name = spec["serviceAccountName"] || spec["serviceAccount"];
  if (!name) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}

export const POD_SPEC_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.PodSpec": {
    fields: {
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      securityContext: {},
      schedulerName: "default-scheduler",
    },
    then: (spec) => {
      if (spec["hostNetwork"] === true) openHostPorts(spec);
      roundResources(spec, "overhead");
      matchAccountNames(spec);
    },
  },
};

/** Sets the host port to the container port in the host's network. */
function openHostPorts(spec: JsonObject): void {
  for (const list of ["initContainers", "containers"]) {
    for (const container of objectsAt(spec, list)) {
      for (const port of objectsAt(container, "ports")) {
        if (!port["hostPort"] && port["containerPort"]) port["hostPort"] = port["containerPort"];
      }
    }
  }
}
