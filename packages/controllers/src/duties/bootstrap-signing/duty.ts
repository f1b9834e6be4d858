import { defineDuty } from "../../manager/duty";
import { signClusterInfo } from "./sign-cluster-info";

export const bootstrapSigningDuty = defineDuty({
  name: "bootstrapsigner",
  alias: "bootstrap-signer-controller",
  does: "signs what machines that join are told of the cluster with each of their tokens",
  offByDefault: true,
  flags: {},
  run: (context, _options, signal) => signClusterInfo(context, signal),
});
