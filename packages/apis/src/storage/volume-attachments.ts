import type { BuiltInResource } from "../model/built-in-resource";
import { volumeAttachmentColumns } from "./volume-attachment-columns";
import {
  validateNewVolumeAttachment,
  validateVolumeAttachment,
  validateVolumeAttachmentStatus,
  validateVolumeAttachmentUpdate,
} from "./volume-attachment-validation";

export const volumeAttachments = {
  group: "storage",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.13" },
    {
      version: "v1beta1",
      introduced: "1.10",
      deprecated: "1.19",
      removed: "1.22",
      replacement: "storage/v1",
      ownsStatus: true,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    unconditionalUpdate: false,
    gated: { CSIMigration: ["spec.source.inlineVolumeSpec"] },
    validate: validateVolumeAttachment,
    validateCreate: validateNewVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validateVolumeAttachmentStatus } },
  deleteReturnsObject: true,
  columns: volumeAttachmentColumns,
} as const satisfies BuiltInResource;
