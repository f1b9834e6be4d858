// Defaults of containers of every kind and of their fields. Source: pkg/apis/core/v1/defaults.go.

import { type DefaultRules, roundResources } from "@orch/apis-model";
import type { JsonObject, JsonValue } from "@orch/schema";
import { isLatestImage } from "./image-reference";

const CONTAINER: DefaultRules = {
  first: choosePullPolicy,
  fields: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" },
};

const AMOUNTS: DefaultRules = {
  then: (resources) => {
    roundResources(resources, "limits");
    roundResources(resources, "requests");
  },
};

export const CONTAINER_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "core/v1.Container": CONTAINER,
  "core/v1.EphemeralContainer": CONTAINER,
  "core/v1.ImageVolumeSource": { first: chooseVolumePullPolicy },
  "core/v1.Probe": { fields: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 } },
  "core/v1.HTTPGetAction": { fields: { path: "/", scheme: "HTTP" } },
  "core/v1.ObjectFieldSelector": { fields: { apiVersion: "v1" } },
  "core/v1.ResourceRequirements": AMOUNTS,
  "core/v1.VolumeResourceRequirements": AMOUNTS,
};

function choosePullPolicy(container: JsonObject): void {
  if (!container["imagePullPolicy"]) container["imagePullPolicy"] = pullPolicyOf(container["image"]);
}

function chooseVolumePullPolicy(volume: JsonObject): void {
  if (!volume["pullPolicy"]) volume["pullPolicy"] = pullPolicyOf(volume["reference"]);
}

/** Returns the default pull policy: Always when the image has the tag latest. */
const pullPolicyOf = (image: JsonValue | undefined): string =>
  typeof image === "string" && isLatestImage(image) ? "Always" : "IfNotPresent";
