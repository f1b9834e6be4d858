import type { coordinationV1 } from "@orch/schema";
import type { BuiltInResource } from "../model/built-in-resource";
import { ageColumn, column, nameColumn } from "../model/columns/column";
import { validateLease } from "./lease-validation";

export const leases = {
  group: "coordination",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.14" },
    { version: "v1beta1", introduced: "1.12", deprecated: "1.19", removed: "1.22", replacement: "coordination/v1" },
  ],
  rules: { nameFormat: "subdomain", createOnUpdate: true, unconditionalUpdate: false, validate: validateLease },
  columns: [
    nameColumn,
    column<coordinationV1.Lease>("Holder", "Who has the lease.", ({ spec }) => spec?.holderIdentity ?? ""),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
