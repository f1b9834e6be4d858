import { defineController } from "../../framework/controller";
import { protectClaims } from "./protect-claims";
import { protectClasses } from "./protect-classes";
import { protectPodGroups } from "./protect-pod-groups";
import { protectVolumes } from "./protect-volumes";

/** Multiple of the default request rate: the controllers release thousands of objects, with two requests each. */
const RATE_FACTOR = 20;

export const claimProtectionController = defineController({
  name: "pvc-protection",
  alias: "persistentvolumeclaim-protection-controller",
  does: "removes the protection finalizer of deleted claims that no pod uses",
  rateFactor: RATE_FACTOR,
  flags: {},
  run: (context, _options, signal) => protectClaims(context, signal),
});

export const volumeProtectionController = defineController({
  name: "pv-protection",
  alias: "persistentvolume-protection-controller",
  does: "removes the protection finalizer of deleted volumes that no claim uses",
  rateFactor: RATE_FACTOR,
  flags: {},
  run: (context, _options, signal) => protectVolumes(context, signal),
});

export const classProtectionController = defineController({
  name: "volumeattributesclass-protection",
  alias: "volumeattributesclass-protection-controller",
  does: "removes the finalizer of deleted unused volume attributes classes",
  since: "1.34",
  needs: { group: "storage", resource: "volumeattributesclasses" },
  rateFactor: RATE_FACTOR,
  flags: {},
  run: (context, _options, signal) => protectClasses(context, signal),
});

export const podGroupProtectionController = defineController({
  name: "podgroup-protection",
  alias: "podgroup-protection-controller",
  does: "removes the finalizer of deleted pod groups that no running pod names",
  since: "1.36",
  gate: "GenericWorkload",
  needs: { group: "scheduling", resource: "podgroups", versions: ["v1beta1", "v1alpha2"] },
  rateFactor: RATE_FACTOR,
  flags: {},
  run: (context, _options, signal) => protectPodGroups(context, signal),
});
