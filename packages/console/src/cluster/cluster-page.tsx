import { useTitle } from "../parts/title";
import "./cluster.css";
import { AuditSection } from "./sections/audit-section";
import { CertificateSection } from "./sections/certificate-section";
import { ChartSection } from "./sections/chart-section";
import { ClientSection } from "./sections/client-section";
import { DeprecationSection } from "./sections/deprecation-section";
import { FlowSection } from "./sections/flow-section";
import { HealthSection } from "./sections/health-section";
import { PolicySection } from "./sections/policy-section";
import { ReplicaSection } from "./sections/replica-section";
import { StoreSection } from "./sections/store-section";
import { WebhookSection } from "./sections/webhook-section";
import { useMetrics } from "./use-metrics";

/** The state of the server. Each section is loaded on its own, so that it tells by itself what the user may not see. */
export function ClusterPage() {
  useTitle("Cluster");
  const metrics = useMetrics();
  return (
    <>
      <h1>Cluster</h1>
      <p class="quiet">Metrics and debug pages are those of the server that answers this browser.</p>
      <div class="cluster">
        <ChartSection metrics={metrics} />
        <HealthSection />
        <ReplicaSection />
        <FlowSection metrics={metrics} />
        <StoreSection metrics={metrics} />
        <WebhookSection metrics={metrics} />
        <PolicySection metrics={metrics} />
        <DeprecationSection />
        <ClientSection />
        <AuditSection />
        <CertificateSection metrics={metrics} />
      </div>
    </>
  );
}
