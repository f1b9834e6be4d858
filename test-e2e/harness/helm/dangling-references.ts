// References between the objects of a chart that lead nowhere: names, selectors, ports and paths.
import { type PodTemplate, podTemplateOf, type Rendered } from "./rendered-chart";

type Labels = Readonly<Record<string, string>>;

/**
 * @param made secrets that are made while the chart runs
 * @returns one line for each reference without a target
 */
export function danglingReferences(objects: readonly Rendered[], made: ReadonlySet<string>): readonly string[] {
  const pods = objects.flatMap((object) => podTemplateOf(object) ?? []);
  const named = (kind: string, name: string) =>
    objects.some((object) => object.kind === kind && object.metadata.name === name);
  return [
    ...pods.flatMap((pod) => danglingOfPod(pod, named, made)),
    ...objects.flatMap((object) => danglingOfObject(object, objects, pods)),
  ];
}

function danglingOfPod(
  { spec }: PodTemplate,
  named: (kind: string, name: string) => boolean,
  made: ReadonlySet<string>,
): readonly string[] {
  const volumes = spec.volumes ?? [];
  const account = spec.serviceAccountName;
  return [
    ...volumes.flatMap(({ secret, configMap }) => [
      ...(secret === undefined || made.has(secret.secretName) ? [] : [`secret ${secret.secretName}`]),
      ...(configMap === undefined || named("ConfigMap", configMap.name) ? [] : [`config map ${configMap.name}`]),
    ]),
    ...(account === undefined || named("ServiceAccount", account) ? [] : [`service account ${account}`]),
    ...spec.containers.flatMap(({ volumeMounts = [] }) =>
      volumeMounts
        .filter(({ name }) => !volumes.some((volume) => volume.name === name))
        .map(({ name }) => `volume ${name}`),
    ),
  ];
}

function danglingOfObject(
  { kind, metadata, spec = {}, roleRef, subjects = [] }: Rendered,
  objects: readonly Rendered[],
  pods: readonly PodTemplate[],
): readonly string[] {
  const place = `${kind} ${metadata.name}`;
  const selected = (labels: Labels) => pods.filter((pod) => includes(pod.metadata.labels, labels));
  switch (kind) {
    case "Service": {
      const targets = selected(spec["selector"] as Labels);
      const ports = (spec["ports"] as { targetPort: string }[]).map(({ targetPort }) => targetPort);
      return ports.filter((port) => !hasPort(targets, port)).map((port) => `${place}: port ${port}`);
    }
    case "PodDisruptionBudget":
    case "Deployment":
    case "StatefulSet": {
      const { matchLabels } = spec["selector"] as { matchLabels: Labels };
      const service = spec["serviceName"] as string | undefined;
      const isMissing =
        service !== undefined && !objects.some((each) => each.kind === "Service" && each.metadata.name === service);
      return [
        ...(selected(matchLabels).length === 1 ? [] : [`${place}: selector`]),
        ...(isMissing ? [`${place}: ${service}`] : []),
      ];
    }
    case "NetworkPolicy": {
      const rules = (spec["ingress"] ?? []) as {
        ports: { port: string }[];
        from?: { podSelector?: { matchLabels?: Labels } }[];
      }[];
      const targets = selected((spec["podSelector"] as { matchLabels: Labels }).matchLabels);
      const peers = rules.flatMap(({ from = [] }) =>
        from.flatMap(({ podSelector }) => (podSelector?.matchLabels === undefined ? [] : [podSelector.matchLabels])),
      );
      return [
        ...rules.flatMap(({ ports }) =>
          ports.filter(({ port }) => !hasPort(targets, port)).map(({ port }) => `${place}: port ${port}`),
        ),
        ...peers
          .filter((labels) => selected(labels).length === 0)
          .map((labels) => `${place}: peer ${JSON.stringify(labels)}`),
      ];
    }
    case "ServiceMonitor": {
      const { matchLabels } = spec["selector"] as { matchLabels: Labels };
      const services = objects.filter(
        (each) => each.kind === "Service" && includes(each.metadata.labels ?? {}, matchLabels),
      );
      const ports = services.flatMap((service) => (service.spec?.["ports"] as { name: string }[]) ?? []);
      const wanted = (spec["endpoints"] as { port: string }[]).map(({ port }) => port);
      return wanted.filter((port) => !ports.some(({ name }) => name === port)).map((port) => `${place}: port ${port}`);
    }
    case "RoleBinding": {
      const role = roleRef?.name ?? "";
      const missing = subjects.filter(
        ({ name }) => !objects.some((each) => each.kind === "ServiceAccount" && each.metadata.name === name),
      );
      return [
        ...(objects.some((each) => each.kind === "Role" && each.metadata.name === role)
          ? []
          : [`${place}: role ${role}`]),
        ...missing.map(({ name }) => `${place}: service account ${name}`),
      ];
    }
    case "Certificate": {
      const issuer = (spec["issuerRef"] as { name: string }).name;
      return objects.some((each) => each.kind === "Issuer" && each.metadata.name === issuer)
        ? []
        : [`${place}: issuer ${issuer}`];
    }
    default:
      return [];
  }
}

const includes = (labels: Labels, wanted: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

const hasPort = (pods: readonly PodTemplate[], port: string): boolean =>
  pods.length > 0 &&
  pods.every(({ spec }) => spec.containers.some(({ ports = [] }) => ports.some(({ name }) => name === port)));
