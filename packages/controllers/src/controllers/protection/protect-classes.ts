// Protection of volume attributes classes: a deleted class stays while a claim or a volume names it. Source: KEP-3751,
// "Kubernetes VolumeAttributesClass"; pkg/controller/volume/vacprotection/vac_protection_controller.go.
import { builtInTypes, InformerFactory } from "@orch/client";
import { metaOf } from "@orch/machinery";
import { type coreV1, type JsonObject, type storageV1, vocabularyOf } from "@orch/schema";
import { type ProtectionContext, protectionQueue, protectObjects } from "./protect-objects";

const BY_CLASS = "class";

const namesOf = (...names: readonly (string | null | undefined)[]): string[] => [
  ...new Set(names.filter((name): name is string => typeof name === "string" && name !== "")),
];

/** Returns the classes that a claim uses: the one that it asks for, the one in effect and the one that is being applied. */
export const classesOfClaim = ({ spec, status }: coreV1.PersistentVolumeClaim): string[] =>
  namesOf(
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  );

export const classesOfVolume = ({ spec }: coreV1.PersistentVolume): string[] =>
  namesOf(spec?.volumeAttributesClassName);

/** Runs the controller until the signal is aborted. */
export async function protectClasses(context: ProtectionContext, signal: AbortSignal): Promise<void> {
  const { client } = context;
  const factory = new InformerFactory(client);
  const types = builtInTypes(client.vocabulary);
  const queue = protectionQueue(context, "vacprotection");
  const claims = factory.informer(types.persistentVolumeClaims);
  const volumes = factory.informer(types.persistentVolumes);
  const classes = factory.informer(types.volumeAttributesClasses);
  claims.addIndex(BY_CLASS, classesOfClaim);
  volumes.addIndex(BY_CLASS, classesOfVolume);
  const look = (names: readonly string[]) => {
    for (const name of names) queue.add(name);
  };
  claims.addHandler({
    updated: (before) => look(classesOfClaim(before)),
    deleted: (claim) => look(classesOfClaim(claim)),
  });
  volumes.addHandler({
    updated: (before) => look(classesOfVolume(before)),
    deleted: (volume) => look(classesOfVolume(volume)),
  });

  function isInUse(object: storageV1.VolumeAttributesClass): boolean {
    const { name = "" } = metaOf(object as JsonObject);
    return [claims, volumes].some(({ store }) => store.byIndex(BY_CLASS, name).length > 0);
  }

  factory.start(signal);
  await Promise.all([claims.synced(signal), volumes.synced(signal)]).catch(() => {});
  const finalizer = vocabularyOf(client.vocabulary).finalizers.vacProtection;
  await protectObjects(
    context,
    { type: types.volumeAttributesClasses, finalizer, objects: classes, isInUse },
    queue,
    signal,
  );
  await factory.stopped();
}
