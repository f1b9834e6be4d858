import { defineController } from "../../framework/controller";
import { signClusterInfo } from "./sign-cluster-info";

export const bootstrapSigningController = defineController({
  name: "bootstrapsigner",
  alias: "bootstrap-signer-controller",
  does: "signs the ConfigMap cluster-info with bootstrap tokens",
  offByDefault: true,
  flags: {},
  run: (context, _options, signal) => signClusterInfo(context, signal),
});
