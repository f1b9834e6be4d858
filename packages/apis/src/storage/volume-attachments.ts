import { ageColumn, type BuiltInResource, booleanColumn, column, identifying, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { storageV1 } from "@orch/schema";
import {
  validateNewVolumeAttachment,
  validateVolumeAttachment,
  validateVolumeAttachmentStatus,
  validateVolumeAttachmentUpdate,
} from "./volume-attachment-validation";

type Attachment = storageV1.VolumeAttachment;

/** Columns of volume attachments. Source: pkg/printers/internalversion/printers.go. */
const volumeAttachmentColumns: readonly TableColumn[] = [
  nameColumn,
  identifying(column<Attachment>("Attacher", "Who attaches the volume.", ({ spec }) => spec?.attacher ?? "")),
  column<Attachment>("PV", "The volume.", ({ spec }) => spec?.source?.persistentVolumeName ?? ""),
  column<Attachment>("Node", "The node that the volume is attached to.", ({ spec }) => spec?.nodeName ?? ""),
  booleanColumn<Attachment>("Attached", "Whether it is.", ({ status }) => status?.attached ?? false),
  ageColumn,
];

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
    declared: true,
    gated: { CSIMigration: ["spec.source.inlineVolumeSpec"] },
    validate: validateVolumeAttachment,
    validateCreate: validateNewVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      keepsMetadata: true,
      gated: { MutableCSINodeAllocatableCount: ["status.attachError.errorCode", "status.detachError.errorCode"] },
      validateUpdate: validateVolumeAttachmentStatus,
    },
  },
  deleteReturnsObject: true,
  columns: volumeAttachmentColumns,
} as const satisfies BuiltInResource;
