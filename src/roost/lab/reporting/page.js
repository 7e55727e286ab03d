"use strict";
// Draws each plot when a reader comes to it, in the colours of the page.
(() => {
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const places = [...document.querySelectorAll("[data-plot]")];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const dressed = (layout) => {
    const ink = colour("--ink");
    const line = colour("--line");
    const axis = { gridcolor: line, linecolor: line, zerolinecolor: line, color: ink };
    const dress = {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: ink, family: "system-ui, sans-serif", size: 12 },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("--quiet"), activecolor: ink },
    };
    const axes = Object.keys(layout).filter((key) => /^[xy]axis/.test(key));
    for (const key of axes) dress[key] = { ...axis, ...layout[key] };
    for (const key of Object.keys(layout).filter((name) => name.startsWith("scene"))) {
      dress[key] = { ...layout[key] };
      for (const name of ["xaxis", "yaxis", "zaxis"]) dress[key][name] = { ...axis, ...layout[key][name] };
    }
    return { ...layout, ...dress };
  };

  const draw = (place) => {
    const { data, layout } = plots[Number(place.dataset.plot)];
    place.style.minHeight = `${layout.height}px`;
    Plotly.react(place, data, dressed(layout), { responsive: true, displaylogo: false });
    place.dataset.drawn = "yes";
  };

  const watcher = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) {
          watcher.unobserve(entry.target);
          draw(entry.target);
        }
      }
    },
    { rootMargin: "400px" },
  );
  for (const place of places) watcher.observe(place);

  const again = () => places.filter((place) => place.dataset.drawn).forEach(draw);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", again);
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
    root.dataset.theme = isDark ? "light" : "dark";
    again();
  });
})();
