import { expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { rowOf } from "../testing/row";

const { annotations } = vocabularyOf("orch");
const ages = { Name: "it", Age: "60m" };
const deleted = { deletionTimestamp: "2024-05-01T11:59:00Z" };

type Case = readonly [behaviour: string, kind: string, object: JsonObject, row: Readonly<Record<string, JsonValue>>];

const VOLUMES: readonly Case[] = [
  [
    "a volume in use",
    "PersistentVolume",
    {
      spec: {
        capacity: { storage: "5Gi" },
        accessModes: ["ReadWriteMany", "ReadWriteOnce", "ReadWriteMany"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace: "shop", name: "data" },
        storageClassName: "fast",
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound" },
    },
    {
      ...ages,
      Capacity: "5Gi",
      "Access Modes": "RWO,RWX",
      "Reclaim Policy": "Retain",
      Status: "Bound",
      Claim: "shop/data",
      StorageClass: "fast",
      Reason: "",
      VolumeMode: "Filesystem",
    },
  ],
  [
    "a volume on its way out",
    "PersistentVolume",
    {
      metadata: { ...deleted, annotations: { [annotations.volumeBetaStorageClass]: "old" } },
      spec: { accessModes: ["ReadOnlyMany"], storageClassName: "fast" },
      status: { phase: "Failed", reason: "Lost" },
    },
    {
      Status: "Terminating",
      Claim: "",
      StorageClass: "old",
      Reason: "Lost",
      "Access Modes": "ROX",
      VolumeMode: "<unset>",
    },
  ],
  [
    "a claim that has a volume",
    "PersistentVolumeClaim",
    {
      spec: { volumeName: "pv-1", storageClassName: "fast", volumeMode: "Block", accessModes: ["ReadWriteMany"] },
      status: { phase: "Bound", capacity: { storage: "5Gi" }, accessModes: ["ReadWriteOnce"] },
    },
    {
      ...ages,
      Status: "Bound",
      Volume: "pv-1",
      Capacity: "5Gi",
      "Access Modes": "RWO",
      StorageClass: "fast",
      VolumeMode: "Block",
    },
  ],
  [
    "a claim that waits",
    "PersistentVolumeClaim",
    { spec: { accessModes: ["ReadWriteOnce"] }, status: { phase: "Pending", accessModes: ["ReadWriteOnce"] } },
    { Status: "Pending", Volume: "", Capacity: "", "Access Modes": "", StorageClass: "" },
  ],
  [
    "a claim on its way out",
    "PersistentVolumeClaim",
    { metadata: deleted, status: { phase: "Bound" } },
    { Status: "Terminating" },
  ],
];

const CLASSES: readonly Case[] = [
  [
    "the class of claims that name none",
    "StorageClass",
    {
      metadata: { annotations: { [annotations.storageclassIsDefaultClass]: "true" } },
      provisioner: "example.com/disk",
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
      allowVolumeExpansion: true,
    },
    {
      Name: "it (default)",
      Provisioner: "example.com/disk",
      ReclaimPolicy: "Retain",
      VolumeBindingMode: "WaitForFirstConsumer",
      AllowVolumeExpansion: true,
      Age: "60m",
    },
  ],
  [
    "the same by the older annotation",
    "StorageClass",
    { metadata: { annotations: { [annotations.storageclassBetaIsDefaultClass]: "true" } } },
    { Name: "it (default)" },
  ],
  [
    "a class that says nothing",
    "StorageClass",
    { metadata: { annotations: { [annotations.storageclassIsDefaultClass]: "no" } }, provisioner: "p" },
    { Name: "it", ReclaimPolicy: "Delete", VolumeBindingMode: "Immediate", AllowVolumeExpansion: false },
  ],
  [
    "a driver",
    "CSIDriver",
    { spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ["Persistent", "Ephemeral"] } },
    { ...ages, AttachRequired: false, PodInfoOnMount: true, Modes: "Persistent,Ephemeral" },
  ],
  [
    "a driver that says nothing",
    "CSIDriver",
    { spec: {} },
    { AttachRequired: true, PodInfoOnMount: false, Modes: "<none>" },
  ],
  ["the drivers of a node", "CSINode", { spec: { drivers: [{}, {}] } }, { ...ages, Drivers: 2 }],
  [
    "an attachment",
    "VolumeAttachment",
    {
      spec: { attacher: "example.com/disk", nodeName: "n1", source: { persistentVolumeName: "pv-1" } },
      status: { attached: true },
    },
    { ...ages, Attacher: "example.com/disk", PV: "pv-1", Node: "n1", Attached: true },
  ],
  ["an attachment to be", "VolumeAttachment", { spec: { source: {} } }, { PV: "", Attached: false }],
];

test.each([...VOLUMES, ...CLASSES])("%s: a row of %s", (_behaviour, kind, object, row) =>
  expect(rowOf(kind, object)).toMatchObject(row),
);
