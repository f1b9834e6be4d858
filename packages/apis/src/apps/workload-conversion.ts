// Conversion of fields that v1 does not have: the rollback of a deployment and the template generation of a daemon set.
// v1 carries them in annotations with the keys of Kubernetes. Source: pkg/apis/apps/v1/conversion.go.

import { type Conversion, objectAt, putAnnotation, takeAnnotation, takeField } from "@orch/apis-model";
import { isInt64, isObject } from "@orch/schema";
import { TEMPLATE_GENERATION } from "./template-generation";

export const ROLLBACK_TO = "deprecated.deployment.rollback.to";

export const rollbackConversion: Conversion = {
  toHub: (deployment) => {
    const rollback = takeField(objectAt(deployment, "spec"), "rollbackTo");
    if (isObject(rollback)) putAnnotation(deployment, ROLLBACK_TO, rollback["revision"] ?? 0);
    return deployment;
  },
  fromHub: (deployment) => {
    const revision = takeAnnotation(deployment, ROLLBACK_TO);
    if (isInt64(revision ?? null)) objectAt(deployment, "spec")["rollbackTo"] = { revision: revision as number };
    return deployment;
  },
};

export const templateGenerationConversion: Conversion = {
  toHub: (daemonSet) => {
    putAnnotation(daemonSet, TEMPLATE_GENERATION, takeField(objectAt(daemonSet, "spec"), "templateGeneration"));
    return daemonSet;
  },
  fromHub: (daemonSet) => {
    const generation = takeAnnotation(daemonSet, TEMPLATE_GENERATION);
    if (isInt64(generation ?? null)) objectAt(daemonSet, "spec")["templateGeneration"] = generation as number;
    return daemonSet;
  },
};
