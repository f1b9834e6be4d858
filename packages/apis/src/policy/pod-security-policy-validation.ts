// Validation of pod security policies. Source: pkg/apis/policy/validation/validation.go.

import { csiDriverName, isAppArmorProfile, isSeccompProfile } from "@orch/apis-core";
import { absentAs, all, each, fields, label1123, oneOf, Place, type Rule, required, validator } from "@orch/apis-model";
import type { metaV1, policyV1beta1 } from "@orch/schema";
import { sysctlLists } from "./sysctl-pattern-validation";

type Spec = policyV1beta1.PodSecurityPolicySpec;

const ANY = "*";

const VOLUMES = [
  "azureFile",
  "flocker",
  "flexVolume",
  "hostPath",
  "emptyDir",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "gitRepo",
  "secret",
  "nfs",
  "iscsi",
  "glusterfs",
  "persistentVolumeClaim",
  "rbd",
  "cinder",
  "cephFS",
  "downwardAPI",
  "fc",
  "configMap",
  "vsphereVolume",
  "quobyte",
  "azureDisk",
  "photonPersistentDisk",
  "storageos",
  "projected",
  "portworxVolume",
  "scaleIO",
  "csi",
  "ephemeral",
];

const idRange: Rule<policyV1beta1.IDRange> = ({ min, max }, at, report) => {
  if (min < 0) report.invalid(at.field("min"), min, "min cannot be negative");
  if (max < 0) report.invalid(at.field("max"), max, "max cannot be negative");
  if (min > max) report.invalid(at.field("min"), min, "min cannot be greater than max");
};

interface IdStrategy {
  readonly rule?: string;
  readonly ranges?: readonly policyV1beta1.IDRange[];
}

const strategy = (...rules: readonly string[]): Rule<IdStrategy> =>
  fields<IdStrategy>({ rule: absentAs<string>("", oneOf(...rules)), ranges: each(idRange) });

const runAsGroup: Rule<IdStrategy> = all<IdStrategy>(
  strategy("MayRunAs", "MustRunAs", "RunAsAny"),
  ({ rule, ranges = [] }, at, report) => {
    const place = at.field("ranges");
    if (rule === "RunAsAny" && ranges.length > 0) report.invalid(place, ranges, "Ranges must be empty");
    if ((rule === "MustRunAs" || rule === "MayRunAs") && ranges.length === 0) {
      report.invalid(place, ranges, "must provide at least one range");
    }
  },
);

/** Rejects capabilities that are both dropped and added. Errors have paths outside the spec, as in Kubernetes. */
const capabilities: Rule<Spec> = (spec, _at, report) => {
  const { requiredDropCapabilities: dropped = [], allowedCapabilities = [], defaultAddCapabilities = [] } = spec;
  if (dropped.length > 0 && allowedCapabilities.includes(ANY)) {
    const detail = "must be empty when all capabilities are allowed by a wildcard";
    report.invalid(Place.ROOT.field("requiredDropCapabilities"), dropped, detail);
  }
  const gone = new Set(dropped);
  for (const [field, list] of Object.entries({ defaultAddCapabilities, allowedCapabilities })) {
    for (const name of list.filter((each) => gone.has(each))) {
      report.invalid(Place.ROOT.field(field), name, `capability is listed in ${field} and requiredDropCapabilities`);
    }
  }
};

const escalation: Rule<Spec> = ({ defaultAllowPrivilegeEscalation, allowPrivilegeEscalation }, at, report) => {
  if (defaultAllowPrivilegeEscalation !== true || allowPrivilegeEscalation !== false) return;
  const detail =
    "Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true";
  report.invalid(at.field("defaultAllowPrivilegeEscalation"), true, detail);
};

const pathPrefix: Rule<string> = (path, at, report) => {
  if (path.split("/").includes("..")) report.invalid(at, path, "must not contain '..'");
};

const runtimeClass: Rule<policyV1beta1.RuntimeClassStrategyOptions> = (options, at, report) => {
  const { allowedRuntimeClassNames: allowed, defaultRuntimeClassName: name } = options;
  const names = allowed ?? [];
  const place = at.field("allowedRuntimeClassNames");
  const seen = new Set<string>();
  names.forEach((each, position) => {
    if (each !== ANY) label1123(each, place.item(position), report);
    if (seen.has(each)) report.duplicate(place.item(position), each);
    seen.add(each);
  });
  if (name !== undefined) {
    label1123(name, at.field("defaultRuntimeClassName"), report);
    if (!names.includes(name) && !names.includes(ANY))
      report.required(place, `default ${JSON.stringify(name)} must be allowed`);
  }
  if (names.includes(ANY) && names.length > 1) {
    report.invalid(place, names, "if '*' is present, must not specify other RuntimeClass names");
  }
};

const spec = all<Spec>(
  fields<Spec>({
    runAsUser: strategy("MustRunAs", "MustRunAsNonRoot", "RunAsAny"),
    runAsGroup,
    seLinux: fields<policyV1beta1.SELinuxStrategyOptions>({
      rule: absentAs<string>("", oneOf("MustRunAs", "RunAsAny")),
    }),
    supplementalGroups: strategy("MayRunAs", "MustRunAs", "RunAsAny"),
    fsGroup: strategy("MayRunAs", "MustRunAs", "RunAsAny"),
    volumes: each(oneOf(...VOLUMES, ANY)),
    allowedProcMountTypes: each(oneOf("Default", "Unmasked")),
    allowedHostPaths: each(fields<policyV1beta1.AllowedHostPath>({ pathPrefix: required(pathPrefix) })),
    allowedFlexVolumes: each(fields<policyV1beta1.AllowedFlexVolume>({ driver: required() })),
    allowedCSIDrivers: each(fields<policyV1beta1.AllowedCSIDriver>({ name: required(csiDriverName) })),
    runtimeClass,
  }),
  capabilities,
  escalation,
  sysctlLists,
);

/**
 * Validation of the annotations with default and allowed profiles of a policy. Source:
 * pkg/apis/policy/validation/validation.go.
 */
const profileAnnotations: Rule<Readonly<Record<string, string>>> = (annotations, at, report) => {
  const keys = report.vocabulary.annotations;
  check(keys.apparmorSecurityBetaDefaultProfileName, (text) => isAppArmorProfile(text), "AppArmor");
  check(keys.apparmorSecurityBetaAllowedProfileNames, (text) => text.split(",").every(isAppArmorProfile), "AppArmor");
  check(keys.seccompSecurityAlphaDefaultProfileName, (text) => isSeccompProfile(text), "seccomp");
  check(keys.seccompSecurityAlphaAllowedProfileNames, (text) => text.split(",").every(isSeccompOrAny), "seccomp");

  function check(key: string, fits: (text: string) => boolean, what: string): void {
    const text = annotations[key];
    if (text !== undefined && !fits(text)) report.invalid(at.key(key), text, `must be a valid ${what} profile`);
  }
};

const isSeccompOrAny = (text: string): boolean => text === ANY || isSeccompProfile(text);

export const validatePodSecurityPolicy = validator(
  fields<policyV1beta1.PodSecurityPolicy>({
    metadata: fields<metaV1.ObjectMeta>({ annotations: profileAnnotations }),
    spec,
  }),
);
