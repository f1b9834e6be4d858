// Validation of volume attachments. Source: pkg/apis/storage/validation/validation.go.

import { csiDriverName, inlineVolumeSpec as inlineVolume } from "@orch/apis-core";
import {
  all,
  fields,
  format,
  ifSet,
  isExact,
  type Rule,
  rangeOf,
  required,
  subdomain,
  textOf,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { type GroupVersion, subdomainErrors } from "@orch/machinery";
import type { storageV1 } from "@orch/schema";

const ATTACHMENT_METADATA_MAX_BYTES = 262144;
const MESSAGE_MAX_BYTES = 1024;

const source: Rule<storageV1.VolumeAttachmentSource> = ({ persistentVolumeName, inlineVolumeSpec }, at, report) => {
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) {
    report.required(at, "exactly one of inlineVolumeSpec and persistentVolumeName is needed");
  } else if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) {
    report.forbidden(at, "must not name both inlineVolumeSpec and persistentVolumeName");
  } else if (persistentVolumeName === "") {
    report.required(at.field("persistentVolumeName"), "must specify non empty persistentVolumeName");
  } else if (inlineVolumeSpec !== undefined) {
    inlineVolume(inlineVolumeSpec, at.field("inlineVolumeSpec"), report);
  }
};

const attachmentMetadata: Rule<Readonly<Record<string, string>>> = (map, at, report) => {
  let bytes = 0;
  for (const [key, value] of Object.entries(map)) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (bytes > ATTACHMENT_METADATA_MAX_BYTES) report.tooLong(at, ATTACHMENT_METADATA_MAX_BYTES);
};

const errorCode = rangeOf(0, 2 ** 31 - 1);

const volumeError: Rule<storageV1.VolumeError> = fields<storageV1.VolumeError>({
  errorCode: (code, at, report) => {
    if (report.features.isOn("MutableCSINodeAllocatableCount")) errorCode(code, at, report);
  },
  message: (text, at, report) => {
    if (Buffer.byteLength(text) > MESSAGE_MAX_BYTES) report.tooLong(at, MESSAGE_MAX_BYTES);
  },
});

const attachment = fields<storageV1.VolumeAttachment>({
  spec: fields<storageV1.VolumeAttachmentSpec>({ attacher: required(), source, nodeName: textOf(subdomain) }),
  status: fields<storageV1.VolumeAttachmentStatus>({
    attachmentMetadata,
    attachError: volumeError,
    detachError: volumeError,
  }),
});

export const validateVolumeAttachment = validator(attachment);

/** Name of a driver before 1.36. Newer releases declare the rule in proto/. */
const formerAttacher: Rule<string> = (name, at, report) => {
  if (!report.features.since("1.36")) csiDriverName(name, at, report);
};

/** Rules of v1. Older versions accept any text. */
const sinceV1 = fields<storageV1.VolumeAttachment>({
  spec: fields<storageV1.VolumeAttachmentSpec>({
    attacher: formerAttacher,
    source: fields<storageV1.VolumeAttachmentSource>({ persistentVolumeName: format(subdomainErrors) }),
  }),
});

const isV1 = ({ version }: GroupVersion): boolean => version === "v1";

export const validateNewVolumeAttachment = validator(
  all<storageV1.VolumeAttachment>((value, at, report) => {
    if (isV1(report.version)) sinceV1(value, at, report);
  }),
);

/** Formats of a changed spec. proto/ declares that the spec is immutable, and no rule of its parts runs then. */
const formats = fields<storageV1.VolumeAttachmentSpec>({
  attacher: ifSet(csiDriverName),
  source: fields<storageV1.VolumeAttachmentSource>({ persistentVolumeName: format(subdomainErrors) }),
});

export const validateVolumeAttachmentUpdate = updateValidator<storageV1.VolumeAttachment>(
  ({ spec }, old, at, report) => {
    if (isExact(report) && !unchanged(spec, old.spec)) formats(spec, at.field("spec"), report);
  },
);

/** Applies all rules to status updates; the spec is kept. */
export const validateVolumeAttachmentStatus = updateValidator<storageV1.VolumeAttachment>((next, _old, at, report) =>
  attachment(next, at, report),
);
