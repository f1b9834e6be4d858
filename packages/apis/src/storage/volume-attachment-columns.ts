// Columns of volume attachments. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { storageV1 } from "@orch/schema";
import { ageColumn, booleanColumn, column, identifying, nameColumn } from "../model/columns/column";

type Attachment = storageV1.VolumeAttachment;

export const volumeAttachmentColumns: readonly TableColumn[] = [
  nameColumn,
  identifying(column<Attachment>("Attacher", "Who attaches the volume.", ({ spec }) => spec?.attacher ?? "")),
  column<Attachment>("PV", "The volume.", ({ spec }) => spec?.source?.persistentVolumeName ?? ""),
  column<Attachment>("Node", "The node that the volume is attached to.", ({ spec }) => spec?.nodeName ?? ""),
  booleanColumn<Attachment>("Attached", "Whether it is.", ({ status }) => status?.attached ?? false),
  ageColumn,
];
