// The end of a browser: the page asks for one order after the other, and sends the laps of each.
(async () => {
  for (let laps = { opened: navigator.userAgent }; ; ) {
    const order = await (await fetch("next", { method: "POST", body: JSON.stringify(laps) })).json();
    try {
      laps = { laps: await runLaps(order, startWebWorker) };
    } catch (error) {
      laps = { failed: String(error) };
    }
  }
})();
