// Stand-in for systemd in a machine of the lab, as its first process. It runs the services of unit files and restarts those
// that end. It knows the settings of UNIT_SETTINGS; others, such as the sandbox, have no effect.
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";

const SOCKET = "/run/services.sock";
const UNIT_FOLDERS = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system", "/lab/units"];
const UNIT_SETTINGS = [
  ...["Environment", "EnvironmentFile", "ExecStartPre", "ExecStart", "ExecReload", "Restart", "RestartSec"],
  ...["User", "WorkingDirectory", "TimeoutStopSec", "StateDirectory"],
];
const DEFAULT_STOP_S = 90;

const services = new Map();

class Service {
  constructor(name) {
    this.name = name;
    this.wanted = false;
    this.child = undefined;
    this.waiters = [];
  }

  start() {
    this.wanted = true;
    if (this.child !== undefined) return;
    clearTimeout(this.timer);
    const unit = readUnit(this.name);
    const environment = environmentOf(unit);
    const user = unit.last("User");
    const identity = user === undefined ? {} : identityOf(user);
    const state = unit.last("StateDirectory");
    if (state !== undefined) {
      mkdirSync(`/var/lib/${state}`, { recursive: true });
      if (user !== undefined) execFileSync("chown", [`${user}:`, `/var/lib/${state}`]);
    }
    const log = openSync(`/lab/logs/${machine}-${this.name}.log`, "a");
    const options = {
      ...identity,
      cwd: unit.last("WorkingDirectory") ?? "/",
      env: environment,
      stdio: ["ignore", log, log],
    };
    for (const line of unit.all("ExecStartPre")) {
      const [program, ...args] = wordsOf(line, environment);
      execFileSync(program, args, options);
    }
    const [program, ...args] = wordsOf(unit.last("ExecStart") ?? "", environment);
    this.unit = unit;
    const child = spawn(program, args, options);
    this.child = child;
    note(`${this.name} starts: ${program} ${args.join(" ")}`);
    const ended = (how) => {
      if (this.child !== child) return;
      this.child = undefined;
      note(`${this.name} ended: ${how}`);
      for (const waiter of this.waiters.splice(0)) waiter();
      const restarts = unit.last("Restart") ?? "no";
      const failed = how !== 0;
      if (this.wanted && (restarts === "always" || (failed && restarts !== "no")))
        this.timer = setTimeout(() => this.attempt(), secondsOf(unit.last("RestartSec") ?? "0.1") * 1000);
      else this.wanted = false;
    };
    child.once("error", (error) => ended(error.message));
    child.once("exit", (code, signal) => ended(signal ?? code));
  }

  attempt() {
    try {
      this.start();
    } catch (error) {
      note(`${this.name} cannot start: ${error.message}`);
      this.timer = setTimeout(() => this.attempt(), 1000);
    }
  }

  async stop() {
    this.wanted = false;
    clearTimeout(this.timer);
    const { child } = this;
    if (child === undefined) return;
    const gone = new Promise((resolve) => this.waiters.push(resolve));
    child.kill("SIGTERM");
    const killer = setTimeout(
      () => child.kill("SIGKILL"),
      secondsOf(this.unit.last("TimeoutStopSec") ?? `${DEFAULT_STOP_S}`) * 1000,
    );
    await gone;
    clearTimeout(killer);
  }

  reload() {
    const line = readUnit(this.name).last("ExecReload");
    if (this.child === undefined) throw new Error(`${this.name} is not active`);
    if (line === undefined) throw new Error(`${this.name} has no ExecReload`);
    const [program, ...args] = wordsOf(line, { ...process.env, MAINPID: `${this.child.pid}` });
    execFileSync(program, args);
  }

  get isActive() {
    return this.child !== undefined;
  }
}

function readUnit(name) {
  const path = UNIT_FOLDERS.map((folder) => `${folder}/${name}.service`).find(existsSync);
  if (path === undefined) throw new Error(`Unit ${name}.service not found.`);
  const lines = readFileSync(path, "utf8")
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .filter((line) => !/^\s*[#;]/.test(line));
  const settings = lines.flatMap((line) => {
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    return UNIT_SETTINGS.includes(key)
      ? [{ key, value: value.trim().replaceAll("%H", machine).replaceAll("%p", name) }]
      : [];
  });
  return {
    all: (key) => settings.filter((each) => each.key === key).map(({ value }) => value),
    last: (key) => settings.findLast((each) => each.key === key)?.value,
  };
}

function environmentOf(unit) {
  const files = unit.all("EnvironmentFile").flatMap((value) => {
    const path = value.replace(/^-/, "");
    return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  });
  const pairs = [...unit.all("Environment"), ...files].flatMap((line) => {
    const [, name, value] = /^"?(\w+)=(.*?)"?$/.exec(line.trim()) ?? [];
    return name === undefined ? [] : [[name, value.replace(/^"/, "")]];
  });
  return { PATH: process.env.PATH, LANG: "C.UTF-8", ...Object.fromEntries(pairs) };
}

/** A variable as a word of its own becomes several words, as in systemd. */
function wordsOf(line, environment) {
  return line
    .replace(/^[-@+!:]+/, "")
    .split(/\s+/)
    .filter((word) => word !== "")
    .flatMap((word) => {
      const [, whole] = /^\$(\w+)$/.exec(word) ?? [];
      if (whole !== undefined) return (environment[whole] ?? "").split(/\s+/).filter((each) => each !== "");
      return [word.replaceAll(/\$\{(\w+)\}/g, (_, name) => environment[name] ?? "")];
    });
}

function identityOf(user) {
  const find = (file, name) =>
    readFileSync(file, "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .find(([each]) => each === name);
  const [, , uid, gid] = find("/etc/passwd", user) ?? [];
  if (uid === undefined) throw new Error(`user ${user} does not exist`);
  return { uid: Number(uid), gid: Number(gid) };
}

function secondsOf(text) {
  const [, number, unit = "s"] = /^([\d.]+)(ms|s|min)?$/.exec(text) ?? [undefined, "1"];
  return Number(number) * { ms: 0.001, s: 1, min: 60 }[unit];
}

const machine = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
const note = (text) => appendFileSync(`/lab/logs/${machine}-services.log`, `${new Date().toISOString()} ${text}\n`);

function serviceOf(name) {
  const short = name.replace(/\.service$/, "");
  if (!services.has(short)) services.set(short, new Service(short));
  return services.get(short);
}

async function carryOut([command, ...rest]) {
  const units = rest.filter((word) => !word.startsWith("-")).map(serviceOf);
  const isNow = rest.includes("--now");
  switch (command) {
    case "daemon-reload":
      return "";
    case "enable":
      for (const unit of units) readUnit(unit.name);
      if (isNow) for (const unit of units) unit.start();
      return "";
    case "start":
      for (const unit of units) unit.start();
      return "";
    case "disable":
    case "stop":
      if (command === "stop" || isNow) await Promise.all(units.map((unit) => unit.stop()));
      return "";
    case "restart":
      for (const unit of units) {
        await unit.stop();
        unit.start();
      }
      return "";
    case "reload":
      for (const unit of units) unit.reload();
      return "";
    case "is-active":
      if (units.some((unit) => !unit.isActive)) throw new Error("inactive");
      return "active\n";
    default:
      throw new Error(`systemctl ${command} is not known in the lab`);
  }
}

mkdirSync("/lab/logs", { recursive: true });
rmSync(SOCKET, { force: true });
createServer({ allowHalfOpen: true }, (socket) => {
  let asked = "";
  socket.setEncoding("utf8").on("data", (text) => {
    asked += text;
  });
  socket.on("error", () => {});
  socket.on("end", () => {
    carryOut(JSON.parse(asked)).then(
      (text) => socket.end(JSON.stringify({ text })),
      (error) => socket.end(JSON.stringify({ error: error.message })),
    );
  });
}).listen(SOCKET);
/** Port of ssh-program.mjs: a line with the command, then its input. */
createServer({ allowHalfOpen: true }, (socket) => {
  let output = "";
  let child;
  socket.on("error", () => {});
  socket.once("data", (first) => {
    const end = first.indexOf(10);
    child = spawn("bash", ["--norc", "-c", JSON.parse(first.subarray(0, end).toString())], {
      cwd: "/root",
      env: { PATH: process.env.PATH, HOME: "/root", LANG: "C.UTF-8" },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => {});
    child.stdin.write(first.subarray(end + 1));
    socket.pipe(child.stdin);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        output += text;
      });
    }
    child.once("close", (code) => socket.end(JSON.stringify({ code: code ?? 1, output })));
  });
}).listen(22);
process.on("SIGTERM", () => {});
process.on("uncaughtException", (error) => note(`service manager: ${error.stack}`));
note("the machine is up");
