// StorageVersionMigration. The API server itself carries out the migration: docs/upgrade.md, "Storage migration". Source: KEP-4192, "Move Storage
// Version Migrator in-tree"; pkg/printers/internalversion/printers.go.
import { type BuiltInResource, type CellObject, column, nameOf } from "@orch/apis-model";
import type { storagemigrationV1 } from "@orch/schema";
import { validateMigration, validateMigrationStatus, validateMigrationUpdate } from "./migration-validation";

type Migration = storagemigrationV1.StorageVersionMigration;

export const storageVersionMigrations = {
  group: "storagemigration",
  kind: "StorageVersionMigration",
  plural: "storageversionmigrations",
  scope: "Cluster",
  requiredGate: "StorageVersionMigrator",
  versions: [
    { version: "v1", introduced: "1.37" },
    {
      version: "v1beta1",
      introduced: "1.35",
      deprecated: "1.37",
      removed: "1.40",
      replacement: "storagemigration/v1",
    },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    initialStatus: {},
    keepOnUpdate: ["status"],
    validate: validateMigration,
    validateUpdate: validateMigrationUpdate,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateMigrationStatus } },
  columns: [
    column<Migration>("Name", "Name of the object, unique per kind and namespace.", nameOf),
    column<Migration>("Resource", "The resource that is migrated.", ({ spec }) => {
      const { group = "", resource = "" } = spec?.resource ?? {};
      return group ? `${resource}.${group}` : (resource ?? "");
    }),
    column<Migration>("Status", "How far the migration has come.", progress),
  ],
} as const satisfies BuiltInResource;

const PHASES = ["Running", "Succeeded", "Failed"];

function progress({ status }: CellObject<Migration>): string {
  const found = status?.conditions?.findLast(
    ({ type, status: value }) => value === "True" && PHASES.includes(type ?? ""),
  );
  return found?.type ?? "Unknown";
}
