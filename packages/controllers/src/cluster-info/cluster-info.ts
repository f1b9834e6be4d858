// The cluster-info config map, from which joining machines learn the API server's address and authority. Source:
// Kubernetes documentation, "Authenticating with Bootstrap Tokens", "ConfigMap Signing".

export const CLUSTER_INFO = "cluster-info";

/** Key in the map's data: a client configuration with only the server's address and authority. */
export const CLUSTER_INFO_KEY = "kubeconfig";
