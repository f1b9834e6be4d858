// AlwaysAdmit and AlwaysDeny plugins: the first allows every request, the second refuses every change. Source:
// plugin/pkg/admission/admit/admission.go; plugin/pkg/admission/deny/admission.go.

import type { AdmissionRequest } from "@orch/machinery";
import { definePlugin } from "../contract/plugin";
import { forbidden } from "../contract/refusal";

export const alwaysAdmit = definePlugin({ name: "AlwaysAdmit", reads: [], make: () => ({ on: [] }) });

export const alwaysDeny = definePlugin({
  name: "AlwaysDeny",
  reads: [],
  make: () => ({
    on: [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }],
    mutate: refuse,
    validate: refuse,
  }),
});

function refuse(request: AdmissionRequest): never {
  throw forbidden(request, "admission control is denying all modifications");
}
