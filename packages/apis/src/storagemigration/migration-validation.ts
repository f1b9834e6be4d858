// Validation of storage version migrations. Source: pkg/apis/storagemigration/validation/validation.go.
import {
  changes,
  conditions,
  fields,
  ifSet,
  immutable,
  label1035,
  required,
  subdomain,
  type UpdateRule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { metaV1, storagemigrationV1 } from "@orch/schema";

type Migration = storagemigrationV1.StorageVersionMigration;
type Status = storagemigrationV1.StorageVersionMigrationStatus;

export const validateMigration = validator(
  fields<Migration>({
    spec: fields<storagemigrationV1.StorageVersionMigrationSpec>({
      resource: fields<metaV1.GroupResource>({
        resource: required(label1035, "resource is required to be set"),
        group: ifSet(subdomain),
      }),
    }),
  }),
);

export const validateMigrationUpdate = updateValidator<Migration>(changes<Migration>({ spec: immutable }));

const RESOURCE_VERSION = /^[1-9]\d*$/;

const has = ({ conditions: given = [] }: Status, wanted: string): boolean =>
  given.some(({ type, status }) => type === wanted && status === "True");

const statusRules: UpdateRule<Migration> = ({ status = {} }, { status: old = {} }, root, report) => {
  const at = root.field("status");
  const [version = "", before = ""] = [status.resourceVersion, old.resourceVersion];
  const place = at.field("resourceVersion");
  if (version !== "" && version !== "0" && !RESOURCE_VERSION.test(version))
    report.invalid(place, version, "resource version is not well formed");
  const given = at.field("conditions");
  conditions(status.conditions ?? [], given, report);
  if (before !== "" && version !== before) report.invalid(place, version, "field is immutable");
  if (has(status, "Succeeded") && has(status, "Failed"))
    report.invalid(given, "", "Both success and failed conditions cannot be true at the same time");
  for (const [type, word] of [
    ["Succeeded", "Success"],
    ["Failed", "Failed"],
  ] as const) {
    if (has(old, type) && !has(status, type))
      report.invalid(given, "", `${word} condition cannot be set to false once it is true`);
  }
};

export const validateMigrationStatus = updateValidator<Migration>(statusRules);
