// Validation of security contexts of pods and containers. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  descendingPath,
  each,
  type FieldGate,
  fields,
  oneOf,
  operatingSystemId,
  type Rule,
  required,
  subdomain,
  unique,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { appArmorProfile } from "./app-armor-validation";
import { storesLabelPolicy } from "./stored-pod-spec";
import { windowsUserErrors } from "./windows-user-validation";

const SYSCTL_NAME = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
/** Since 1.25, slashes may separate the parts of a name too. */
const SYSCTL_PATH = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_NAME_MAX = 253;

const sysctlName: Rule<string> = (value, at, report) => {
  const format = report.features.since("1.25") ? SYSCTL_PATH : SYSCTL_NAME;
  if (value.length <= SYSCTL_NAME_MAX && format.test(value)) return;
  report.invalid(at, value, `must have at most ${SYSCTL_NAME_MAX} characters and match regex ${format.source}`);
};

const sysctls: Rule<readonly coreV1.Sysctl[]> = all(
  each(fields<coreV1.Sysctl>({ name: required(sysctlName) })),
  unique(({ name }) => name, { field: "name" }),
);

const seccompProfile: Rule<coreV1.SeccompProfile> = all(
  fields<coreV1.SeccompProfile>({
    type: required(oneOf("Localhost", "RuntimeDefault", "Unconfined"), "type is required when seccompProfile is set"),
  }),
  ({ type, localhostProfile }, at, report) => {
    const place = at.field("localhostProfile");
    if (type === "Localhost") {
      if (localhostProfile === undefined) report.required(place, "must be set when seccomp type is Localhost");
      else descendingPath(localhostProfile, place, report);
    } else if (localhostProfile !== undefined) {
      report.invalid(place, localhostProfile, "must not be set unless seccomp type is Localhost");
    }
  },
);

const CREDENTIAL_SPEC_MAX_BYTES = 65536;

const credentialSpec: Rule<string> = (value, at, report) => {
  if (Buffer.byteLength(value) > CREDENTIAL_SPEC_MAX_BYTES) {
    report.invalid(at, value, `gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_MAX_BYTES / 1024} KiB`);
  }
};

/** Pointer fields: an empty text is a value. */
const windowsOptions: Rule<coreV1.WindowsSecurityContextOptions> = (options, at, report) => {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (name !== undefined) subdomain(name, at.field("gmsaCredentialSpecName"), report);
  if (spec === "") report.invalid(at.field("gmsaCredentialSpec"), spec, "gmsaCredentialSpec cannot be an empty string");
  else if (spec !== undefined) credentialSpec(spec, at.field("gmsaCredentialSpec"), report);
  if (user !== undefined) report.misformed(at.field("runAsUserName"), user, windowsUserErrors(user));
};

const whileOn =
  <T>(gate: FieldGate, rule: Rule<T>): Rule<T> =>
  (value, at, report) => {
    if (report.features.isOn(gate)) rule(value, at, report);
  };

const everyLabelPolicy = oneOf("MountOption", "Recursive");
const recursivePolicy = oneOf("Recursive");

/** Mounting with a label needs its own gate. Source: KEP-1710, "Speed up recursive SELinux label change". */
const labelPolicy: Rule<string> = (value, at, report) => {
  const every = report.features.isOn("SELinuxMount") || storesLabelPolicy(report);
  (every ? everyLabelPolicy : recursivePolicy)(value, at, report);
};

export const podSecurityContext: Rule<coreV1.PodSecurityContext> = fields<coreV1.PodSecurityContext>({
  fsGroup: operatingSystemId,
  runAsUser: operatingSystemId,
  runAsGroup: operatingSystemId,
  supplementalGroups: each(operatingSystemId),
  sysctls,
  fsGroupChangePolicy: oneOf("OnRootMismatch", "Always"),
  seccompProfile,
  windowsOptions,
  appArmorProfile,
  supplementalGroupsPolicy: whileOn("SupplementalGroupsPolicy", oneOf("Merge", "Strict")),
  seLinuxChangePolicy: whileOn("SELinuxChangePolicy", labelPolicy),
});

const privileges: Rule<coreV1.SecurityContext> = ({ privileged }, at, report) => {
  if (privileged === true && report.forbidsPrivileged) {
    report.forbidden(at.field("privileged"), "disallowed by cluster policy");
  }
};

const noEscalationAgainstRights: Rule<coreV1.SecurityContext> = (context, at, report) => {
  if (context.allowPrivilegeEscalation !== false) return;
  // Kubernetes reports these errors at the security context.
  const place = report.features.since("1.26") ? at : at.field("allowPrivilegeEscalation");
  if (context.privileged === true) {
    report.invalid(place, false, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
    report.invalid(place, false, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
  }
};

export const securityContext: Rule<coreV1.SecurityContext> = all(
  fields<coreV1.SecurityContext>({
    runAsUser: operatingSystemId,
    runAsGroup: operatingSystemId,
    procMount: oneOf("Default", "Unmasked"),
    seccompProfile,
    windowsOptions,
    appArmorProfile,
  }),
  privileges,
  noEscalationAgainstRights,
);
