// Stand-in for systemctl in a machine of the lab: asks the service manager.
import { connect } from "node:net";

const socket = connect("/run/services.sock", () => socket.end(JSON.stringify(process.argv.slice(2))));
let answer = "";
socket.setEncoding("utf8").on("data", (text) => {
  answer += text;
});
socket.on("end", () => {
  const { text, error } = JSON.parse(answer);
  if (error !== undefined) {
    console.error(error);
    process.exitCode = 1;
  } else process.stdout.write(text);
});
