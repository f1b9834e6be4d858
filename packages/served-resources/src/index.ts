// Resources that the API server serves: their storages, and the objects that the server itself keeps in them.

export type { ElectingServer } from "./coordination/electing-server";
export { openElectingServer } from "./coordination/open-electing-server";
export { AllocationRepair } from "./own-service/allocation-repair";
export { DefaultServiceCidr } from "./own-service/default-service-cidr";
export { IdentityLease, type IdentityLeaseDeps } from "./own-service/identity-lease";
export { IpAddressRepair } from "./own-service/ip-address-repair";
export { OwnService } from "./own-service/own-service";
export { OwnStorageVersions } from "./own-service/own-storage-versions";
export { PeerEndpoints } from "./own-service/peer-endpoints";
export { ReplicaLeases } from "./own-service/replica-leases";
export { AcknowledgedWrites } from "./serving/acknowledged-writes";
export {
  makeBootstrapPolicy,
  makePriorityClasses,
  makeSystemNamespaces,
  type RbacStorages,
} from "./serving/bootstrap-objects";
export { type ConversionWebhookParts, conversionWebhooks, converterParts } from "./serving/conversion-webhooks";
export { MaintainedObject } from "./serving/maintained-object";
export { type OtherStores, otherStores } from "./serving/other-stores";
export { serverWrite } from "./serving/own-identity";
export { canonical, createUnlessPresent } from "./serving/own-objects";
export { ParsedObjects } from "./serving/parsed-objects";
export { type FlowControlStorages, type ResourceStorages, resourceStorages } from "./serving/resource-storages";
export { ServedResources } from "./serving/served-resources";
export { servicesOf } from "./serving/services";
