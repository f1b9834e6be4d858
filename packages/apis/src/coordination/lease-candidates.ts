// LeaseCandidate. Source: pkg/apis/coordination/validation/validation.go, KEP-4355 "Coordinated Leader Election".
import {
  ageColumn,
  all,
  type BuiltInResource,
  changes,
  column,
  fields,
  format,
  ifSet,
  immutable,
  nameColumn,
  type Rule,
  required,
  text,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from "@orch/machinery";
import type { coordinationV1beta1 } from "@orch/schema";
import { leaseStrategy, OLDEST_EMULATION_VERSION } from "./lease-strategy";

type LeaseCandidate = coordinationV1beta1.LeaseCandidate;
type Spec = coordinationV1beta1.LeaseCandidateSpec;

/** Longer texts are no version of any program. */
const MAX_CHARACTERS = 256;

const versionIn = (text: string): SemanticVersion | undefined =>
  text.length <= MAX_CHARACTERS ? parseSemanticVersion(text) : undefined;

const semanticVersion: Rule<string> = format((version: string) =>
  versionIn(version) === undefined ? ["must be a valid semantic version"] : [],
);

const versionsInOrder: Rule<Spec> = ({ binaryVersion, emulationVersion, strategy }, at, report) => {
  if (!emulationVersion) {
    if (strategy === OLDEST_EMULATION_VERSION)
      report.required(at.field("emulationVersion"), "must be specified when `strategy` is 'OldestEmulationVersion'");
    return;
  }
  const [binary, emulated] = [versionIn(binaryVersion), versionIn(emulationVersion)];
  if (binary === undefined || emulated === undefined) return;
  if (compareSemanticVersions(binary, emulated) < 0)
    report.invalid(at.field("binaryVersion"), binaryVersion, "must be greater than or equal to `emulationVersion`");
};

export const leaseCandidates = {
  group: "coordination",
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
  versions: [
    { version: "v1beta1", introduced: "1.33", deprecated: "1.36", removed: "1.39" },
    { version: "v1alpha2", introduced: "1.32", deprecated: "1.35", removed: "1.38" },
  ],
  rules: {
    nameFormat: "configKey",
    createOnUpdate: true,
    unconditionalUpdate: false,
    validate: validator(
      fields<LeaseCandidate>({
        spec: all(
          fields<Spec>({
            leaseName: required(),
            emulationVersion: ifSet(semanticVersion),
            binaryVersion: required(semanticVersion),
            strategy: required(leaseStrategy),
          }),
          versionsInOrder,
        ),
      }),
    ),
    validateUpdate: updateValidator<LeaseCandidate>(
      changes<LeaseCandidate>({ spec: changes<Spec>({ leaseName: immutable }) }),
    ),
  },
  selectableFields: { "spec.leaseName": text("spec.leaseName") },
  columns: [
    nameColumn,
    column<LeaseCandidate>("LeaseName", "The lease that the candidate wants.", ({ spec }) => spec?.leaseName ?? ""),
    column<LeaseCandidate>("BinaryVersion", "The version of the program.", ({ spec }) => spec?.binaryVersion ?? ""),
    column<LeaseCandidate>("EmulationVersion", "The version that the program emulates.", ({ spec }) => {
      return spec?.emulationVersion ?? "";
    }),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
