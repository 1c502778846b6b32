// Start of the page.
const id = (name) => document.getElementById(name);
// tests read this: what went wrong, if anything
window.addEventListener("error", (e) => { document.documentElement.dataset.error = String(e.message); });

listing.refresh(id);
fillTables(id);
player.start(id);
stage.start(id);
function layout() {
  const main = document.querySelector("main");
  main.classList.toggle("plots-only", !D.scene);
  // one pose has no time to go through
  main.classList.toggle("still", listing.still());
  valueTable(id);
  listing.fit();
  id("drag").closest("footer").hidden = !D.scene;
}
layout();

function addPlot(quantities) {
  const made = new Plot(quantities);
  plots.push(made);
  id("plots").insertBefore(made.box, id("add"));
  return made;
}
const add = element("button", { id: "add", textContent: "add a plot" });
id("plots").append(add);
add.onclick = () => addPlot([]).draw();
D.first.forEach(addPlot);

function drawAll() {
  if (listing.wide !== window.innerWidth) { listing.wide = window.innerWidth; listing.fit(); }
  stage.draw();
  plots.forEach((p) => p.draw());
  sheet.draw();
}
player.listeners.push(drawAll);

// other data in the same page: time, view, arrows, traces and plots stay as they were chosen
function load(data) {
  const before = D.quantities, clock = player.clock;
  take(data);
  fillTables(id);
  listing.refresh(id);
  player.refresh(id);
  stage.refresh(id);
  layout();
  plots.forEach((p) => p.refresh(before));
  // plots of which nothing is left give way to those of the new data
  if (plots.every((p) => !p.shown.length)) {
    plots.splice(0).forEach((p) => p.box.remove());
    D.first.forEach(addPlot);
  }
  if (D.listing) listing.choose(listing.row);
  let k = player.from;
  for (let j = player.from; j <= player.to; j++) if (Math.abs(T[j] - clock) < Math.abs(T[k] - clock)) k = j;
  player.go(k);
  if (player.playing) player.clock = clock;
}
// in the next frame: tables that are filled anew may change the size themselves
new ResizeObserver(() => requestAnimationFrame(drawAll)).observe(document.body);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
// paper is white, and as wide as it is: what is drawn is drawn again for it
window.addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); drawAll(); });
window.addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); drawAll(); });
if (D.listing) listing.choose(listing.row, D.listing.level);
player.go(player.from);
// modes are there to be seen moving, unless the reader asked for less motion
if (D.kind === "modes" && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) player.toggle();
document.documentElement.dataset.ready = "yes";
