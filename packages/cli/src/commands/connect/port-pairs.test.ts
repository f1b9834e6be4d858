import { describe, expect, test } from "@jest/globals";
import { portPairs, remotePort } from "./port-pairs";

describe("ports of the command line", () => {
  test.each([
    ["8080:80", { local: 8080, remote: "80" }],
    ["80", { local: "same", remote: "80" }],
    [":80", { local: 0, remote: "80" }],
    ["0:http", { local: 0, remote: "http" }],
    ["http", { local: "same", remote: "http" }],
  ])("%s", (word, pair) => {
    expect(portPairs([word])).toEqual([pair]);
  });

  test.each(["", ":", "80:", "http:80", "65536:80", "1:2:3", "-1:80"])("%j is refused", (word) => {
    expect(() => portPairs([word])).toThrow(/is no port/);
  });
});

describe("ports of the pod", () => {
  const pod = {
    metadata: { name: "web" },
    spec: { containers: [{ name: "a", ports: [{ name: "http", containerPort: 8080 }] }] },
  };
  const service = (clusterIP: string) => ({
    metadata: { name: "web" },
    spec: {
      clusterIP,
      ports: [{ name: "main", port: 80, targetPort: "http" }, { port: 81, targetPort: 9000 }, { port: 82 }],
    },
  });

  test.each([
    ["8080", undefined, 8080],
    ["http", undefined, 8080],
    ["80", service("10.0.0.1"), 8080],
    ["main", service("10.0.0.1"), 8080],
    ["81", service("10.0.0.1"), 9000],
    ["82", service("10.0.0.1"), 82],
    ["81", service("None"), 81],
  ])("%s with the service %j is %d", (remote, of, port) => {
    expect(remotePort(remote, pod, of)).toBe(port);
  });

  test.each([
    ["0", undefined, /is no port/],
    ["70000", undefined, /is no port/],
    ["https", undefined, /does not have a named port/],
    ["83", service("10.0.0.1"), /does not have a service port/],
  ])("%s with the service %j is refused", (remote, of, why) => {
    expect(() => remotePort(remote, pod, of)).toThrow(why);
  });
});
