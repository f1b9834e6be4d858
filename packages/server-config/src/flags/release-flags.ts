// Options that select the served API: vocabulary, release, versions and features. Source: Kubernetes documentation,
// "kube-apiserver".
import { DEFAULT_RELEASES, RELEASE_RANGE } from "@orch/apis";
import { section } from "@orch/machinery";

const DEFAULTS = Object.entries(DEFAULT_RELEASES)
  .map(([vocabulary, release]) => `${release} with --vocabulary=${vocabulary}`)
  .join(", ");

export const RELEASE_FLAGS = section("Generic", {
  "emulated-release": {
    type: "string",
    default: "",
    help: `Kubernetes release whose API is served: ${RELEASE_RANGE.first} to ${RELEASE_RANGE.last}; empty: ${DEFAULTS}`,
  },
  "emulated-version": {
    type: "strings",
    default: "",
    help: "the same as --emulated-release, also with the name of the component, as in kube=1.35",
  },
  "min-compatibility-version": {
    type: "strings",
    default: "",
    help: "oldest release of the control plane that can read what this server stores, at most the emulated release: with the emulated release itself, new objects are stored in its newest versions; empty: the release before the emulated one",
  },
  "emulation-forward-compatible": {
    type: "bool",
    default: "false",
    help: "serves the versions of later releases, of each resource that is served in a beta or stable version of the emulated release",
  },
  "runtime-config-emulation-forward-compatible": {
    type: "bool",
    default: "false",
    help: "serves the versions of later releases that --runtime-config enables by name",
  },
  "feature-gates": {
    type: "mapStringBool",
    default: "",
    help: "enables or disables features: A=true,B=false; AllAlpha and AllBeta set all features of a stage; the gates are listed at the end of this text",
  },
  "runtime-config": {
    type: "mapStringString",
    default: "",
    help: "enables or disables API versions and resources: group/version[/resource]=true|false, v1 for the core group, api/all, api/ga, api/beta and api/alpha for classes; a key without a value means true",
  },
  vocabulary: {
    type: "string",
    default: "orch",
    oneOf: ["orch", "kubernetes"],
    help: "vocabulary of groups, labels, namespaces and media types; recorded in the store at its first use",
  },
});
