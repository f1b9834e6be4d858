// StorageVersion: the versions in which each API server stores a resource. Source:
// pkg/registry/apiserverinternal/storageversion/strategy.go, pkg/printers/internalversion/printers.go.
import { ageColumn, type BuiltInResource, column, nameColumn, shortenedList } from "@orch/apis-model";
import type { internalV1alpha1 } from "@orch/schema";
import { validateStorageVersion, validateStorageVersionStatus } from "./storage-version-validation";

type StorageVersion = internalV1alpha1.StorageVersion;

export const storageVersions = {
  group: "internal",
  kind: "StorageVersion",
  plural: "storageversions",
  scope: "Cluster",
  versions: [{ version: "v1alpha1", introduced: "1.20" }],
  rules: {
    nameFormat: "pathSegment",
    unconditionalUpdate: false,
    initialStatus: {},
    keepOnUpdate: ["status"],
    validate: validateStorageVersion,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateStorageVersionStatus } },
  columns: [
    nameColumn,
    column<StorageVersion>("CommonEncodingVersion", "The version in which all API servers store objects.", (object) => {
      return object.status?.commonEncodingVersion ?? "<unset>";
    }),
    column<StorageVersion>("StorageVersions", "The version in which each API server stores objects.", ({ status }) =>
      shortenedList(
        (status?.storageVersions ?? []).map(
          ({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`,
        ),
      ),
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
