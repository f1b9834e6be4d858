import { defineController } from "../../framework/controller";
import { ROOT_AUTHORITY_FLAGS, rootAuthority } from "../../framework/root-authority";
import { publishRootAuthority } from "./publish-root-authority";

export const rootCaController = defineController({
  name: "root-ca-cert-publisher",
  alias: "root-ca-certificate-publisher-controller",
  does: "publishes the CA of the API server in each namespace",
  // The controller makes one request per namespace, and no pod can start there before it.
  rateFactor: 10,
  flags: ROOT_AUTHORITY_FLAGS,
  run: (context, options, signal) =>
    publishRootAuthority(
      { ...context, authority: rootAuthority(options, context.trusted, context.client.log) },
      signal,
    ),
});
