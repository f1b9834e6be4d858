// Containers, volumes and tolerations, of pods and of templates of pods.
import { ageText } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { at, column, type Fact, fact, itemsAt, mapText, type Section, textAt, type ViewContext } from "../kind-view";

const LISTS = [
  ["Init Containers", "initContainers", "initContainerStatuses"],
  ["Containers", "containers", "containerStatuses"],
  ["Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"],
] as const;

/** Returns a state of a container: `Running since 5m`, `Waiting: ImagePullBackOff`, `Terminated: Error, exit code 1`. */
function stateText(state: JsonObject | undefined, { nowMs }: ViewContext): string | undefined {
  const [kind, of] = Object.entries(state ?? {})[0] ?? [];
  if (kind === undefined || !isObject(of)) return undefined;
  const since = textAt(of, "startedAt");
  if (kind === "running") return `Running${since === undefined ? "" : ` since ${ageText(since, nowMs)}`}`;
  const why = [textAt(of, "reason"), textAt(of, "message")].filter((each) => each !== undefined).join(": ");
  if (kind === "waiting") return why === "" ? "Waiting" : `Waiting: ${why}`;
  const end = textAt(of, "finishedAt");
  const parts = [why, `exit code ${textAt(of, "exitCode")}`, end === undefined ? "" : `${ageText(end, nowMs)} ago`];
  return `Terminated: ${parts.filter((part) => part !== "").join(", ")}`;
}

const portText = (port: JsonObject): string => {
  const name = textAt(port, "name");
  const host = textAt(port, "hostPort");
  const number = `${textAt(port, "containerPort")}/${textAt(port, "protocol") ?? "TCP"}`;
  return `${number}${host === undefined ? "" : ` on host port ${host}`}${name === undefined ? "" : ` (${name})`}`;
};

const listText = (items: readonly JsonObject[], text: (item: JsonObject) => string): string | undefined =>
  items.length === 0 ? undefined : items.map(text).join(", ");

/** Returns what a probe does and how often. */
function probeText(probe: JsonObject | undefined): string | undefined {
  if (probe === undefined) return undefined;
  const { exec, httpGet, tcpSocket, grpc, ...times } = probe;
  const http = isObject(httpGet) ? httpGet : {};
  const what =
    exec !== undefined
      ? `exec ${textAt(probe, "exec.command")}`
      : httpGet !== undefined
        ? `${(textAt(http, "scheme") ?? "HTTP").toLowerCase()}-get ${textAt(http, "host") ?? ""}:${textAt(http, "port")}${textAt(http, "path") ?? "/"}`
        : tcpSocket !== undefined
          ? `tcp-socket :${textAt(probe, "tcpSocket.port")}`
          : `grpc :${textAt(probe, "grpc.port")}`;
  return `${what} ${mapText(times) ?? ""}`.trimEnd();
}

/** Returns a variable with its value, or where the value comes from. */
function variableText(variable: JsonObject): string {
  const name = textAt(variable, "name");
  const from = at(variable, "valueFrom");
  if (!isObject(from)) return `${name}=${textAt(variable, "value") ?? ""}`;
  const [kind = "", source] = Object.entries(from)[0] ?? [];
  const of = isObject(source) ? source : {};
  const text =
    kind === "secretKeyRef" || kind === "configMapKeyRef"
      ? `key ${textAt(of, "key")} of ${kind === "secretKeyRef" ? "secret" : "config map"} ${textAt(of, "name")}`
      : (textAt(of, "fieldPath") ?? textAt(of, "resource") ?? kind);
  return `${name} from ${text}`;
}

function variableSourceText(source: JsonObject): string {
  const [kind, name] = isObject(source["secretRef"])
    ? ["secret", textAt(source, "secretRef.name")]
    : ["config map", textAt(source, "configMapRef.name")];
  return `all of ${kind} ${name}`;
}

const mountText = (mount: JsonObject): string => {
  const part = textAt(mount, "subPath");
  const mode = mount["readOnly"] === true ? "ro" : "rw";
  return `${textAt(mount, "mountPath")} from ${textAt(mount, "name")} (${mode}${part === undefined ? "" : `, path ${part}`})`;
};

const probeFact = (title: string, member: string): Fact => [
  title,
  ({ [member]: probe }) => probeText(isObject(probe) ? probe : undefined),
];
const STATUS = "status of the container";
const statusIn = (container: JsonObject): JsonObject => (isObject(container[STATUS]) ? container[STATUS] : {});
const stateFact = (title: string, member: string): Fact => [
  title,
  (container, context) => {
    const { [member]: state } = statusIn(container);
    return stateText(isObject(state) ? state : undefined, context);
  },
];
const statusFact = (title: string, member: string): Fact => [title, (container) => textAt(statusIn(container), member)];

const CONTAINER_FACTS: readonly Fact[] = [
  fact("Image", "image"),
  statusFact("Image ID", "imageID"),
  statusFact("Container ID", "containerID"),
  ["Ports", (container) => listText(itemsAt(container, "ports"), portText)],
  fact("Command", "command"),
  fact("Args", "args"),
  stateFact("State", "state"),
  stateFact("Last State", "lastState"),
  statusFact("Ready", "ready"),
  statusFact("Restarts", "restartCount"),
  fact("Restart Policy", "restartPolicy"),
  fact("Requests", "resources.requests"),
  fact("Limits", "resources.limits"),
  probeFact("Liveness", "livenessProbe"),
  probeFact("Readiness", "readinessProbe"),
  probeFact("Startup", "startupProbe"),
  ["Environment", (container) => listText(itemsAt(container, "env"), variableText)],
  ["Environment From", (container) => listText(itemsAt(container, "envFrom"), variableSourceText)],
  ["Mounts", (container) => listText(itemsAt(container, "volumeMounts"), mountText)],
];

/** Members of a volume that are no source. */
const NO_SOURCE = new Set(["name"]);

function volumeSource(volume: JsonObject): string | undefined {
  return Object.keys(volume).find((key) => !NO_SOURCE.has(key));
}

function volumeDetails(volume: JsonObject): string {
  const source = volumeSource(volume) ?? "";
  const of = isObject(volume[source]) ? volume[source] : {};
  const name = textAt(of, "claimName") ?? textAt(of, "secretName") ?? textAt(of, "name") ?? textAt(of, "path");
  if (name !== undefined) return name;
  if (source === "projected")
    return itemsAt(of, "sources")
      .map((each) => Object.keys(each)[0])
      .join(", ");
  return mapText(of) ?? "";
}

/** Returns the sections of pods at a path: "spec", or that of a template. */
export function podSections(path: string): readonly Section[] {
  return [
    ...LISTS.map(
      ([title, list, statuses]): Section => ({
        title,
        items: (object) => {
          const containers = itemsAt(object, `${path}.${list}`);
          if (containers.length === 0) return undefined;
          const known = new Map(itemsAt(object, `status.${statuses}`).map((each) => [each["name"], each]));
          return containers.map((each) => ({ ...each, [STATUS]: known.get(each["name"]) ?? {} }));
        },
        name: (container) => String(container["name"]),
        facts: CONTAINER_FACTS,
      }),
    ),
    {
      title: "Volumes",
      items: (object) => {
        const volumes = itemsAt(object, `${path}.volumes`);
        return volumes.length === 0 ? undefined : volumes;
      },
      columns: [column("Name", "name"), ["Type", volumeSource], ["Source", volumeDetails]],
    },
  ];
}

/** Returns the facts of pods at a path. */
export const podFacts = (path: string): readonly Fact[] => [
  fact("Service Account", `${path}.serviceAccountName`),
  fact("Priority Class", `${path}.priorityClassName`),
  fact("Node Selector", `${path}.nodeSelector`),
  ["Tolerations", (object) => listText(itemsAt(object, `${path}.tolerations`), tolerationText)],
];

function tolerationText(toleration: JsonObject): string {
  const { operator } = toleration;
  const value = operator === "Exists" ? "" : `=${textAt(toleration, "value") ?? ""}`;
  const effect = textAt(toleration, "effect");
  const seconds = textAt(toleration, "tolerationSeconds");
  const key = textAt(toleration, "key") ?? "all taints";
  return `${key}${value}${effect === undefined ? "" : `:${effect}`}${seconds === undefined ? "" : ` for ${seconds}s`}`;
}

/** Paths that these facts and sections show. */
export const podShows = (path: string): readonly string[] =>
  [
    ...LISTS.map(([, list]) => list),
    ...["volumes", "serviceAccountName", "serviceAccount", "priorityClassName", "nodeSelector", "tolerations"],
  ].map((member) => `${path}.${member}`);
