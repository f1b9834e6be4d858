// Rules of a stateful set's pod and claim templates, which earlier releases checked only when pods and claims were
// created. Source: pkg/apis/apps/validation/validation.go.
import { claimSpec, podTemplateSpec, templateSources } from "@orch/apis-core";
import { type Features, label1123, Place, Report, type Rule, type UpdateRule, unchanged } from "@orch/apis-model";
import type { appsV1, coreV1 } from "@orch/schema";
import { checksTemplate } from "./replicated-pods";

/** Releases that check the templates. */
const knowsTemplates = (features: Features): boolean => features.since("1.34");

/** Rules of a new stateful set. */
export const newTemplates: Rule<appsV1.StatefulSetSpec> = (spec, at, report) => {
  if (!knowsTemplates(report.features)) return;
  podTemplate(spec, at, report);
  const { volumeClaimTemplates = [], serviceName = "" } = spec;
  for (const [index, { spec: claim = {} }] of volumeClaimTemplates.entries()) {
    const place = at.field("volumeClaimTemplates").item(index).field("spec");
    claimSpec(claim, place, report);
    templateSources(claim, place, report);
  }
  if (serviceName !== "") label1123(serviceName, at.field("serviceName"), report);
};

/** Rules of a changed pod template. A stateful set whose template was invalid may keep an invalid one. */
export const changedTemplate: UpdateRule<appsV1.StatefulSetSpec> = (next, old, at, report) => {
  if (!knowsTemplates(report.features) || unchanged(templatesOf(next), templatesOf(old))) return;
  const before = new Report(report);
  podTemplate(old, Place.ROOT, before);
  if (before.errors.length === 0) podTemplate(next, at, report);
};

const templatesOf = ({ template, volumeClaimTemplates }: appsV1.StatefulSetSpec) => ({
  template,
  volumeClaimTemplates,
});

/**
 * Checks the pod template as the controller completes it: with the volumes of the claim templates, and without the host
 * name and the subdomain, which the controller sets.
 */
const podTemplate: Rule<appsV1.StatefulSetSpec> = (set, at, report) => {
  const { template, volumeClaimTemplates = [] } = set;
  const { spec } = template;
  if (!checksTemplate(set, report)) return;
  if (spec === undefined) return podTemplateSpec(template, at.field("template"), report);
  const { hostname: _name, subdomain: _domain, ...others } = spec;
  const claimed = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ""))];
  const volumes = [
    ...claimed.map((name): coreV1.Volume => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(spec.volumes ?? []).filter(({ name }) => !claimed.includes(name)),
  ];
  const completed = { ...template, spec: { ...others, ...(volumes.length === 0 ? {} : { volumes }) } };
  podTemplateSpec(completed, at.field("template"), report);
};
