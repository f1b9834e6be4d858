// Validation of probes and lifecycle handlers. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  fields,
  nonNegative,
  oneOf,
  type Place,
  portNumber,
  portNumberOrName,
  type Report,
  type Rule,
  required,
} from "@orch/apis-model";
import { headerNameErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { storesZeroSleep } from "./stored-pod-spec";

const exec = fields<coreV1.ExecAction>({ command: required() });

const tcpSocket = fields<coreV1.TCPSocketAction>({ port: absentAs(0, portNumberOrName) });

const headers: Rule<readonly coreV1.HTTPHeader[]> = (list, at, report) => {
  for (const { name } of list) report.misformed(at, name, headerNameErrors(name));
};

const httpGet = fields<coreV1.HTTPGetAction>({
  path: required(),
  port: absentAs(0, portNumberOrName),
  scheme: oneOf("HTTP", "HTTPS"),
  httpHeaders: headers,
});

/** Rules of the handlers, in the order in which Kubernetes looks at them. */
const PROBE_HANDLERS = {
  exec,
  httpGet,
  tcpSocket,
  grpc: fields<coreV1.GRPCAction>({ port: absentAs(0, portNumber) }),
} as const;

const HOOK_HANDLERS = { exec, httpGet, tcpSocket, sleep: undefined } as const;

/** Requires one handler. Since 1.26, the rules of a second one do not run, as in Kubernetes. */
function oneHandler<T extends object>(rules: { readonly [name: string]: Rule<never> | undefined }): Rule<T> {
  const entries = Object.entries(rules) as unknown as readonly (readonly [
    keyof T & string,
    Rule<unknown> | undefined,
  ])[];
  return (value, at, report) => {
    let count = 0;
    for (const [name, rule] of entries) {
      const handler = value[name];
      if (handler === undefined || handler === null) continue;
      count += 1;
      if (count > 1) report.forbidden(at.field(name), "may not specify more than 1 handler type");
      if (count === 1 || !report.features.since("1.26")) rule?.(handler, at.field(name), report);
    }
    if (count === 0) report.required(at, "must specify a handler type");
  };
}

const probe: Rule<coreV1.Probe> = all(
  oneHandler<coreV1.Probe>(PROBE_HANDLERS),
  fields<coreV1.Probe>({
    initialDelaySeconds: nonNegative,
    timeoutSeconds: nonNegative,
    periodSeconds: nonNegative,
    successThreshold: nonNegative,
    failureThreshold: nonNegative,
    terminationGracePeriodSeconds: (value, at, report) => {
      if (value <= 0 && report.features.since("1.22")) report.invalid(at, value, "must be greater than 0");
    },
  }),
);

/** A failing readiness probe stops nothing, so that it has no grace period. */
export const readinessProbe: Rule<coreV1.Probe> = all(
  probe,
  fields<coreV1.Probe>({
    terminationGracePeriodSeconds: (value, at, report) => {
      if (report.features.since("1.22")) report.invalid(at, value, "must not be set for readinessProbes");
    },
  }),
);

/** Rule of probes whose failure restarts the container: the success threshold must be 1. */
export const decisiveProbe: Rule<coreV1.Probe> = all(
  probe,
  fields<coreV1.Probe>({
    successThreshold: absentAs(0, (value, at, report) => {
      if (value !== 1) report.invalid(at, value, "must be 1");
    }),
  }),
);

const handler: Rule<coreV1.LifecycleHandler> = oneHandler<coreV1.LifecycleHandler>(HOOK_HANDLERS);

/** @param graceSeconds grace period of the pod, which a sleep must not exceed */
export function sleepActions(
  hooks: coreV1.Lifecycle,
  graceSeconds: number | undefined,
  at: Place,
  report: Report,
): void {
  for (const name of ["postStart", "preStop"] as const) {
    const hook = hooks[name];
    if (hook?.sleep === undefined) continue;
    // Another handler comes first, so that the sleep is only reported as a second one.
    if ((hook.exec ?? hook.httpGet ?? hook.tcpSocket) !== undefined && report.features.since("1.26")) continue;
    const seconds = hook.sleep.seconds ?? 0;
    if (graceSeconds === undefined || !report.features.isOn("PodLifecycleSleepAction")) continue;
    const min = report.features.isOn("PodLifecycleSleepActionAllowZero") || storesZeroSleep(report) ? 0 : 1;
    if (seconds >= min && seconds <= graceSeconds) continue;
    const bound = min === 0 ? "must be non-negative" : "must be greater than 0";
    const text = `${bound} and less than terminationGracePeriodSeconds (${graceSeconds})`;
    report.invalid(at.field(name).field("sleep"), seconds, text);
  }
}

export const lifecycle: Rule<coreV1.Lifecycle> = fields<coreV1.Lifecycle>({ postStart: handler, preStop: handler });
