// Stand-in for ssh in a machine of the lab: ssh root@ADDRESS COMMAND, with the standard input of the command.
import { connect } from "node:net";

const [target = "", ...command] = process.argv.slice(2);
const host = target.replace(/^.*@/, "");
/** A machine that was replaced has another hardware address, which its neighbours learn within seconds. */
const ATTEMPT_MS = 5_000;
const ATTEMPTS = 12;

attempt(1);

function attempt(number) {
  const socket = connect({ host, port: 22, allowHalfOpen: true });
  const again = (why) => {
    clearTimeout(timer);
    socket.destroy();
    if (number < ATTEMPTS) {
      setTimeout(attempt, ATTEMPT_MS / 10, number + 1);
      return;
    }
    console.error(`ssh: ${host}: ${why}`);
    process.exit(255);
  };
  const timer = setTimeout(again, ATTEMPT_MS, "no connection in time");
  const onError = (error) => again(error.message);
  socket.once("error", onError);
  socket.once("connect", () => {
    clearTimeout(timer);
    socket.off("error", onError);
    run(socket);
  });
}

function run(socket) {
  socket.write(`${JSON.stringify(command.join(" "))}\n`);
  process.stdin.pipe(socket);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  socket.on("error", (error) => {
    console.error(`ssh: ${error.message}`);
    process.exit(255);
  });
  socket.on("end", () => {
    const { code, output } = JSON.parse(answer);
    process.stdout.write(output);
    process.exit(code);
  });
}
