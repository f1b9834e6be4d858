// Validation of probes and lifecycle handlers. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  exactlyOne,
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

const handlerFields = { exec, httpGet, tcpSocket } as const;

const HANDLER_TEXTS = { none: "must specify a handler type", several: "may not specify more than 1 handler type" };

const probe: Rule<coreV1.Probe> = all(
  exactlyOne<coreV1.Probe>(["exec", "httpGet", "tcpSocket", "grpc"], HANDLER_TEXTS),
  fields<coreV1.Probe>({
    ...handlerFields,
    grpc: fields<coreV1.GRPCAction>({ port: absentAs(0, portNumber) }),
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

const handler: Rule<coreV1.LifecycleHandler> = all(
  exactlyOne<coreV1.LifecycleHandler>(["exec", "httpGet", "tcpSocket", "sleep"], HANDLER_TEXTS),
  fields<coreV1.LifecycleHandler>(handlerFields),
);

/** @param graceSeconds grace period of the pod, which a sleep must not exceed */
export function sleepActions(
  hooks: coreV1.Lifecycle,
  graceSeconds: number | undefined,
  at: Place,
  report: Report,
): void {
  for (const name of ["postStart", "preStop"] as const) {
    const seconds = hooks[name]?.sleep === undefined ? undefined : (hooks[name].sleep.seconds ?? 0);
    if (seconds === undefined || graceSeconds === undefined || !report.features.isOn("PodLifecycleSleepAction"))
      continue;
    const min = report.features.isOn("PodLifecycleSleepActionAllowZero") || storesZeroSleep(report) ? 0 : 1;
    if (seconds >= min && seconds <= graceSeconds) continue;
    const bound = min === 0 ? "must be non-negative" : "must be greater than 0";
    const text = `${bound} and less than terminationGracePeriodSeconds (${graceSeconds})`;
    report.invalid(at.field(name).field("sleep"), seconds, text);
  }
}

export const lifecycle: Rule<coreV1.Lifecycle> = fields<coreV1.Lifecycle>({ postStart: handler, preStop: handler });
