// ResourceQuota plugin: keeps the usage of a namespace within its quotas, exactly and with any number of replicas: the
// object and the new usage are written in one transaction. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/admission.go.
import { QuotaEvaluators } from "@orch/apis";
import { type AdmissionRequest, type GroupResource, internalError, nameOf } from "@orch/machinery";
import { existsIn, type JsonObject } from "@orch/schema";
import { definePlugin } from "../../contract/plugin";
import { forbidden } from "../../contract/refusal";
import { ExtendedClaims } from "./extended-claims";
import { limitedResources } from "./quota-configuration";
import { decide, QuotaRefusal, type RequestedUsage, requestedUsage, reserve } from "./quota-decision";

const QUOTAS: GroupResource = { group: "", resource: "resourcequotas" };

/** Releases that charge updates of pods that move a pod into another scope or resize it. */
const SCOPE_CHANGES = { since: "1.33" };
const RESIZE = "resize";
const STATUS = "status";
const CLAIMS = "persistentvolumeclaims";
/** Subresources that quotas are charged for. The status is charged for claims only. */
const CHARGED: ReadonlySet<string> = new Set(["", RESIZE, STATUS]);
const POD_UPDATES = ["", RESIZE].map((subresource) => ({ group: "", plural: "pods", subresource }));

export const resourceQuota = definePlugin({
  name: "ResourceQuota",
  reads: ["vocabulary", "release", "objects", "clock", "options"],
  configure: (configuration, { vocabulary }) => limitedResources(configuration, vocabulary),
  make({ vocabulary, release, objects, clock, options }, limited) {
    const extended = options.isOn("DRAExtendedResource") ? new ExtendedClaims({ objects, vocabulary }) : undefined;
    const evaluators = new QuotaEvaluators({
      ...{ vocabulary, release, isOn: options.isOn },
      ...(extended && { classResources: () => extended.resources }),
    });
    const lister = objects.lister(QUOTAS);
    const rules = { scopeChanges: existsIn(SCOPE_CHANGES, release) };

    function judge(request: AdmissionRequest, quotas: readonly JsonObject[]): void | Promise<void> {
      if (quotas.length === 0 && limited.length === 0) return;
      if (extended?.concerns(request) !== true) return judgeWith(request, quotas);
      return extended.podOf(request).then((pod) => judgeWith(request, quotas, pod));
    }

    /** @param pod pod whose usage includes that of the object */
    function judgeWith(
      request: AdmissionRequest,
      quotas: readonly JsonObject[],
      pod?: JsonObject,
    ): void | Promise<void> {
      const asked = useOf(request, pod);
      if (asked === undefined) return;
      const decision = decide(asked, quotas, limited);
      if (decision instanceof QuotaRefusal) return judgeSurely(request, { asked, quotas, refusal: decision });
      chargeAll(request, asked, decision);
    }

    /** Decides again with the stored quota before refusing, because the cached quota may be stale. */
    async function judgeSurely(
      request: AdmissionRequest,
      of: { readonly asked: RequestedUsage; readonly quotas: readonly JsonObject[]; readonly refusal: QuotaRefusal },
    ): Promise<void> {
      let { quotas, refusal } = of;
      const confirmed = new Set<string>();
      for (;;) {
        const { quota: name } = refusal;
        if (name === undefined || confirmed.has(name)) throw forbidden(request, refusal.text);
        confirmed.add(name);
        const now = await objects.inStore(QUOTAS, { namespace: request.namespace, name });
        quotas = quotas.flatMap((each) => (nameOf(each) !== name ? [each] : now === undefined ? [] : [now]));
        const decision = decide(of.asked, quotas, limited);
        if (!(decision instanceof QuotaRefusal)) return chargeAll(request, of.asked, decision);
        refusal = decision;
      }
    }

    function useOf(request: AdmissionRequest, pod: JsonObject | undefined): RequestedUsage | undefined {
      const { operation, object, oldObject: old, definition, version } = request;
      // Events are in two API groups. The group of the request is charged.
      const evaluator = evaluators.of({ group: version.group, resource: definition.plural });
      if (object === undefined || evaluator === undefined) return undefined;
      if (operation === "UPDATE" && old === undefined) {
        throw forbidden(request, "unable to get previous usage since prior version of object was not found");
      }
      const before = operation === "UPDATE" ? old : undefined;
      if (request.subresource === STATUS && (old === undefined || evaluator.chargesStatus?.(old, object) !== true))
        return undefined;
      if (before !== undefined && request.subresource === "" && evaluator.chargesUpdate?.(before, object) === false)
        return undefined;
      return requestedUsage(evaluator, { object, old: before, rules }, { nowMs: clock.now(), pod });
    }

    return {
      on: [
        { operations: ["CREATE"] },
        {
          operations: ["UPDATE"],
          resources: [
            { group: "", plural: "services", subresource: "" },
            { group: "", plural: CLAIMS, subresource: "" },
            { group: "", plural: CLAIMS, subresource: STATUS },
            ...(rules.scopeChanges ? POD_UPDATES : []),
          ],
        },
      ],
      validate(request) {
        if (request.namespace === "" || !CHARGED.has(request.subresource)) return;
        const quotas = lister.in(request.namespace);
        return quotas instanceof Promise ? quotas.then((found) => judge(request, found)) : judge(request, quotas);
      },
    };
  },
});

function chargeAll(request: AdmissionRequest, asked: RequestedUsage, quotas: readonly JsonObject[]): void {
  if (request.dryRun) return;
  for (const seen of quotas) {
    request.reservations.push({
      resource: QUOTAS,
      namespace: request.namespace,
      name: nameOf(seen),
      subresource: "status",
      seen,
      apply(quota) {
        const next = reserve(asked, quota);
        if (next instanceof QuotaRefusal) throw forbidden(request, next.text);
        return next;
      },
      late: () => internalError("resource quota evaluation timed out"),
    });
  }
}
