// Configuration of the webhook plugins: the client configuration file with the credentials for webhooks. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/config/kubeconfig.go.
import { isAbsolute } from "node:path";
import { isObject, type JsonValue, type Vocabulary } from "@orch/schema";

/**
 * Reads the configuration of a webhook plugin.
 * @param configuration undefined: there is none
 * @returns `kubeConfigFile`, absolute; undefined: no credentials are sent
 * @throws Error for an invalid configuration
 */
export function credentialsFile(
  configuration: JsonValue | undefined,
  { groups }: Pick<Vocabulary, "groups">,
): string | undefined {
  if (configuration === undefined || configuration === null) return undefined;
  if (!isObject(configuration)) throw new Error("the configuration is not an object");
  const { apiVersion, kind, kubeConfigFile = "" } = configuration;
  const known = [
    [`${groups.apiserverConfig}/v1`, "WebhookAdmissionConfiguration"],
    [`${groups.apiserver}/v1alpha1`, "WebhookAdmission"],
  ];
  if (!known.some((each) => each[0] === apiVersion && each[1] === kind)) {
    const wanted = known.map(([version, name]) => `${version}, Kind=${name}`).join(" or ");
    throw new Error(`the configuration is ${text(apiVersion)}, Kind=${text(kind)}; it must be ${wanted}`);
  }
  if (typeof kubeConfigFile !== "string") throw new Error("kubeConfigFile: expected a string");
  if (kubeConfigFile === "") return undefined;
  if (!isAbsolute(kubeConfigFile)) {
    throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`);
  }
  return kubeConfigFile;
}

const text = (value: JsonValue | undefined): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "");
