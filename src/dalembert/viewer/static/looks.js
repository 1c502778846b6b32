// How bodies are looked at: shown, seen through, or hidden, with what hangs on hidden bodies only.  Kept by name, so that other data changes nothing.
const looks = { of: new Map() };
const LOOKS = ["shown", "seen through", "hidden"];

looks.body = (i) => (i < 0 ? "shown" : looks.of.get(D.scene.bodies[i].name) || "shown");
looks.hidden = (i) => looks.body(i) === "hidden";
looks.alpha = (i) => (looks.body(i) === "seen through" ? 0.3 : 1);

// a joint or element is hidden with the last of its moving bodies
looks.mark = function (m) {
  const moving = m.places.map((place) => place[0]).filter((i) => i >= 0);
  return !moving.length || moving.some((i) => !looks.hidden(i));
};

// a list of bodies in the page, and a choice for all of them
looks.refresh = function (id) {
  const box = id("looks");
  box.hidden = !D.scene || D.scene.bodies.length < 2;
  if (box.hidden) return;
  const choice = (label, now, act) => {
    const made = element("select", {}, ...LOOKS.map((what) => element("option", { value: what, textContent: what, selected: what === now })));
    made.setAttribute("aria-label", label);
    made.onchange = () => { act(made.value); looks.count(id); stage.draw(); };
    return made;
  };
  const some = D.scene.bodies.slice(0, 300), rows = some.map((b, i) => {
    const spot = element("i");
    spot.style.background = css(`--c${i % 8}`);
    return element("label", {}, spot, choice(`how ${b.name} is shown`, looks.body(i), (what) => looks.of.set(b.name, what)), b.name);
  });
  const all = choice("how all bodies are shown", "", (what) => { D.scene.bodies.forEach((b) => looks.of.set(b.name, what)); looks.refresh(id); });
  all.prepend(element("option", { value: "", textContent: "all …", selected: true, disabled: true }));
  id("bodies").replaceChildren(all, ...rows);
  looks.count(id);
};

// what is not shown is told where the list is closed
looks.count = function (id) {
  const other = D.scene.bodies.filter((_, i) => looks.body(i) !== "shown").length;
  id("looks").querySelector("summary").textContent = other ? `bodies (${other} not fully shown)` : "bodies";
};
