// Validation of secrets, by type. Source: pkg/apis/core/validation/validation.go.

import { all, fields, type Place, type Report, type Rule, updateValidator, validator } from "@orch/apis-model";
import type { coreV1, Vocabulary } from "@orch/schema";
import { base64Bytes, DATA_MAX_BYTES, dataKeys, sealed } from "./data-map-validation";

const boundedData: Rule<coreV1.Secret> = ({ data = {} }, at, report) => {
  let bytes = 0;
  for (const key of Object.keys(data)) bytes += base64Bytes(data[key] as string);
  if (bytes > DATA_MAX_BYTES) report.tooLong(at.field("data"), DATA_MAX_BYTES);
};

type SecretTypeId = keyof Vocabulary["secretTypes"];

/** Required content of secret types. Types that are not listed may hold anything. */
const BY_TYPE: Readonly<Partial<Record<SecretTypeId, Rule<coreV1.Secret>>>> = {
  serviceAccountToken: ({ metadata }, at, report) => {
    const name = report.vocabulary.annotations.serviceAccountName;
    if (!metadata?.annotations?.[name]) report.required(at.field("metadata").field("annotations").key(name));
  },
  dockercfg: jsonAt(".dockercfg"),
  dockerconfigjson: jsonAt(".dockerconfigjson"),
  basicAuth: ({ data = {} }, at, report) => {
    if ("username" in data || "password" in data) return;
    for (const key of ["username", "password"]) report.required(entry(at, key));
  },
  sshAuth: ({ data = {} }, at, report) => {
    if (!data["ssh-privatekey"]) report.required(entry(at, "ssh-privatekey"));
  },
  tls: ({ data = {} }, at, report) => {
    for (const key of ["tls.crt", "tls.key"]) if (data[key] === undefined) report.required(entry(at, key));
  },
};

const TYPE_IDS = Object.keys(BY_TYPE) as SecretTypeId[];

const contentOfType: Rule<coreV1.Secret> = (secret, at, report) => {
  const { secretTypes } = report.vocabulary;
  const id = TYPE_IDS.find((each) => secretTypes[each] === secret.type);
  if (id !== undefined) BY_TYPE[id]?.(secret, at, report);
};

function jsonAt(key: string): Rule<coreV1.Secret> {
  return ({ data = {} }, at: Place, report: Report) => {
    const value = data[key];
    if (value === undefined) return report.required(entry(at, key));
    try {
      JSON.parse(Buffer.from(value, "base64").toString("utf8"));
    } catch {
      report.invalid(entry(at, key), "<secret contents redacted>", "must be JSON");
    }
  };
}

function entry(at: Place, key: string): Place {
  return at.field("data").key(key);
}

export const secretErrors = validator(all(fields<coreV1.Secret>({ data: dataKeys }), boundedData, contentOfType));

const sealedData = sealed<coreV1.Secret>("data");

export const secretUpdateErrors = updateValidator<coreV1.Secret>(sealedData);
