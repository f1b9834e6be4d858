// The programs that tests and `make cluster` need. `faketime` runs a command whose date FAKETIME and its like set.
//   package      Debian's package
//   data         packages whose files the program expects beside its own: they are unpacked even where the machine has them
//   files        where the program lies in it, the first that is there
//   fromPath     a program of this name on PATH serves as well
//   trial, least arguments with which it tells its version, and the oldest version that serves
//   environment  more variables to start it with; $root is where packages are unpacked
//   home         the variable that tells an unpacked interpreter where its modules are
export const TOOLS = {
  etcd: { package: "etcd-server", files: ["usr/bin/etcd"], fromPath: true, trial: ["--version"], least: [3, 4] },
  etcdctl: { package: "etcd-client", files: ["usr/bin/etcdctl"], fromPath: true, trial: ["version"], least: [3, 4] },
  haproxy: { package: "haproxy", files: ["usr/sbin/haproxy"], fromPath: true, trial: ["-v"], least: [2, 2] },
  keepalived: { package: "keepalived", files: ["usr/sbin/keepalived"], fromPath: true, trial: ["--version"] },
  nft: { package: "nftables", files: ["usr/sbin/nft"], fromPath: true, trial: ["--version"] },
  // The tests are written for Debian's version.
  kubectl: {
    package: "kubernetes-client",
    files: ["usr/bin/kubectl"],
    fromPath: false,
    trial: ["version", "--client"],
  },
  // Smaller than the whole browser by half, and what a program drives.
  chromium: {
    package: "chromium-headless-shell",
    data: ["chromium-common"],
    files: ["usr/lib/chromium/chromium-headless-shell"],
    fromPath: true,
    trial: ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "about:blank"],
  },
  // Debian's Python with the client library of that name, and pytest: another Python on PATH cannot load all that the library needs.
  "python3-kubernetes": {
    package: "python3-kubernetes",
    data: ["python3-pytest"],
    files: ["usr/bin/python3"],
    fromPath: false,
    trial: ["-c", "import kubernetes, pytest"],
    environment: { PYTHONPATH: "$root/usr/lib/python3/dist-packages" },
    home: "PYTHONHOME",
  },
  // Prometheus of the fleet, and its program that tests rules and checks configurations.
  prometheus: {
    package: "prometheus",
    files: ["usr/bin/prometheus"],
    fromPath: true,
    trial: ["--version"],
    least: [2, 40],
  },
  promtool: {
    package: "prometheus",
    files: ["usr/bin/promtool"],
    fromPath: true,
    trial: ["--version"],
    least: [2, 40],
  },
  // The shells whose completion is tested. Their modules and functions lie below SHELL_ROOT.
  fish: {
    package: "fish",
    data: ["fish-common"],
    files: ["usr/bin/fish"],
    fromPath: false,
    trial: ["--version"],
    environment: { SHELL_ROOT: "$root" },
  },
  zsh: {
    package: "zsh",
    data: ["zsh-common"],
    files: ["bin/zsh", "usr/bin/zsh"],
    fromPath: false,
    trial: ["--version"],
    environment: { SHELL_ROOT: "$root" },
  },
  tmux: { package: "tmux", files: ["usr/bin/tmux"], fromPath: true, trial: ["-V"], least: [3, 0] },
  // Debian's own wrapper looks for the library where it would be installed.
  faketime: {
    package: "libfaketime",
    files: ["usr/bin/env"],
    fromPath: false,
    trial: ["FAKETIME=2001-02-03 04:05:06", "sh", "-c", 'test "$(date +%Y)" = 2001'],
    environment: { LD_PRELOAD: "libfaketime.so.1" },
  },
};
