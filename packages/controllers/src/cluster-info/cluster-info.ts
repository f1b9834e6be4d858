// The map by which machines that join find the API server and know it. Source: access-control, "Discovery map".

export const CLUSTER_INFO = "cluster-info";

/** Of the map's data: a client configuration that says nothing but where the server is, and by which authority it is known. */
export const CLUSTER_INFO_KEY = "kubeconfig";
