// Configurations of admission from manifest files. They stand before those of the API in the lists of readers, have names
// with a reserved suffix and no UID, and are asked about changes of configurations, too. Source: KEP-5793, "Manifest
// Based Admission Control Config".
import { metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { MaybePromise, ObjectLister } from "../contract/dependencies";

/** Feature gate of configurations in manifest files. */
export const MANIFEST_GATE = "ManifestBasedAdmissionControlConfig";

/** Plural names of the resources that configure admission. */
export const CONFIGURATIONS: readonly string[] = [
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
];

/** Reports whether a configuration comes from a manifest file. */
export function isFromManifest(configuration: JsonObject, { objectNames }: Vocabulary): boolean {
  const { name = "", uid } = metaOf(configuration);
  return uid === undefined && name.endsWith(objectNames.staticSuffix);
}

/** Lists the configurations of manifest files alone. The list is the same while the other reader's is. */
export function manifestLister(configurations: ObjectLister, vocabulary: Vocabulary): Pick<ObjectLister, "all"> {
  let seen: readonly JsonObject[] | undefined;
  let own: readonly JsonObject[] = [];
  const among = (all: readonly JsonObject[]): readonly JsonObject[] => {
    if (all !== seen) own = all.filter((each) => isFromManifest(each, vocabulary));
    seen = all;
    return own;
  };
  return {
    all(): MaybePromise<readonly JsonObject[]> {
      const all = configurations.all();
      return all instanceof Promise ? all.then(among) : among(all);
    },
  };
}
