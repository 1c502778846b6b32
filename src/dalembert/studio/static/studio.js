// The studio: the page above, live.  This script runs after those of the page and uses their functions.
const studio = { session: null, info: null, values: {}, written: {}, wanted: null, busy: false, pinned: null, start: null, text: "", opened: "", stamp: null, ticket: 0, dropped: false, untilSet: false, given: {} };

// -- requests -----------------------------------------------------------------------------------------------------------
async function post(verb, given) {
  const reply = await fetch(`${location.pathname}api/${verb}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given || {}) });
  if (reply.status === 410 && (verb !== "ping" || document.visibilityState === "visible")) {
    // away too long: the session ended, the text is still here
    studio.session = (await post("open", { text: studio.text })).session;
    return post(verb, { ...given, session: studio.session });
  }
  const found = await reply.json();
  if (!reply.ok) throw new Error(found.refused);
  return found;
}

const ask = (verb, given) => post(verb, { session: studio.session, ...given }).catch((error) => ({
  error: { asked: "request to the studio", found: String(error.message || error), why: "the studio does not answer: it was closed, or it refused", do: "start it again: dalembert studio FILE", lines: [] },
}));

// -- parts of the page --------------------------------------------------------------------------------------------------
const button = (text, title, act) => { const made = element("button", { textContent: text, title, type: "button" }); made.onclick = act; return made; };
const field = (label, input) => element("label", { className: "field" }, label, input);

const panel = element("section", { id: "studio" });
panel.setAttribute("aria-label", "Studio");
document.querySelector("header").after(panel);
const choose = element("select", { id: "analysis" });
const until = element("input", { id: "until", type: "number", min: "0", step: "any", title: "duration; empty: as in the file, where it may follow parameters" });
const options = element("details", { id: "options" });
const runButton = button("run", "run again with all outputs", () => studio.ask(false));
const stopButton = button("stop", "stop the run; what was computed is shown", () => ask("stop"));
stopButton.id = "stop";
stopButton.disabled = true;
const pinButton = button("pin run", "keep this run for comparison: as thin lines in the plots and as a ghost in the drawing", () => studio.pin());
pinButton.id = "pin";
const resetButton = button("reset", "back to the numbers of the file", () => { studio.values = {}; studio.untilSet = false; studio.fillSliders(); studio.ask(false); });
resetButton.id = "reset";
const putButton = button("write into file", "put these numbers into the text of the file; nothing is saved yet", () => studio.put());
putButton.id = "put";
resetButton.disabled = putButton.disabled = true;
const fileButton = button("file", "edit the file", () => studio.showFile(id("editor").hidden));
fileButton.id = "file";
fileButton.setAttribute("aria-expanded", "false");
const get = element("select", { id: "download" });
get.setAttribute("aria-label", "download");
[["", "download …"], ["page", "page (.html)"], ["npz", "numbers (.npz)"], ["csv", "numbers (.csv)"], ["file", "model file"]].forEach(([value, text]) => get.append(element("option", { value, textContent: text })));
get.onchange = () => { const what = get.value; get.value = ""; studio.download(what); };
const took = element("span", { id: "took" }), told = element("span", { id: "told" });
took.setAttribute("role", "status");
told.setAttribute("role", "status");
panel.append(
  element("div", { className: "card tools" }, field("analysis ", choose), field("until [s] ", until), options, runButton, stopButton,
    pinButton, resetButton, putButton, fileButton, get, element("div", { className: "state" }, told, element("span", { id: "pinned" }), took)),
  element("div", { className: "card", id: "sliders" }),
  element("div", { className: "card", id: "editor", hidden: true }),
);
// over the drawing, so that nothing moves away when it comes; below the text while that is edited
document.querySelector("main").append(element("div", { className: "card bad-card", id: "problem", hidden: true }));
id("problem").setAttribute("role", "alert");
const answer = element("div", { className: "card wide", id: "answer-card", hidden: true }, element("h2", { textContent: "Answer" }), element("pre", { id: "answer" }));
id("tables").prepend(answer, id("equations-card"));
const byHand = element("input", { type: "checkbox", id: "by-hand", checked: true });
id("options").append(element("label", { className: "drawn", title: "drag a body: joints hold, drivers let go" }, byHand, "move bodies by hand"));
const handBar = element("div", { id: "hand", hidden: true });
id("stage").append(handBar);
document.head.append(element("link", { rel: "icon", href: "data:," }));

// -- sliders ------------------------------------------------------------------------------------------------------------
studio.fillSliders = function () {
  const box = id("sliders"), longest = Math.max(2, ...studio.info.parameters.map((p) => p.name.length));
  box.style.setProperty("--label", `${Math.min(longest, 16) + 1}ch`);
  box.replaceChildren(...studio.info.parameters.map((p) => studio.slider(p)));
  // more sliders than have room above the drawing stand beside it, in a column of their own that scrolls
  const main = document.querySelector("main"), many = studio.info.parameters.length > 8;
  main.classList.toggle("with-sliders", many);
  if (many) main.prepend(box);
  else panel.insertBefore(box, id("editor"));
  if (!studio.info.parameters.length) box.append(element("p", { className: "note", textContent: "The file has no [parameters]: numbers with names become sliders here." }));
  studio.marked();
};

studio.slider = function (p) {
  const now = () => (studio.values[p.name] === undefined ? p.number : studio.values[p.name] / p.factor);
  const range = element("input", { type: "range", min: p.low, max: p.high, step: p.step });
  const number = element("input", { type: "number", step: "any" });
  range.setAttribute("aria-label", p.unit ? `${p.name} in ${p.unit}` : p.name);
  number.setAttribute("aria-label", `value of ${range.getAttribute("aria-label")}`);
  const show = () => {
    const x = now();
    if (x < Number(range.min)) range.min = x;
    if (x > Number(range.max)) range.max = x;
    range.value = x;
    number.value = String(Number(x.toPrecision(9)));
  };
  const set = (x, brief) => {
    if (!Number.isFinite(x)) return;
    if (Math.abs(x - p.number) <= 1e-12 * Math.abs(p.number)) delete studio.values[p.name];
    else studio.values[p.name] = x * p.factor;
    studio.marked();
    studio.ask(brief);
  };
  range.oninput = () => { number.value = String(Number(Number(range.value).toPrecision(9))); set(Number(range.value), true); };
  range.onchange = () => set(Number(range.value), false);
  number.onchange = () => { if (number.value !== "") set(Number(number.value), false); show(); };
  show();
  const made = element("div", { className: "slider" }, element("b", { textContent: p.name }), range, number, element("span", { textContent: p.unit }));
  // what the file says behind its number
  if (p.about) made.append(element("small", { textContent: p.about }));
  made.dataset.name = p.name;
  return made;
};

studio.marked = function () {
  for (const made of id("sliders").querySelectorAll(".slider")) made.classList.toggle("changed", studio.values[made.dataset.name] !== undefined);
  const any = Object.keys(studio.values).length > 0;
  resetButton.disabled = putButton.disabled = !any;
};

studio.put = async function () {
  const found = await ask("put", { values: studio.values });
  if (found.error) { studio.fail(found.error); return; }
  studio.values = {};
  studio.showFile(true);
  studio.setText(found.text);
  await studio.edited();
};

// -- runs: one at a time, the newest wish next, older ones are never asked ----------------------------------------------
studio.ask = function (brief) {
  if (!studio.info) return;
  studio.wanted = { brief };
  if (studio.busy) studio.overtake(); else studio.loop();
};

// a run that takes long gives way to what is newer; short ones are over sooner than they could be stopped
studio.overtake = function () {
  if (!studio.busy || studio.dropped) return;
  studio.dropped = true;
  const { ticket, begun } = studio;
  setTimeout(() => { if (studio.busy && studio.ticket === ticket) ask("stop", { ticket }); }, Math.max(0, 300 - (performance.now() - begun)));
};

studio.loop = async function () {
  studio.busy = true;
  while (studio.wanted) {
    const { brief } = studio.wanted;
    studio.wanted = null;
    studio.dropped = false;
    const slow = setTimeout(() => { stopButton.disabled = false; took.textContent = "running …"; }, 250), begun = studio.begun = performance.now();
    const given = { analysis: choose.value, values: studio.values, brief, start: studio.start, ticket: ++studio.ticket };
    if (studio.untilSet && Number(until.value) > 0) given.until = Number(until.value);
    given.given = studio.given[choose.value] || {};
    const found = await ask("run", given);
    clearTimeout(slow);
    stopButton.disabled = true;
    if (found.stale || found.gone) continue;
    // overtaken by what is newer
    if (studio.dropped && (found.stopped || (found.data && !found.data.complete))) { panel.dataset.dropped = Number(panel.dataset.dropped || 0) + 1; continue; }
    if (found.stopped) { took.textContent = "stopped before there was a result; the run before is shown"; continue; }
    if (found.error && !found.data) { took.textContent = ""; studio.fail(found.error); continue; }
    try { studio.take(found, brief); } catch (error) { document.documentElement.dataset.error = String(error.stack); throw error; }
    took.textContent = `computed in ${digits(Math.round(found.ms * 10) / 10)} ms, shown in ${Math.round(performance.now() - begun)} ms`;
    // the duration of the file, which may follow the parameters
    if (!studio.untilSet && found.until && document.activeElement !== until) until.value = String(Number(found.until.toPrecision(9)));
    panel.dataset.updates = Number(panel.dataset.updates || 0) + 1;
    panel.dataset.last = brief ? "brief" : "full";
    // what was reached before it went wrong is shown, and why it did
    if (found.error) studio.fail(found.error, true);
  }
  studio.busy = false;
};

studio.take = function (found, brief) {
  id("problem").hidden = true;
  document.documentElement.classList.remove("failed", "waiting");
  answer.hidden = !found.text;
  id("answer").textContent = found.text || "";
  if (!found.data) return;
  const data = found.data, same = D.scene && data.scene && D.scene.bodies.length === data.scene.bodies.length;
  if (!data.report) data.report = { ...D.report };
  if (brief) {
    // tables that are not computed while a slider moves keep their place
    data.sheets = null;
    const shown = (p) => (data.report.factors[p.name] || 1) * (studio.values[p.name] === undefined ? p.number * p.factor : studio.values[p.name]);
    data.report.parameters = studio.info.parameters.map((p) => [p.name, shown(p)]);
    // the picture keeps its scale while a slider moves, so that one sees what grows
    if (same) data.scene.box = data.scene.box.map((x, side) => x.map((v, i) => (side ? Math.max : Math.min)(v, D.scene.box[side][i])));
  }
  studio.dropHand();
  // in space dragging turns the view, unless asked otherwise
  if (data.scene && (!D.scene || D.scene.plane !== data.scene.plane)) byHand.checked = data.scene.plane;
  load(data);
  if (found.analysis === "equations") id("equations-card").open = true;
};

// errors in their four parts; those of the file at their lines
studio.fail = function (error, shown) {
  const box = id("problem"), part = (name, text) => [element("dt", { textContent: name }), element("dd", { textContent: text })];
  const lines = error.lines || [];
  box.replaceChildren(
    button("×", "close", () => { box.hidden = true; }),
    element("h2", { textContent: error.asked }),
    lines.length
      ? element("ul", {}, ...lines.map((l) => element("li", {}, button(`line ${l.line}`, "go to this line", () => { studio.showFile(true); studio.toLine(l.line); }), ` ${l.text}`)))
      : element("dl", {}, ...part("found", error.found), ...part("why", error.why), ...part("do", error.do)),
  );
  box.hidden = false;
  if (!shown) {
    // the verdict of the run before is no verdict on this one
    document.documentElement.classList.add("failed");
    Object.assign(id("status"), { textContent: "✗ not computed", className: "bad" });
    id("span").textContent = panel.dataset.last ? "· what is pale below is the last run that worked" : "";
  }
  document.documentElement.classList.remove("waiting");
  studio.problems = lines;
  studio.gutter();
};

// -- the file -----------------------------------------------------------------------------------------------------------
const written = element("textarea", { id: "text", spellcheck: false, autocomplete: "off", wrap: "off" });
written.setAttribute("aria-label", "text of the file");
const gutter = element("pre", { id: "gutter", ariaHidden: "true" });
const saveName = element("input", { id: "save-name", type: "text", size: 22 });
const saveNote = element("span", { id: "save-note" });
saveNote.setAttribute("role", "status");
const saveButton = button("save", "write the text to this file", () => studio.save(false));
saveButton.id = "save";
studio.problems = [];

id("editor").append(
  element("div", { className: "code" }, gutter, written),
  element("div", { id: "below-code" }),
  element("div", { className: "row" }, field("save as ", saveName), saveButton, saveNote),
);
written.onscroll = () => { gutter.scrollTop = written.scrollTop; };
let typing = 0;
written.oninput = () => { studio.text = written.value; clearTimeout(typing); studio.gutter(); typing = setTimeout(studio.edited, 350); };
written.onkeydown = (e) => {
  if (e.key !== "Tab" || e.shiftKey || e.ctrlKey || e.altKey) return;
  e.preventDefault();
  written.setRangeText("  ", written.selectionStart, written.selectionEnd, "end");
  written.oninput();
};

studio.setText = function (text) { studio.text = written.value = text; studio.gutter(); };

studio.gutter = function () {
  const bad = new Map(studio.problems.map((p) => [p.line, p.text]));
  gutter.replaceChildren(...written.value.split("\n").flatMap((_, i) => {
    const text = bad.get(i + 1);
    return [text ? element("b", { textContent: `● ${i + 1}`, title: text }) : String(i + 1), "\n"];
  }));
  gutter.scrollTop = written.scrollTop;
};

studio.showFile = function (open) {
  id("editor").hidden = !open;
  (open ? id("below-code") : document.querySelector("main")).append(id("problem"));
  fileButton.setAttribute("aria-expanded", String(open));
  studio.gutter();
};

studio.toLine = function (n) {
  const lines = written.value.split("\n"), from = lines.slice(0, n - 1).reduce((s, l) => s + l.length + 1, 0);
  written.focus();
  written.setSelectionRange(from, from + (lines[n - 1] || "").length);
  written.scrollTop = Math.max(0, (n - 6) * parseFloat(getComputedStyle(written).lineHeight));
};

studio.edited = async function () {
  studio.overtake();
  const text = studio.text, found = await ask("edit", { text });
  if (text !== studio.text || found.stopped || found.gone) return;
  if (found.error) { studio.problems = []; studio.fail(found.error); return; }
  studio.problems = [];
  studio.gutter();
  studio.about(found);
  studio.ask(false);
};

studio.save = async function (overwrite) {
  const found = await ask("save", { text: studio.text, name: saveName.value, overwrite, opened: studio.opened });
  saveNote.replaceChildren();
  if (found.error) saveNote.textContent = `${found.error.found}: ${found.error.why}; ${found.error.do}`;
  else if (found.exists) {
    const yes = button("overwrite it", `replace ${found.exists}`, () => studio.save(true)), no = button("leave it", "do not save", () => saveNote.replaceChildren());
    yes.id = "overwrite";
    saveNote.append(`${found.exists} exists${found.changed ? " and was changed by someone else meanwhile" : ""}. `, yes, " ", no);
  } else {
    saveNote.textContent = `saved as ${found.saved}`;
    if (saveName.value === studio.file) { studio.opened = studio.text; told.replaceChildren(); }
  }
};

// what other programs do to the file: read again where nothing of one's own would be lost, else told
studio.lookAtFile = async function () {
  const stamp = studio.stamp, found = await ask("ping", { stamp });
  if (found.stamp === undefined || studio.stamp !== stamp) return;
  // a file that is empty is being written
  if (found.text === "") return;
  studio.stamp = found.stamp;
  if (found.missing) { told.replaceChildren(`${studio.file} is gone; save writes it again`); return; }
  if (found.text === studio.opened) { told.replaceChildren(); return; }
  const take = () => {
    studio.opened = found.text;
    studio.setText(found.text);
    told.replaceChildren(`${studio.file} was changed by another program and read again`);
    studio.edited();
  };
  if (studio.text === studio.opened || studio.text === found.text) { take(); return; }
  const read = button("read it", "the text here is lost", take), keep = button("keep this text", "saving asks before it overwrites the file", () => told.replaceChildren());
  read.id = "read-again";
  told.replaceChildren(`${studio.file} was changed by another program. `, read, " ", keep);
};

studio.download = async function (what) {
  if (!what) return;
  const stem = studio.file.replace(/\.[^.]*$/, ""), kinds = { page: ["html", "text/html"], npz: ["npz", "application/octet-stream"], csv: ["csv", "text/csv"] };
  let bytes = studio.text, name = studio.file, kind = "text/plain";
  if (what !== "file") {
    const found = await ask("download", { what });
    if (found.error) { studio.fail(found.error, true); return; }
    bytes = Uint8Array.from(atob(found.content), (c) => c.charCodeAt(0));
    name = `${stem}.${kinds[what][0]}`;
    kind = kinds[what][1];
  }
  const link = element("a", { href: URL.createObjectURL(new Blob([bytes], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

// -- comparison: another run under this one -----------------------------------------------------------------------------
function withData(other, act) {
  const kept = [D, T, S, N, columnsOf];
  [D, T, S, N, columnsOf] = [other.D, other.T, other.S, other.N, other.columnsOf];
  try { return act(); } finally { [D, T, S, N, columnsOf] = kept; }
}

studio.pin = function () {
  studio.pinned = studio.pinned ? null : { D, T, S, N, columnsOf, about: studio.settings() };
  pinButton.textContent = studio.pinned ? "unpin" : "pin run";
  pinButton.setAttribute("aria-pressed", String(Boolean(studio.pinned)));
  id("pinned").textContent = studio.pinned ? `thin lines and ghost: ${studio.pinned.about}` : "";
  drawAll();
};
studio.settings = () => studio.info.parameters.map((p) => `${p.name} = ${digits(studio.values[p.name] === undefined ? p.number : studio.values[p.name] / p.factor)} ${p.unit}`.trim()).join(", ") || "the run that was pinned";

// act with the data of the pinned run, at its output nearest to the time shown
studio.withPinned = function (act) {
  if (!studio.pinned || !studio.pinned.D.scene || studio.pinned.D.scene.plane !== D.scene.plane) return false;
  const clock = T[player.k];
  withData(studio.pinned, () => {
    let k = 0;
    for (let j = 1; j < N; j++) if (Math.abs(T[j] - clock) < Math.abs(T[k] - clock)) k = j;
    act(k);
  });
  return true;
};

studio.ghost = function (args) {
  args.ctx.globalAlpha = 0.3;
  studio.withPinned((k) => (D.scene.plane ? drawPlane : drawSpace).bodies(args, k));
  args.ctx.globalAlpha = 1;
};
for (const draw of [drawPlane, drawSpace]) {
  const under = draw.under;
  draw.under = (args) => { under(args); studio.ghost(args); };
}
if (stage.shaded) stage.shaded.under = () => { if (!studio.withPinned(stage.shaded.another)) stage.shaded.withdraw(); };

// lines of the pinned run in a plot
Plot.prototype.under = function () {
  if (!studio.pinned) return [];
  const now = D.quantities, found = [];
  let i = 0;
  for (const shown of this.shown) {
    const rate = shown < 0, about = now[rate ? -shown - 1 : shown], q = studio.pinned.D.quantities.findIndex((x) => x.name === about.name);
    const cut = (all) => (about.rate_unit === undefined ? all : rate ? all.slice(-1) : all.slice(0, -1));
    const mine = cut(shownColumns(rate ? -shown - 1 : shown)).length;
    if (q >= 0) cut(withData(studio.pinned, () => shownColumns(q))).slice(0, mine).forEach((v, j) => found.push({ v, t: studio.pinned.S, unit: rate ? about.rate_unit : about.unit, i: i + j }));
    i += mine;
  }
  return found;
};

// -- by hand ------------------------------------------------------------------------------------------------------------
const hand = { body: -1, busy: false, next: null };

studio.view = () => {
  const w = stage.canvas.clientWidth, h = stage.canvas.clientHeight;
  return D.scene.plane ? planeView(w, h) : stage.shaded && stage.shaded.ready() ? stage.shaded.view(w, h) : spaceView(w, h);
};

// configuration at output k as the solver counts it: mass centre and angle or quaternion of each body
studio.configuration = (k) => D.scene.bodies.flatMap((b, i) => {
  const m = b.motion, turn = D.scene.plane ? [m.angle === undefined ? 0 : columns(m.angle)[0][k]] : m.quaternion === undefined ? [1, 0, 0, 0] : vector(m.quaternion, k);
  return [...where([i, b.center], k), ...turn];
});

// number of the body under a point of the screen, -1 if there is none
studio.bodyAt = function (x, y, view) {
  let best = -1, gap = 9;
  D.scene.bodies.forEach((b, i) => {
    const put = placer(i, player.k);
    for (const item of b.items) {
      const ps = item.points.map((p) => view.project(put(p)));
      let inside = false;
      for (let j = 0; j < ps.length; j++) {
        const [a, c] = [ps[j], ps[(j + 1) % ps.length]], d = [c[0] - a[0], c[1] - a[1]], l = d[0] * d[0] + d[1] * d[1];
        const s = l ? Math.max(0, Math.min(1, ((x - a[0]) * d[0] + (y - a[1]) * d[1]) / l)) : 0;
        const distance = Math.hypot(x - a[0] - s * d[0], y - a[1] - s * d[1]);
        if (distance < gap) { gap = distance; best = i; }
        if ((a[1] > y) !== (c[1] > y) && x < a[0] + (y - a[1]) / (c[1] - a[1]) * d[0]) inside = !inside;
      }
      if (inside && item.kind === "area" && gap > 1) { gap = 1; best = i; }
    }
  });
  return best;
};

// place in space that moves with the pointer, in the plane of the screen
studio.pulled = function (p, x, y, view) {
  const at = view.project(p), size = Math.max(...D.scene.box[1].map((v, i) => v - D.scene.box[0][i])) || 1, h = 1e-3 * size;
  // J maps places to the screen; the smallest step with J step = d is J^T (J J^T)^-1 d
  const jac = p.map((_, i) => { const q = p.slice(); q[i] += h; const b = view.project(q); return [(b[0] - at[0]) / h, (b[1] - at[1]) / h]; });
  const dot = (i, j) => jac.reduce((s, r) => s + r[i] * r[j], 0), a = dot(0, 0), b = dot(0, 1), c = dot(1, 1);
  const det = a * c - b * b, dx = x - at[0], dy = y - at[1], u = (c * dx - b * dy) / det, v = (a * dy - b * dx) / det;
  return p.map((value, i) => value + jac[i][0] * u + jac[i][1] * v);
};

const inside = (e) => { const box = stage.canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
stage.canvas.addEventListener("pointerdown", (e) => {
  if (!byHand.checked || e.button !== 0 || !D.scene || !studio.info || studio.info.kind !== "mechanism") return;
  const view = studio.view(), [x, y] = inside(e), body = studio.bodyAt(x, y, view);
  if (body < 0) return;
  e.stopImmediatePropagation();
  stage.canvas.setPointerCapture(e.pointerId);
  if (player.playing) player.toggle();
  const b = D.scene.bodies[body], k = player.k, turn = rotation(b, k), near = where([body, b.center], k);
  const grip = studio.pulled(near, x, y, view), arm = grip.map((v, i) => v - near[i]);
  // point of the body from its mass centre, in its axes
  const point = turn[0].map((_, j) => turn.reduce((s, row, i) => s + row[j] * arm[i], 0));
  Object.assign(hand, { body, point, grip, q: studio.configuration(k), before: hand.before || studio.configuration(k), k, moved: false, down: true });
  stage.tip.hidden = true;
}, true);
stage.canvas.addEventListener("pointermove", (e) => {
  if (!hand.down) {
    if (byHand.checked && D.scene && !e.buttons) stage.canvas.style.cursor = studio.bodyAt(...inside(e), studio.view()) >= 0 ? "pointer" : "";
    return;
  }
  e.stopImmediatePropagation();
  hand.next = studio.pulled(hand.grip, ...inside(e), studio.view());
  hand.moved = true;
  if (!hand.busy) studio.follow();
}, true);
for (const name of ["pointerup", "pointercancel"]) {
  stage.canvas.addEventListener(name, (e) => {
    if (!hand.down) return;
    e.stopImmediatePropagation();
    hand.down = false;
    if (hand.moved) studio.showHand();
  }, true);
}

studio.follow = async function () {
  hand.busy = true;
  while (hand.next) {
    const target = hand.next;
    hand.next = null;
    const found = await ask("drag", { values: studio.values, q: hand.q, body: hand.body, point: hand.point, target });
    if (found.error) { studio.fail(found.error); break; }
    if (!found.q) continue;
    hand.q = found.q;
    studio.pose(found.q, hand.k);
    panel.dataset.drags = Number(panel.dataset.drags || 0) + 1;
  }
  hand.busy = false;
};

// puts a configuration in the place of output k
studio.pose = function (q, k) {
  const n = D.scene.plane ? 3 : 7, dims = D.scene.plane ? 2 : 3;
  D.scene.bodies.forEach((b, i) => {
    const m = b.motion, turn = q.slice(n * i + dims, n * (i + 1));
    if (D.scene.plane && m.angle !== undefined) columns(m.angle)[0][k] = turn[0];
    if (!D.scene.plane && m.quaternion !== undefined) columns(m.quaternion).forEach((c, j) => { c[k] = turn[j]; });
    const from = turned(rotation(b, k), b.center);
    columns(m.position).forEach((c, j) => { if (j < dims) c[k] = q[n * i + j] - from[j]; });
  });
  stage.draw();
};

studio.showHand = function () {
  const from = button("run from here", "start the motion at rest from this pose", () => { studio.start = hand.q.slice(); choose.value = "simulate"; studio.ask(false); });
  from.id = "from-here";
  const back = button("back", "as computed", () => { studio.pose(hand.before, hand.k); studio.dropHand(); });
  handBar.replaceChildren("moved by hand ", ...(studio.info.drivers ? [] : [from]), back);
  handBar.hidden = false;
};

studio.dropHand = function () {
  Object.assign(hand, { before: null, next: null, down: false });
  handBar.hidden = !studio.start;
  if (!studio.start) return;
  handBar.replaceChildren("starts where it was left ", button("start as in the file", "forget the pose", () => { studio.start = null; handBar.hidden = true; studio.ask(false); }));
};

// at another time the machine is as computed again
player.listeners.push((k) => {
  if (!hand.before || hand.down || k === hand.k) return;
  studio.pose(hand.before, hand.k);
  studio.dropHand();
});

// -- start --------------------------------------------------------------------------------------------------------------
studio.about = function (info) {
  const before = studio.info;
  studio.info = info;
  for (const name of Object.keys(studio.values)) {
    const now = info.parameters.find((p) => p.name === name), old = before && before.parameters.find((p) => p.name === name);
    if (!now || !old || now.number !== old.number || now.unit !== old.unit) delete studio.values[name];
  }
  const chosen = choose.value;
  choose.replaceChildren(...info.analyses.map(([value, textContent]) => element("option", { value, textContent })));
  choose.value = info.analyses.some(([value]) => value === chosen) ? chosen : info.asked;
  if (!before || before.until !== info.until) { until.value = info.until; studio.untilSet = false; }
  if (!before || JSON.stringify(before.fields) !== JSON.stringify(info.fields)) studio.given = {};
  studio.start = null;
  studio.fillSliders();
  studio.fields();
};

studio.fields = function () {
  const timed = studio.info.timed.includes(choose.value);
  until.closest("label").hidden = !timed;
  studio.fillOptions();
  byHand.closest("label").hidden = studio.info.kind !== "mechanism";
};
choose.onchange = () => { studio.fields(); studio.ask(false); };
until.onchange = () => { studio.untilSet = Number(until.value) > 0; studio.ask(false); };

// a field for each option of the analysis, from the table of options: empty is as in the file
studio.fillOptions = function () {
  const verb = choose.value, given = (studio.given[verb] ||= {}), known = studio.info.fields[verb] || [];
  options.hidden = !known.length;
  options.replaceChildren(element("summary", { textContent: "options" }), ...known.map((one) => {
    const now = given[one.name] ?? one.value, kind = one.kind === "choice" ? "select" : "input";
    const input = element(kind, { id: `option-${one.name}`, title: one.help });
    if (one.kind === "flag") { input.type = "checkbox"; input.checked = Boolean(now); }
    else {
      if (one.kind === "choice") input.append(...one.words.map((value) => element("option", { value, textContent: value })));
      else { input.size = 6; input.inputMode = "decimal"; }
      input.value = now == null ? "" : String(now);
    }
    input.onchange = () => {
      const text = input.value.trim();
      if (one.kind === "flag") given[one.name] = input.checked;
      else if (text === "") delete given[one.name];
      else given[one.name] = one.kind === "choice" || Number.isNaN(Number(text)) ? text : Number(text);
      studio.ask(false);
    };
    return field(`${one.name.replaceAll("_", " ")}${one.unit ? ` [${one.unit}]` : ""} `, input);
  }));
};

studio.begin = async function () {
  document.documentElement.classList.add("waiting");
  took.textContent = "starting …";
  const found = await ask("open");
  took.textContent = "";
  if (!found.session) { studio.fail(found.error); return; }
  studio.session = found.session;
  studio.file = saveName.value = found.file;
  studio.opened = found.text;
  studio.stamp = found.stamp;
  studio.setText(found.text);
  id("name").textContent = found.file;
  let looking = false;
  const look = async () => { if (looking) return; looking = true; await studio.lookAtFile(); looking = false; };
  setInterval(look, 1000);
  window.addEventListener("focus", look);
  if (found.error) { studio.showFile(true); studio.fail(found.error); return; }
  studio.about(found);
  studio.ask(false);
};
window.addEventListener("pagehide", () => { fetch(`${location.pathname}api/close`, { method: "POST", keepalive: true, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ session: studio.session }) }).catch(() => {}); });
studio.begin();
