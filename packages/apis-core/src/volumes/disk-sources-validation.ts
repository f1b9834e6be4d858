// Validation of disk sources that pods and persistent volumes share. Source: pkg/apis/core/validation/validation.go.

import { all, fields, oneOf, type Place, type Report, type Rule, rangeOf, required } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const partition = rangeOf(0, 255);

const fc: Rule<coreV1.FCVolumeSource> = ({ targetWWNs = [], wwids = [], lun }, at, report) => {
  if (targetWWNs.length === 0 && wwids.length === 0) {
    report.required(at.field("targetWWNs"), "must specify either targetWWNs or wwids, but not both");
  }
  if (targetWWNs.length > 0 && wwids.length > 0) {
    report.invalid(at.field("targetWWNs"), targetWWNs, "targetWWNs and wwids can not be specified simultaneously");
  }
  if (targetWWNs.length === 0) return;
  if (lun === undefined) report.required(at.field("lun"), "lun is required if targetWWNs is specified");
  else partition(lun, at.field("lun"), report);
};

const quobyteRegistry: Rule<string> = (value, at, report) => {
  if (!value.split(",").every((each) => /^([^:]+|\[[^\]]+\]):[^:]+$/.test(each))) {
    report.invalid(at, value, "must be a host:port pair or multiple pairs separated by commas");
  }
};

const QUOBYTE_TENANT_MAX = 64;

const quobyteTenant: Rule<string> = (value, at, report) => {
  if (value.length > QUOBYTE_TENANT_MAX) {
    report.required(at, `must be a UUID and may not exceed a length of ${QUOBYTE_TENANT_MAX} characters`);
  }
};

const azureDisk: Rule<coreV1.AzureDiskVolumeSource> = all(
  fields<coreV1.AzureDiskVolumeSource>({
    diskName: required(),
    diskURI: required(),
    cachingMode: oneOf("None", "ReadOnly", "ReadWrite"),
    kind: oneOf("Shared", "Dedicated", "Managed"),
  }),
  ({ diskURI = "", kind }, at, report) => {
    if (diskURI === "" && !report.features.since("1.26")) return;
    const prefix = kind === "Managed" ? "/subscriptions/" : "https://";
    if (diskURI.startsWith(prefix)) return;
    report.notSupported(at.field("diskURI"), diskURI, [`${prefix}...`]);
  },
);

const flocker: Rule<coreV1.FlockerVolumeSource> = ({ datasetName = "", datasetUUID = "" }, at, report) => {
  if (datasetName === "" && datasetUUID === "") report.required(at, "one of datasetName and datasetUUID is required");
  if (datasetName !== "" && datasetUUID !== "") {
    report.invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously");
  }
  if (datasetName.includes("/")) report.invalid(at.field("datasetName"), datasetName, "must not contain '/'");
};

/** Returns the place of a source in errors. Since 1.26, that of a GCE disk is `persistentDisk`, as in Kubernetes. */
export const sourcePlace = (source: string, at: Place, report: Report): Place =>
  at.field(source === "gcePersistentDisk" && report.features.since("1.26") ? "persistentDisk" : source);

export const DISK_SOURCES = {
  gcePersistentDisk: fields<coreV1.GCEPersistentDiskVolumeSource>({ pdName: required(), partition }),
  awsElasticBlockStore: fields<coreV1.AWSElasticBlockStoreVolumeSource>({ volumeID: required(), partition }),
  fc,
  azureDisk,
  vsphereVolume: fields<coreV1.VsphereVirtualDiskVolumeSource>({ volumePath: required() }),
  photonPersistentDisk: fields<coreV1.PhotonPersistentDiskVolumeSource>({ pdID: required() }),
  portworxVolume: fields<coreV1.PortworxVolumeSource>({ volumeID: required() }),
  quobyte: fields<coreV1.QuobyteVolumeSource>({
    registry: required(quobyteRegistry),
    volume: required(),
    tenant: quobyteTenant,
  }),
  flocker,
} as const;
