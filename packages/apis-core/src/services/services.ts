import { type BuiltInResource, text } from "@orch/apis-model";
import { serviceColumns } from "./service-columns";
import { serviceCompletion } from "./service-completion";
import { defaultAddressMode, defaultService, gatedServiceDefaults } from "./service-defaults";
import { prepareNewService, prepareServiceUpdate } from "./service-preparation";
import { newServiceErrors, serviceErrors, serviceStatusErrors, serviceUpdateErrors } from "./service-validation";
import { serviceWarnings } from "./service-warnings";

export const services = {
  group: "core",
  kind: "Service",
  plural: "services",
  shortNames: ["svc"],
  categories: ["all"],
  scope: "Namespaced",
  verbsIntroduced: { deletecollection: "1.23" },
  versions: [{ version: "v1" }],
  defaults: {
    fields: { "spec.sessionAffinity": "None", "spec.type": "ClusterIP" },
    then: defaultService,
    gated: gatedServiceDefaults,
  },
  completion: serviceCompletion,
  rules: {
    nameFormat: "label1035",
    relaxedNames: { gate: "RelaxedServiceNameValidation", format: "label1123" },
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      IPv6DualStack: ["spec.ipFamilies", "spec.ipFamilyPolicy"],
      ServiceInternalTrafficPolicy: ["spec.internalTrafficPolicy"],
      ServiceLBNodePortControl: ["spec.allocateLoadBalancerNodePorts"],
      ServiceLoadBalancerClass: ["spec.loadBalancerClass"],
      ServiceTopology: ["spec.topologyKeys"],
      ServiceTrafficDistribution: ["spec.trafficDistribution"],
    },
    create: prepareNewService,
    update: prepareServiceUpdate,
    validate: serviceErrors,
    validateCreate: newServiceErrors,
    validateUpdate: serviceUpdateErrors,
    strictFormats: {
      "spec.clusterIPs[]": "address",
      "spec.externalIPs[]": "address",
      "spec.loadBalancerSourceRanges[]": "range",
    },
    warnings: serviceWarnings,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      update: (service, _old, { features }) => {
        if (features.since("1.30")) defaultAddressMode(service);
      },
      strictFormats: { "status.loadBalancer.ingress[].ip": "address" },
      validateUpdate: serviceStatusErrors,
    },
  },
  selectableFields: {
    "spec.clusterIP": { ...text("spec.clusterIP"), introduced: "1.31" },
    "spec.type": { ...text("spec.type"), introduced: "1.31" },
  },
  connections: { proxy: { passes: "requests", options: "ServiceProxyOptions" } },
  columns: serviceColumns,
} as const satisfies BuiltInResource;
