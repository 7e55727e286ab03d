(() => {
  "use strict";
  const root = document.documentElement;
  const dark = () => root.classList.contains("dark")
    || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const swap = () => {
    const next = dark() ? "light" : "dark";
    root.classList.remove("light", "dark");
    root.classList.add(next);
  };
  document.getElementById("theme").addEventListener("click", swap);

  const lanes = document.getElementById("lanes");
  if (!lanes) return;
  const WIDTH = 10000;
  const pictures = [...lanes.querySelectorAll("svg.lane")];
  const axis = document.getElementById("axis");
  const seconds = Number(lanes.dataset.length) || 1;
  let left = 0, width = WIDTH;

  const words = (s) => {
    if (s < 1) return Math.round(s * 1000) + " ms";
    if (s < 60) return (s < 10 ? s.toFixed(1) : Math.round(s)) + " s";
    if (s < 3600) return Math.floor(s / 60) + ":" + String(Math.round(s % 60)).padStart(2, "0") + " min";
    return Math.floor(s / 3600) + ":" + String(Math.round(s / 60) % 60).padStart(2, "0") + " h";
  };
  const nice = (s) => {
    const power = 10 ** Math.floor(Math.log10(s));
    for (const step of [1, 2, 5, 10]) if (step * power >= s) return step * power;
    return s;
  };
  const draw = () => {
    width = Math.min(WIDTH, Math.max(WIDTH / 5000, width));
    left = Math.min(WIDTH - width, Math.max(0, left));
    for (const picture of pictures) {
      picture.setAttribute("viewBox", `${left} 0 ${width} ${picture.viewBox.baseVal.height}`);
    }
    const from = left / WIDTH * seconds, shown = width / WIDTH * seconds;
    const step = nice(shown / Math.max(2, lanes.clientWidth / 110));
    axis.textContent = "";
    for (let at = Math.ceil(from / step) * step; at <= from + shown * 0.97; at += step) {
      const mark = document.createElement("b");
      mark.textContent = words(at);
      const place = (at - from) / shown * 100;
      mark.style.left = place + "%";
      if (place < 4) mark.style.transform = "none";
      axis.append(mark);
    }
  };
  const zoom = (factor, middle = 0.5) => {
    const before = width;
    width = Math.min(WIDTH, Math.max(WIDTH / 5000, width * factor));
    left += (before - width) * middle;
    draw();
  };
  const move = (share) => { left += width * share; draw(); };
  const all = () => { left = 0; width = WIDTH; draw(); };
  const acts = {
    ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15),
    "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5), "0": all, Home: all,
  };
  lanes.addEventListener("keydown", (event) => {
    const act = acts[event.key];
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); act(); }
  });
  for (const button of document.querySelectorAll("[data-act]")) {
    button.addEventListener("click", () => acts[button.dataset.act]());
  }
  lanes.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const box = lanes.getBoundingClientRect();
    zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
  }, { passive: false });
  let held = null;
  lanes.addEventListener("pointerdown", (event) => { held = { x: event.clientX, left }; });
  addEventListener("pointerup", () => { held = null; });
  addEventListener("pointermove", (event) => {
    if (held && width < WIDTH) {
      left = held.left - (event.clientX - held.x) / lanes.clientWidth * width;
      draw();
    }
  });
  addEventListener("resize", draw);

  const keys = [...document.querySelectorAll(".key")];
  for (const key of keys) {
    key.addEventListener("click", () => {
      const on = key.getAttribute("aria-pressed") !== "true";
      for (const other of keys) other.setAttribute("aria-pressed", String(other === key && on));
      root.classList.toggle("alone", on);
      for (const bar of lanes.querySelectorAll("rect")) {
        bar.classList.toggle("on", on && bar.dataset.step === key.dataset.step);
      }
    });
  }
  draw();
})();
