import type { BuiltInResource } from "../built-in-resource";
import { volumeAttachmentColumns } from "./volume-attachment-columns";

export const volumeAttachments = {
  group: "storage",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.13" },
    { version: "v1beta1", introduced: "1.10", deprecated: "1.19", removed: "1.22", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    unconditionalUpdate: false,
  },
  subresources: { status: { keeps: ["spec"], keepsMetadata: true } },
  deleteReturnsObject: true,
  columns: volumeAttachmentColumns,
} as const satisfies BuiltInResource;
