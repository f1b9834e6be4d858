// Reserves the names of configurations in manifest files. With the gate, the API creates no configuration with such a name;
// without it, the client is warned. Source: KEP-5793, "Manifest Based Admission Control Config";
// pkg/apis/admissionregistration/validation/static_suffix.go.
import { field, invalid } from "@orch/machinery";
import { existsIn } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import type { AdmissionGuard } from "../contract/plugin";
import { CONFIGURATIONS, MANIFEST_GATE } from "../requests/manifest-configurations";

type Dependencies = Pick<AdmissionDependencies, "vocabulary" | "options" | "release">;

/** First release that reserves the names. */
const SINCE = "1.36";

export function manifestNames({ vocabulary, options, release }: Dependencies): AdmissionGuard {
  const { staticSuffix } = vocabulary.objectNames;
  const group = vocabulary.groups.admissionregistration;
  const detail = `names ending with ${JSON.stringify(staticSuffix)} are reserved for static manifest-based configurations and cannot be managed via the API`;
  const resources = CONFIGURATIONS.map((plural) => ({ group, plural, subresource: "" }));
  return {
    name: "ManifestNames",
    on: existsIn({ since: SINCE }, release) ? [{ operations: ["CREATE", "UPDATE"], resources }] : [],
    check(request) {
      if (!request.name.endsWith(staticSuffix)) return;
      if (request.operation !== "CREATE" || !options.isOn(MANIFEST_GATE)) {
        request.warn(`metadata.name: ${detail}`);
        return;
      }
      throw invalid(request.definition, request.name, [field.invalid("metadata.name", request.name, detail)]);
    },
  };
}
