// Machines on one host: each has a network, a file system, process ids and a host name of its own, and is connected to
// one bridge. All addresses are inside of network namespaces of the lab. The kernel removes everything when the processes
// end. Needs root, or the rights to make namespaces.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually";
import { type Program, repository, tool, type Workplace } from "../processes";

const FILES = join(__dirname);
const BLOCK_TIMEOUT_MS = 300_000;
const PREFIX_LENGTH = 24;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

const TOOLS = ["etcd", "etcdctl", "haproxy", "keepalived", "nft"] as const;
/** Makes what a machine consists of, and forgets it at once. */
const TRIAL = [
  "mount -t tmpfs tmpfs /mnt",
  "mkdir /mnt/upper /mnt/work /mnt/root",
  "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root",
  "ip link add one type veth peer name other",
  "ip link add switch type bridge",
].join(" && ");

/** Returns why this machine cannot run a lab; undefined when it can. Installs the tools that a lab needs. */
export function labObstacle(): string | undefined {
  const spaces = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--propagation", "private"];
  const { status, stderr, error } = spawnSync("unshare", [...spaces, "sh", "-c", TRIAL], { encoding: "utf8" });
  if (error !== undefined) return `unshare cannot be run: ${error.message}`;
  if (status !== 0) return `machines in namespaces are not allowed here: ${stderr.trim().split("\n").at(-1)}`;
  const install = spawnSync(process.execPath, [join(repository, "scripts/install-tools.mjs"), ...TOOLS], {
    encoding: "utf8",
  });
  return install.status === 0 ? undefined : `the tools cannot be installed: ${install.stderr.trim()}`;
}

export class Machine {
  private program: Program | undefined;
  private init = 0;
  private starts = 0;

  constructor(
    private readonly lab: Lab,
    readonly name: string,
    readonly address: string,
  ) {}

  get isRunning(): boolean {
    return this.program?.running === true;
  }

  /** Starts the machine with an empty file system of its own. */
  async start(): Promise<void> {
    this.starts += 1;
    const args = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--propagation", "private"];
    const script = join(FILES, "machine.sh");
    this.program = this.lab.workplace.start({
      name: `machine-${this.name}-${this.starts}`,
      program: "unshare",
      args: [...args, "bash", script, this.name, this.lab.folder, repository, process.execPath],
      env: { PATH },
    });
    const { pid } = this.program;
    await eventually(`${this.name} has a first process`, async () => childOf(pid) !== undefined);
    this.init = childOf(pid) as number;
    this.lab.plug(this.name, this.init);
    this.inside(["ip", "address", "add", `${this.address}/${PREFIX_LENGTH}`, "dev", "eth0"], ["--net"]);
    this.inside(["ip", "link", "set", "eth0", "up"], ["--net"]);
    await eventually(`${this.name} runs services`, async () => this.answers(), { timeoutMs: 20_000 });
    this.prepare();
  }

  private answers(): boolean {
    return (
      this.program?.logTail !== undefined &&
      spawnSync("nsenter", this.enter(["test", "-S", "/run/services.sock"])).status === 0
    );
  }

  /** Installs the programs and users that packages would. */
  private prepare(): void {
    const { lab } = this;
    const script = `
      for user in orch etcd; do getent passwd $user >/dev/null || useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin $user; done
      mkdir -p /etc/orch
      put() { [ -e "$1" ] || { printf '#!/bin/sh\\nexec %s "$@"\\n' "$2" > "$1"; chmod 755 "$1"; }; }
      put /usr/bin/etcd ${tool("etcd")}
      put /usr/bin/etcdctl ${tool("etcdctl")}
      put /usr/sbin/haproxy ${tool("haproxy")}
      put /usr/sbin/keepalived ${tool("keepalived")}
      rm -f /usr/bin/orch /usr/local/bin/orch /usr/bin/systemctl /bin/systemctl /usr/bin/ssh
      put /usr/bin/systemctl "${process.execPath} /lab/systemctl-program.mjs"
      put /usr/bin/ssh "${process.execPath} /lab/ssh-program.mjs"`;
    this.inside(["bash", "--norc", "-euc", script]);
    this.install(lab.product);
  }

  /** Makes `orch` the program of a tree of the repository. */
  install(tree: string): void {
    const text = `#!/bin/sh\nexec ${process.execPath} ${tree}/packages/cli/bin/orch.js "$@"\n`;
    this.inside(
      [
        "bash",
        "--norc",
        "-euc",
        `cat > /usr/bin/orch.new && chmod 755 /usr/bin/orch.new && mv /usr/bin/orch.new /usr/bin/orch`,
      ],
      undefined,
      text,
    );
  }

  /** Ends all processes of the machine at once. Its files are lost. */
  async lose(): Promise<void> {
    if (this.init > 0) process.kill(this.init, "SIGKILL");
    await this.program?.kill();
    this.lab.unplug(this.name);
  }

  /** Runs a command that must succeed. @returns its output */
  inside(command: readonly string[], spaces?: readonly string[], input?: string): string {
    return execFileSync("nsenter", this.enter(command, spaces), {
      encoding: "utf8",
      env: environment(),
      ...(input === undefined ? {} : { input }),
    });
  }

  /** Runs a script of bash. */
  run(script: string, timeoutMs = BLOCK_TIMEOUT_MS): Promise<CommandResult> {
    const child = spawn("nsenter", this.enter(["bash", "--norc", "-euo", "pipefail", "-c", script]), {
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a process group of its own
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        output += `\nnot done after ${timeoutMs} ms`;
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      }, timeoutMs);
      child.once("error", reject);
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve({ code: code ?? 1, output });
      });
    });
  }

  /** Returns the command that runs another one in the machine. */
  command(command: readonly string[]): readonly string[] {
    return ["nsenter", ...this.enter(command)];
  }

  private enter(
    command: readonly string[],
    spaces: readonly string[] = ["--mount", "--net", "--pid", "--uts", "--ipc"],
  ): string[] {
    return [`--target=${this.init}`, ...spaces, "--", ...command];
  }
}

export class Lab {
  /** Shared with all machines, as /lab. */
  readonly folder: string;
  private switch: Program | undefined;
  private switchPid = 0;

  /** @param product tree of the repository whose `orch` the machines have */
  constructor(
    readonly workplace: Workplace,
    readonly product: string = repository,
  ) {
    // Beside the logs of the test, because it has those of the services.
    this.folder = join(repository, ".build/e2e", workplace.name, "lab");
    mkdirSync(this.folder, { recursive: true });
    for (const name of [
      "service-manager-program.mjs",
      "systemctl-program.mjs",
      "ssh-program.mjs",
      "load-program.mjs",
      "units",
    ])
      cpSync(join(FILES, name), join(this.folder, name), { recursive: true });
    mkdirSync(join(this.folder, "logs"));
    // Programs of other users write there.
    for (const name of ["", "logs"]) chmodSync(join(this.folder, name), 0o777);
  }

  async start(): Promise<void> {
    this.switch = this.workplace.start({
      name: "switch",
      program: "unshare",
      args: [
        "--net",
        "sh",
        "-c",
        "ip link add br0 type bridge && ip link set br0 up && echo up && exec sleep infinity",
      ],
    });
    const program = this.switch;
    await eventually("the switch is up", async () => program.logTail.includes("up"));
    this.switchPid = program.pid;
  }

  plug(name: string, init: number): void {
    this.onSwitch("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", `${init}`);
    this.onSwitch("ip", "link", "set", name, "master", "br0", "up");
  }

  /** The kernel may already have removed the cable with its other end. */
  unplug(name: string): void {
    spawnSync("nsenter", [`--target=${this.switchPid}`, "--net", "ip", "link", "delete", name]);
  }

  /** Drops everything from one machine to another, without telling either. */
  block(from: readonly Machine[], to: readonly Machine[]): void {
    const rules = from.flatMap((one) =>
      to.map((other) => `add rule bridge lab forward iifname "${one.name}" oifname "${other.name}" drop`),
    );
    const text = [
      "add table bridge lab",
      "add chain bridge lab forward { type filter hook forward priority 0; }",
      ...rules,
      "",
    ].join("\n");
    execFileSync("nsenter", [`--target=${this.switchPid}`, "--net", tool("nft"), "-f", "-"], { input: text });
  }

  /** Drops everything between two groups of machines. */
  part(some: readonly Machine[], others: readonly Machine[]): void {
    this.block(some, others);
    this.block(others, some);
  }

  heal(): void {
    this.onSwitch(tool("nft"), "delete", "table", "bridge", "lab");
  }

  /** Writes a file that machines see under /lab. */
  write(name: string, text: string): void {
    writeFileSync(join(this.folder, `${name}.new`), text);
    renameSync(join(this.folder, `${name}.new`), join(this.folder, name));
  }

  /** Logs of the services of all machines. */
  logOf(machine: Machine, service: string): string {
    return readFileSync(join(this.folder, "logs", `${machine.name}-${service}.log`), "utf8");
  }

  private onSwitch(...command: readonly string[]): void {
    execFileSync("nsenter", [`--target=${this.switchPid}`, "--net", ...command], { stdio: "pipe" });
  }
}

const environment = () => ({ PATH, HOME: "/root", LANG: "C.UTF-8", NO_COLOR: "1" });

function childOf(pid: number): number | undefined {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? undefined : Number(text.split(" ")[0]);
}
