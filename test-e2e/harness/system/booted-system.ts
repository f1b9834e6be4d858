// A Debian system with systemd as its first process, in namespaces of this machine: commands run in it, and it reboots.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Offered } from "../describe-where";
import { eventually } from "../eventually";
import { type Program, repository, type Workplace } from "../processes";

const MAKE_TIMEOUT_MS = 1_200_000;
const COMMAND_TIMEOUT_MS = 120_000;
const BOOT_TIMEOUT_MS = 120_000;
const NAMESPACES = ["--mount", "--uts", "--ipc", "--net", "--pid"];

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @returns the root folder of a system that can be booted, or the reason why this machine boots none */
export function systemRoot(): Offered<{ readonly root: string }> {
  const allowed = spawnSync("unshare", [...NAMESPACES, "--cgroup", "--fork", "true"], { encoding: "utf8" });
  if (allowed.status !== 0)
    return { reason: `namespaces are not allowed: ${allowed.error?.message ?? allowed.stderr.trim()}` };
  const script = join(repository, "scripts/system-root.mjs");
  const made = spawnSync(process.execPath, [script], { encoding: "utf8", timeout: MAKE_TIMEOUT_MS });
  if (made.status !== 0) return { reason: made.stderr.trim().split("\n").at(-1) ?? "no root folder" };
  return { root: made.stdout.trim() };
}

/** One system. Its files lie over those of the root folder, which stays as it is. */
export class BootedSystem {
  private readonly state: string;
  private readonly name: string;
  private program: Program | undefined;
  private boots = 0;

  constructor(
    private readonly workplace: Workplace,
    private readonly root: string,
  ) {
    this.state = workplace.folder();
    this.name = basename(this.state);
    for (const folder of ["upper", "work", "root"]) mkdirSync(join(this.state, folder));
    workplace.atEnd(() => this.removeControlGroups());
  }

  /** Path of a file of the system on this machine, for use before the first start. */
  file(path: string): string {
    const file = join(this.state, "upper", path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }

  /** Starts the system and waits until its services have started or failed. */
  async boot(): Promise<void> {
    this.boots += 1;
    const script = join(__dirname, "boot.sh");
    this.program = this.workplace.start({
      name: `boot-${this.boots}`,
      program: "unshare",
      args: [...NAMESPACES, "--fork", "--kill-child", "sh", script, this.root, this.state, this.name],
    });
    await eventually(
      "the system has started",
      async () => ["running", "degraded"].includes(this.try("systemctl is-system-running").stdout.trim()),
      { timeoutMs: BOOT_TIMEOUT_MS, pauseMs: 200 },
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.program?.logTail}\n${this.try("systemctl list-jobs").stdout}`);
    });
  }

  /** Restarts the system from within. */
  async reboot(): Promise<void> {
    const before = this.program;
    this.try("systemctl reboot");
    await before?.ended;
    await this.boot();
  }

  /** Runs a shell command as root. @throws Error when it fails */
  run(command: string): string {
    const { status, stdout, stderr } = this.try(command);
    if (status !== 0) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`);
    return stdout;
  }

  try(command: string): Outcome {
    const first = this.firstProcess();
    if (first === undefined) return { status: 255, stdout: "", stderr: "the system does not run" };
    const words = ["--target", first, "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd"];
    const { status, stdout, stderr } = spawnSync("nsenter", [...words, "sh", "-c", command], {
      encoding: "utf8",
      timeout: COMMAND_TIMEOUT_MS,
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8", HOME: "/root" },
    });
    return { status: status ?? 255, stdout, stderr };
  }

  write(path: string, text: string): void {
    const { status, stderr } = this.try(
      `mkdir -p "$(dirname ${path})" && cat > ${path} <<'END OF FILE'\n${text}\nEND OF FILE`,
    );
    if (status !== 0) throw new Error(`${path}: ${stderr}`);
  }

  /** The process of this machine that is the system's first one, once it is systemd. */
  private firstProcess(): string | undefined {
    if (this.program?.running !== true) return undefined;
    const { pid } = this.program;
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    if (child === undefined || child === "") return undefined;
    try {
      return readFileSync(`/proc/${child}/comm`, "utf8") === "systemd\n" ? child : undefined;
    } catch {
      return undefined;
    }
  }

  /** Kernel objects outlive the processes. */
  private removeControlGroups(): void {
    const groups = "/sys/fs/cgroup";
    const remove = `umount -R ${groups} 2>/dev/null; mount -t cgroup2 none ${groups} && find ${groups}/${this.name} -depth -type d -exec rmdir {} +`;
    this.program?.signal("SIGKILL");
    spawnSync("unshare", ["--mount", "sh", "-c", remove], { stdio: "ignore" });
  }
}
