// Texts and tables; the table of reactions follows the player.
function fillTables(id) {
  const r = D.report;
  id("name").textContent = D.name;
  document.title = D.name;
  const [said, good] = r.headline || [{ ok: "✓ audit passed", incomplete: "run incomplete", doubtful: "! doubtful: see the audit" }[r.status] || "✗ audit failed", r.status === "ok"];
  id("status").textContent = said;
  id("status").className = good ? "" : "bad";
  const every = D.stride > 1 ? `; the page shows every ${D.stride}th of ${D.outputs} outputs` : "";
  id("span").textContent = D.kind === "run" ? `· ${digits(S[0])} … ${digits(S[N - 1])} ${D.axis.unit}, ${N} outputs${every}` : "";
  id("audit").textContent = r.audit;
  id("audit-card").hidden = !r.audit;
  document.querySelectorAll(".card.text").forEach((card) => card.remove());
  // long lines need the whole width
  const shape = (text) => `card text${text.split("\n").some((x) => x.length > 72) ? " wide" : ""}`;
  r.texts.forEach(([title, text]) => id("audit-card").before(element("div", { className: shape(text) }, element("h2", { textContent: title }), element("pre", { textContent: text }))));
  id("mobility-card").hidden = !r.mobility;
  id("mobility").textContent = r.mobility || "";
  id("parameters-card").hidden = !r.parameters.length;
  id("parameters").replaceChildren(...r.parameters.map(([name, value]) => row("td", [name, `${digits(value)} ${r.units[name] || ""}`.trim()])));
  id("facts").replaceChildren(...r.facts.map((fact) => row("td", fact)));
  reactionTable(id);
  sheet.refresh(id);
  fillFormulas(id);
}

// where nothing moves, values stand in place of plots
let valuesAt = () => {};
player.listeners.push((k) => valuesAt(k));

function valueTable(id) {
  const still = listing.still(), shown = D.quantities.map((q, i) => [q, i]).filter(([q]) => !q.hidden && (q.part === "" || q.group === "energy"));
  id("values-card").hidden = !still || !shown.length;
  valuesAt = () => {};
  if (!still) return;
  const cells = shown.slice(0, 60).map(([q]) => row("td", [q.name, "", q.unit], (i) => i === 1));
  id("values").replaceChildren(...cells);
  valuesAt = (k) => cells.forEach((tr, i) => { tr.children[1].textContent = shownColumns(shown[i][1]).slice(0, Math.max(1, shown[i][0].axes.length)).map((c) => (Math.abs(c[k]) < 1e-12 ? "0" : digits(c[k]))).join(", "); });
}

function row(tag, cells, numbers) {
  return element("tr", {}, ...cells.map((c, i) => element(tag, { textContent: c, className: numbers && numbers(i) ? "number" : "" })));
}

// fills the table of reactions at output k
let reactionsAt = () => {};
player.listeners.push((k) => reactionsAt(k));

function reactionTable(id) {
  const marks = D.loads;
  id("reactions").replaceChildren();
  id("reactions-card").hidden = !marks.length;
  reactionsAt = () => {};
  if (!marks.length) return;
  const plane = D.scene.plane, n = plane ? 2 : 3;
  const axes = plane ? ["Fx", "Fy", "T"] : ["Fx", "Fy", "Fz", "Tx", "Ty", "Tz"];
  const [[force, big], [torque, strong]] = [unitOf("N"), unitOf("N m")];
  const units = axes.map((a) => `${a} [${a[0] === "F" ? force : torque}]`);
  const table = id("reactions"), fixed = 3, number = (i) => i >= fixed && i < fixed + axes.length + 1;
  const over = D.kind === "run" && N > 1, zero = (q) => (D.quantities[q].zero || [0])[0];
  table.append(element("thead", {}, row("th", ["name", "joint", "on", ...units, ...(over ? ["largest"] : []), "unique"], number)));
  const body = element("tbody");
  const cells = marks.map((m) => {
    // a motor has a torque only
    const load = largest(m.force, n)[0] > zero(m.force) ? m.force : m.torque, [most, at] = largest(load, n), unique = D.report.unique ? D.report.unique[m.name] : null;
    const free = unique ? axes.filter((_, i) => unique[i] === false) : [];
    const verdict = !unique ? "–" : free.length ? `not unique: ${free.join(", ")}` : "yes";
    const made = row("td", [m.name, m.type, m.on, ...axes.map(() => ""), ...(over ? [most > zero(load) ? `${digits(most * (D.quantities[load].factor || 1))} ${D.quantities[load].unit} at ${digits(S[at])} ${D.axis.unit}` : "0"] : []), verdict], number);
    if (free.length) made.lastChild.className = "free";
    body.append(made);
    return [...made.children].slice(fixed, fixed + axes.length);
  });
  table.append(body);
  // what is rounding beside the other loads is shown as zero
  const size = marks.reduce((s, m) => Math.max(s, largest(m.force, n)[0]), 0);
  const length = Math.max(...D.scene.box[1].map((x, i) => x - D.scene.box[0][i])) || 1;
  reactionsAt = (k) => marks.forEach((m, i) => {
    const values = [...vector(m.force, k), ...vector(m.torque, k)];
    values.forEach((x, j) => {
      const tiny = Math.abs(x) < Math.max(1e-9 * size * (j < n ? 1 : length), zero(j < n ? m.force : m.torque));
      cells[i][j].textContent = tiny ? "0" : digits(x * (j < n ? big : strong));
    });
  });
  id("reactions-note").textContent = "Loads on the body named, at the joint, in space axes, at the time shown. " +
    (D.report.unique ? "Where constraints depend on each other, single components are not determined by the equations; uniqueness is that at the first output, and the loads shown are the smallest that fit." : "");
}
