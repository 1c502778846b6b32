// Start of the page.
const id = (name) => document.getElementById(name);
// tests read this: what went wrong, if anything
window.addEventListener("error", (e) => { document.documentElement.dataset.error = String(e.message); });

fillTables(id);
player.start(id);
if (D.scene) stage.start(id);
else { document.querySelector("main").classList.add("plots-only"); id("drag").closest("footer").hidden = true; }

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
  stage.draw();
  plots.forEach((p) => p.draw());
}
player.listeners.push(drawAll);
new ResizeObserver(drawAll).observe(document.body);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
// paper is white
window.addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); drawAll(); });
window.addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); drawAll(); });
player.go(0);
document.documentElement.dataset.ready = "yes";
