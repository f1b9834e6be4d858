// What both webhook plugins are told by their configuration: the client configuration file with what the server shows to webhooks.
// Source: facts, admission/webhooks.md "Client construction".
import { isAbsolute } from "node:path";
import { isObject, type JsonValue, type Vocabulary } from "@orch/schema";

/**
 * @param configuration of a webhook plugin; undefined: there is none
 * @returns its `kubeConfigFile`, absolute; undefined: nothing is shown
 * @throws Error for a configuration that breaks its rules
 */
export function credentialsFile(
  configuration: JsonValue | undefined,
  { groups }: Pick<Vocabulary, "groups">,
): string | undefined {
  if (configuration === undefined || configuration === null) return undefined;
  if (!isObject(configuration)) throw new Error("the configuration is no object");
  const { apiVersion, kind, kubeConfigFile = "" } = configuration;
  const known = [
    [`${groups.apiserverConfig}/v1`, "WebhookAdmissionConfiguration"],
    [`${groups.apiserver}/v1alpha1`, "WebhookAdmission"],
  ];
  if (!known.some((each) => each[0] === apiVersion && each[1] === kind)) {
    const wanted = known.map(([version, name]) => `${version}, Kind=${name}`).join(" or ");
    throw new Error(`the configuration is of ${text(apiVersion)}, Kind=${text(kind)}, and not of ${wanted}`);
  }
  if (typeof kubeConfigFile !== "string") throw new Error("kubeConfigFile: expected a text");
  if (kubeConfigFile === "") return undefined;
  if (!isAbsolute(kubeConfigFile)) {
    throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`);
  }
  return kubeConfigFile;
}

const text = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "");
