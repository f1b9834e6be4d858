// Validation of environment variables and their sources. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  configKey,
  each,
  envVarName,
  fields,
  label1123,
  pathWithoutBacksteps,
  type Rule,
  required,
  subdomain,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { fieldReference, ownResource } from "../volumes/pod-field-reference-validation";
import { storesFileKeys, storesRelaxedNames } from "./stored-pod-spec";

const fieldRef = fieldReference([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.podIP",
  "status.podIPs",
]);

const keyReference = fields<coreV1.ConfigMapKeySelector | coreV1.SecretKeySelector>({
  name: absentAs("", subdomain),
  key: required(configKey),
});

const RELAXED_NAME = /^[ -<>-~]+$/;

/** Name with any printable ASCII characters except "=". Source: KEP-4369, "Allow almost all printable ASCII". */
const relaxedName: Rule<string> = (value, at, report) => {
  if (RELAXED_NAME.test(value)) return;
  const text = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  report.invalid(at, value, text);
};

const variableName: Rule<string> = (value, at, report) => {
  const relaxed = report.features.isOn("RelaxedEnvironmentVariableValidation") || storesRelaxedNames(report);
  (relaxed ? relaxedName : envVarName)(value, at, report);
};

const fileReference: Rule<coreV1.FileKeySelector> = (reference, at, report) => {
  if (report.features.isOn("EnvFiles") || storesFileKeys(report)) fileReferenceFields(reference, at, report);
};

const fileReferenceFields = fields<coreV1.FileKeySelector>({
  key: required(relaxedName),
  volumeName: required(label1123),
  path: required(pathWithoutBacksteps),
});

const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"] as const;

const valueSource = fields<coreV1.EnvVarSource>({
  fieldRef,
  resourceFieldRef: ownResource,
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: fileReference,
});

const valueOrSource: Rule<coreV1.EnvVar> = ({ value = "", valueFrom }, at, report) => {
  if (valueFrom === undefined) return;
  const place = at.field("valueFrom");
  const sources = SOURCES.filter((name) => valueFrom[name] !== undefined).length;
  if (sources === 0) {
    report.invalid(
      place,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`",
    );
  } else if (value !== "") report.invalid(place, "", "may not be specified when `value` is not empty");
  else if (sources > 1) report.invalid(place, "", "may not have more than one field specified at a time");
  valueSource(valueFrom, place, report);
};

export const env: Rule<readonly coreV1.EnvVar[]> = each(
  all(fields<coreV1.EnvVar>({ name: required(variableName) }), valueOrSource),
);

const nameReference = fields<coreV1.ConfigMapEnvSource | coreV1.SecretEnvSource>({ name: required(subdomain) });

const envFromSource = fields<coreV1.EnvFromSource>({
  prefix: variableName,
  configMapRef: nameReference,
  secretRef: nameReference,
});

/** Reports a wrong number of references at the list since 1.26, as Kubernetes does. */
export const envFrom: Rule<readonly coreV1.EnvFromSource[]> = (sources, at, report) => {
  sources.forEach((source, position) => {
    envFromSource(source, at.item(position), report);
    const { configMapRef, secretRef } = source;
    const place = report.features.since("1.26") ? at : at.item(position);
    if (configMapRef === undefined && secretRef === undefined) {
      report.invalid(place, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      report.invalid(place, "", "may not have more than one field specified at a time");
    }
  });
};
