// Columns of persistent volumes and claims. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, type Features, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1, Vocabulary } from "@orch/schema";

type Volume = coreV1.PersistentVolume;
type Claim = coreV1.PersistentVolumeClaim;

export const persistentVolumeColumns = ({ annotations }: Vocabulary, features: Features): readonly TableColumn[] => [
  nameColumn,
  column<Volume>("Capacity", "How much the volume holds.", ({ spec }) => spec?.capacity?.["storage"] ?? "0"),
  column<Volume>("Access Modes", "How many nodes may mount the volume, and to do what.", ({ spec }) => {
    return accessModesText(spec?.accessModes);
  }),
  column<Volume>("Reclaim Policy", "What becomes of the volume once its claim is gone.", ({ spec }) => {
    return spec?.persistentVolumeReclaimPolicy ?? "";
  }),
  column<Volume>("Status", "Whether the volume is free, claimed or on its way out.", phaseText),
  column<Volume>("Claim", "The claim that the volume is bound to.", ({ spec }) => {
    return spec?.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : "";
  }),
  column<Volume>("StorageClass", "StorageClass of the volume.", className(annotations)),
  ...attributesClass(features),
  column<Volume>("Reason", "Why the volume is in this state.", ({ status }) => status?.reason ?? ""),
  ageColumn,
  wide(column<Volume>("VolumeMode", "Whether the volume holds files or is a plain device.", volumeMode)),
];

export const persistentVolumeClaimColumns = (
  { annotations }: Vocabulary,
  features: Features,
): readonly TableColumn[] => [
  nameColumn,
  column<Claim>("Status", "Whether the claim has got a volume.", phaseText),
  column<Claim>("Volume", "The volume that the claim has got.", ({ spec }) => spec?.volumeName ?? ""),
  column<Claim>("Capacity", "How much the volume holds.", ({ spec, status }) => {
    return spec?.volumeName ? (status?.capacity?.["storage"] ?? "0") : "";
  }),
  column<Claim>("Access Modes", "How many nodes may mount the volume, and to do what.", ({ spec, status }) => {
    return spec?.volumeName ? accessModesText(status?.accessModes) : "";
  }),
  column<Claim>("StorageClass", "The class that the volume is to come from.", className(annotations)),
  ...attributesClass(features),
  ageColumn,
  wide(column<Claim>("VolumeMode", "Whether the volume is to hold files or to be a plain device.", volumeMode)),
];

interface Stored {
  readonly metadata?: Volume["metadata"];
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeAttributesClassName?: string;
    readonly volumeMode?: string;
  };
  readonly status?: { readonly phase?: string };
}

/** Releases without the feature have no such column. */
const attributesClass = (features: Features): readonly TableColumn[] =>
  features.isOn("VolumeAttributesClass")
    ? [
        column<Stored>("VolumeAttributesClass", "The class of attributes of the volume.", ({ spec }) => {
          return spec?.volumeAttributesClassName ?? "<unset>";
        }),
      ]
    : [];

const phaseText = ({ metadata, status }: CellObject<Stored>): string =>
  metadata?.deletionTimestamp ? "Terminating" : (status?.phase ?? "");

const volumeMode = ({ spec }: CellObject<Stored>): string => spec?.volumeMode ?? "<unset>";

/** Returns the storage class, from the older annotation or the field. */
const className =
  ({ volumeBetaStorageClass }: Vocabulary["annotations"]) =>
  ({ metadata, spec }: CellObject<Stored>): string =>
    metadata?.annotations?.[volumeBetaStorageClass] ?? spec?.storageClassName ?? "";

const ACCESS_MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

const accessModesText = (modes: readonly string[] | null | undefined): string =>
  ACCESS_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, text]) => text)
    .join(",");
