// Validation of network sources. Pods refer to secrets in their own namespace; persistent volumes, to secrets in any.
// Source: pkg/apis/core/validation/validation.go.

import {
  absolutePath,
  all,
  eachEntry,
  exactly,
  fields,
  ifSet,
  isAbsent,
  isExact,
  label1123,
  maxCharacters,
  onlyExactly,
  type Place,
  pathWithoutBacksteps,
  type Report,
  type Rule,
  rangeOf,
  required,
  subdomain,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

/** Since 1.26, an absent path is also reported as one that is not absolute, as in Kubernetes. */
const nfs: Rule<coreV1.NFSVolumeSource> = all(
  fields<coreV1.NFSVolumeSource>({ server: required(), path: required(absolutePath) }),
  ({ path }, at, report) => {
    if (isAbsent(path) && report.features.since("1.26")) absolutePath("", at.field("path"), report);
  },
);

const IQN = /^iqn\.\d{4}-\d{2}\.([-a-z0-9]+(\.[-a-z0-9]+)*)(:[^,;*&$|\s]+)?$/i;
const EUI = /^eui\.[0-9A-F]{16}$/i;
const NAA = /^naa\.[0-9A-F]{32}$/i;

const isQualifiedInitiator = (name: string): boolean => IQN.test(name) || EUI.test(name) || NAA.test(name);

const iqn: Rule<string> = (value, at, report) => {
  if (!isQualifiedInitiator(value)) report.invalid(at, value, "must be valid format");
};

type Iscsi = Omit<coreV1.ISCSIVolumeSource, "secretRef"> & { readonly secretRef?: object };

const iscsi: Rule<Iscsi> = all(
  fields<Iscsi>({ targetPortal: required(), iqn: required(iqn), lun: rangeOf(0, 255) }),
  ({ chapAuthDiscovery, chapAuthSession, secretRef, initiatorName }, at, report) => {
    if ((chapAuthDiscovery || chapAuthSession) && secretRef === undefined) report.required(at.field("secretRef"));
    if (initiatorName === undefined) return;
    // Kubernetes writes the name of the field in lower case.
    iqn(initiatorName, at.field(report.features.since("1.26") ? "initiatorname" : "initiatorName"), report);
  },
);

/** Maximum length of the interface name, which consists of volume name and portal, when an initiator is set. */
const INTERFACE_NAME_MAX = 64;

export function interfaceNameFits(volumeName: string, source: Iscsi | undefined, at: Place, report: Report): void {
  if (source?.initiatorName === undefined || (source.initiatorName === "" && !isExact(report))) return;
  if (`${volumeName}:${source.targetPortal}`.length <= INTERFACE_NAME_MAX) return;
  const says = `Total length of <volume name>:<iscsi.targetPortal> must be under ${INTERFACE_NAME_MAX} characters`;
  report.invalid(at.field("iscsi").field(isExact(report) ? "targetportal" : "targetPortal"), source.targetPortal, says);
}

/** Rejects option keys in the reserved domains. */
const flexOptions = eachEntry<string>((name, _value, at, report) => {
  const domain = name.slice(0, Math.max(0, name.indexOf("/")));
  const own = report.vocabulary.resourceNames.product.replace(/\/$/, "");
  if (domain === own || domain.endsWith(`.${own}`)) {
    report.invalid(at, name, `option keys in the domain ${own} are reserved`);
  }
});

const flexVolume = fields<{ driver: string; options?: { [key: string]: string } }>({
  driver: required(),
  options: flexOptions,
});

const glusterfs = fields<coreV1.GlusterfsVolumeSource>({ endpoints: required(), path: required() });
const rbd = fields<{ monitors: string[] | null; image: string }>({ monitors: required(), image: required() });
const cephfs = fields<{ monitors: string[] | null }>({ monitors: required() });
const scaleIO = fields<{ gateway: string; system: string; volumeName?: string }>({
  gateway: required(),
  system: required(),
  volumeName: required(),
});
const cinder = fields<{ volumeID: string }>({ volumeID: required() });

const secretInNamespace = fields<coreV1.SecretReference>({ name: required(), namespace: required() });
/** Secret of a CSI driver. Its names have formats since 1.27. */
const driverSecret = fields<coreV1.SecretReference>({
  name: required((name, at, report) => {
    if (report.features.since("1.27")) subdomain(name, at, report);
  }),
  namespace: required((name, at, report) => {
    if (report.features.since("1.27")) label1123(name, at, report);
  }),
});

/** The secret for staging is checked only before 1.27, and the one for expansion on nodes since then. */
const stageSecret: Rule<coreV1.SecretReference> = (secret, at, report) => {
  if (!report.features.since("1.27")) secretInNamespace(secret, at, report);
};
const expandSecret: Rule<coreV1.SecretReference> = (secret, at, report) => {
  if (report.features.since("1.27")) driverSecret(secret, at, report);
};

/** Secret whose namespace is not required since 1.36. */
const namedSecret = exactly(fields<coreV1.SecretReference>({ name: required() }), secretInNamespace);

const localSecret = fields<coreV1.LocalObjectReference>({ name: required() });

/** Network sources of pods. */
export const POD_NETWORK_SOURCES = {
  nfs,
  iscsi,
  glusterfs,
  rbd,
  cephfs,
  scaleIO,
  flexVolume,
  cinder: all(cinder, fields<coreV1.CinderVolumeSource>({ secretRef: localSecret })),
  azureFile: fields<coreV1.AzureFileVolumeSource>({ secretName: required(), shareName: required() }),
  storageos: fields<coreV1.StorageOSVolumeSource>({
    volumeName: required(label1123),
    volumeNamespace: ifSet(label1123),
    secretRef: localSecret,
  }),
} as const;

const CSI_DRIVER_MAX = 63;
const lowerCaseSubdomain: Rule<string> = (value, at, report) => subdomain(value.toLowerCase(), at, report);

/** Name of a CSI driver. Upper-case letters are accepted for drivers that are older than the rule. */
export const csiDriverName: Rule<string> = all(
  exactly((name, at, report) => {
    if (name.length > CSI_DRIVER_MAX) report.tooLong(at, CSI_DRIVER_MAX);
  }, maxCharacters(CSI_DRIVER_MAX)),
  lowerCaseSubdomain,
);

/** Network sources of persistent volumes. */
export const CLUSTER_NETWORK_SOURCES = {
  nfs,
  iscsi: all(iscsi, fields<coreV1.ISCSIPersistentVolumeSource>({ secretRef: namedSecret })),
  glusterfs: all(
    glusterfs,
    fields<coreV1.GlusterfsPersistentVolumeSource>({
      endpointsNamespace: (value, at, report) => {
        if (value === "")
          report.invalid(at, value, "if the endpointnamespace is set, it must be a valid namespace name");
        else if (isExact(report)) label1123(value, at, report);
      },
    }),
  ),
  rbd,
  cephfs,
  scaleIO,
  flexVolume,
  cinder: all(cinder, fields<coreV1.CinderPersistentVolumeSource>({ secretRef: secretInNamespace })),
  azureFile: fields<coreV1.AzureFilePersistentVolumeSource>({
    secretName: required(),
    shareName: required(),
    secretNamespace: (value, at, report) => {
      if (!isExact(report)) label1123(value, at, report);
      else if (value === "") report.required(at);
    },
  }),
  storageos: fields<coreV1.StorageOSPersistentVolumeSource>({
    volumeName: required(label1123),
    volumeNamespace: label1123,
    secretRef: onlyExactly(secretInNamespace),
  }),
  csi: fields<coreV1.CSIPersistentVolumeSource>({
    driver: required(csiDriverName),
    volumeHandle: required(),
    controllerPublishSecretRef: driverSecret,
    controllerExpandSecretRef: driverSecret,
    nodePublishSecretRef: driverSecret,
    nodeExpandSecretRef: expandSecret,
    nodeStageSecretRef: stageSecret,
  }),
  local: fields<coreV1.LocalVolumeSource>({ path: required(pathWithoutBacksteps) }),
} as const;
