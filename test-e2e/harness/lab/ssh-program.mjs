// Stand-in for ssh in a machine of the lab: ssh root@ADDRESS COMMAND, with the standard input of the command.
import { connect } from "node:net";

const [target = "", ...command] = process.argv.slice(2);
const socket = connect({ host: target.replace(/^.*@/, ""), port: 22, allowHalfOpen: true });
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
