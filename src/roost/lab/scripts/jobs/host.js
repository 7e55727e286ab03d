// The end of Node.js or Deno: a line of JSON in for each order, a line of JSON out with its laps. It ends with its input.

function startThread(code) {
  const { Worker } = require("node:worker_threads");
  const inside = `const { parentPort } = require("node:worker_threads");
    globalThis.postMessage = (message) => parentPort.postMessage(message);
    parentPort.on("message", (data) => globalThis.onmessage({ data }));`;
  const thread = new Worker(`${inside}\n${code}`, { eval: true });
  thread.on("message", (data) => thread.onmessage({ data }));
  thread.on("error", (error) => thread.onerror({ message: String(error) }));
  return thread;
}

const start = globalThis.Deno ? (code) => startWebWorker(code, { type: "module" }) : startThread;

async function answer(line) {
  try {
    console.log(JSON.stringify({ laps: await runLaps(JSON.parse(line), start) }));
  } catch (error) {
    console.log(JSON.stringify({ failed: String(error) }));
  }
}

async function nodeLines(take) {
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", take);
  lines.on("close", () => process.exit(0));
}

async function denoLines(take) {
  let text = "";
  for await (const part of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split("\n");
    text = lines.pop();
    lines.forEach(take);
  }
  Deno.exit(0);
}

const opened = globalThis.Deno ? `Deno ${Deno.version.deno}, V8 ${Deno.version.v8}` : `Node.js ${process.versions.node}, V8 ${process.versions.v8}`;
console.log(JSON.stringify({ opened }));
(globalThis.Deno ? denoLines : nodeLines)(answer);
