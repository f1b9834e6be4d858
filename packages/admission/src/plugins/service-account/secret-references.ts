// Restricts the secrets of pods whose service account enforces its list of mountable secrets.
import { objectsAt } from "@orch/apis";
import { metaOf } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";

/** Texts that mean true, as in strconv.ParseBool of Go. */
const TRUE: ReadonlySet<string> = new Set(["1", "t", "T", "TRUE", "true", "True"]);

export const enforcesReferences = (account: JsonObject, { annotations }: Vocabulary): boolean =>
  TRUE.has(metaOf(account).annotations?.[annotations.enforceMountableSecrets] ?? "");

const CONTAINERS = [
  ["initContainers", "init container"],
  ["containers", "container"],
] as const;

/** Describes the first secret that the account does not list; undefined when there is none. */
export function referenceProblem(spec: JsonObject, account: JsonObject): string | undefined {
  const { name = "" } = metaOf(account);
  const mountable = namesAt(account, "secrets");
  const because = `is not allowed because service account ${name} does not reference that secret`;
  for (const volume of objectsAt(spec, "volumes")) {
    const { secret } = volume;
    if (!isObject(secret)) continue;
    const secretName = String(secret["secretName"] ?? "");
    if (!mountable.has(secretName)) return `volume with secret.secretName="${secretName}" ${because}`;
  }
  for (const [list, kind] of CONTAINERS) {
    for (const container of objectsAt(spec, list)) {
      for (const env of objectsAt(container, "env")) {
        const secretName = secretOf(env);
        if (secretName === undefined || mountable.has(secretName)) continue;
        const where = `${kind} ${container["name"] ?? ""} with envVar ${env["name"] ?? ""}`;
        return `${where} referencing secret.secretName="${secretName}" ${because}`;
      }
    }
  }
  const pulling = namesAt(account, "imagePullSecrets");
  for (const [index, { name: pull = "" }] of objectsAt(spec, "imagePullSecrets").entries()) {
    if (pulling.has(String(pull))) continue;
    return `imagePullSecrets[${index}].name="${pull}" is not allowed because service account ${name} does not reference that imagePullSecret`;
  }
  return undefined;
}

function secretOf({ valueFrom }: JsonObject): string | undefined {
  const reference = isObject(valueFrom) ? valueFrom["secretKeyRef"] : undefined;
  return isObject(reference) ? String(reference["name"] ?? "") : undefined;
}

const namesAt = (account: JsonObject, list: string): ReadonlySet<string> =>
  new Set(objectsAt(account, list).map(({ name }) => String(name ?? "")));
