// Runs jobs of one kind on so many workers side by side. Every job has a worker of its own, as in WEB: it is started for
// the job and ends with it, and the lap lasts from before the start until its result is here.

const INSIDE = `
globalThis.onmessage = async ({ data }) => {
  const begun = performance.now();
  try {
    const result = await weevil_main(data);
    postMessage({ busy_s: (performance.now() - begun) / 1000, result });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};`;

async function runLaps({ source, argument, workers, jobs }, startWorker) {
  const origin = performance.now();
  const seconds = () => (performance.now() - origin) / 1000;
  const laps = [];
  let open = jobs;
  async function serve(worker) {
    while (open-- > 0) {
      const begun_s = seconds();
      const answer = await runOne(startWorker(source + INSIDE), argument);
      laps.push({ worker, begun_s, ended_s: seconds(), ...answer });
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => serve(worker)));
  return laps;
}

function runOne(worker, argument) {
  return new Promise((resolve, reject) => {
    worker.onerror = (event) => {
      // Else it counts as an error of ours, which ends Deno.
      event.preventDefault?.();
      worker.terminate();
      reject(new Error(event.message));
    };
    worker.onmessage = ({ data }) => {
      worker.terminate();
      data.error === undefined ? resolve(data) : reject(new Error(data.error));
    };
    worker.postMessage(argument);
  });
}

function startWebWorker(code, options) {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(url, options);
  const terminate = worker.terminate.bind(worker);
  worker.terminate = () => {
    URL.revokeObjectURL(url);
    terminate();
  };
  return worker;
}
