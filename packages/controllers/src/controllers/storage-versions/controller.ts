import { defineController } from "../../framework/controller";
import { clearStorageVersions } from "./clear-storage-versions";

export const storageVersionsController = defineController({
  name: "storage-version-gc",
  alias: "storageversion-garbage-collector-controller",
  does: "removes API servers that are gone from StorageVersions",
  since: "1.20",
  needs: { group: "internal", resource: "storageversions" },
  flags: {},
  run: (context, _options, signal) => clearStorageVersions(context, signal),
});
