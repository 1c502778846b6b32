// Plots over time or over any quantity: lines, a second unit on the right axis (dashed), the cursor tied to the player.
const plots = [];

// round numbers from low to high, about `count` of them and at least three
function ticks(low, high, count) {
  const power = Math.pow(10, Math.floor(Math.log10((high - low) / Math.max(1, count))));
  const steps = [10, 5, 2, 1, 0.5, 0.2].map((f) => f * power), rough = (high - low) / Math.max(1, count) * (1 - 1e-9);
  let found = [];
  for (let j = steps.findLastIndex((s) => s >= rough); j < steps.length && found.length < 3; j++) {
    found = [];
    for (let i = Math.ceil(low / steps[j] - 1e-9); i * steps[j] <= high + 1e-9 * steps[j]; i++) found.push(i * steps[j]);
    found.step = steps[j];
  }
  return found;
}

// texts of ticks, with as many digits as it takes to tell them apart
function tickTexts(marks) {
  const most = Math.max(...marks.map(Math.abs)), power = (x) => Math.floor(Math.log10(x) + 1e-9), step = power(marks.step);
  const signed = (text) => text.replace("e+", "e").replaceAll("-", "−");
  return marks.map((x) => {
    if (Math.abs(x) < 1e-6 * marks.step) return "0";
    if (most >= 1e5 || most < 1e-3) return signed(x.toExponential(Math.max(0, power(Math.abs(x)) - step)));
    return signed(x.toFixed(Math.max(0, -step)));
  });
}

// text that fits into a width
function fitting(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  while (text && ctx.measureText(`${text}…`).width > width) text = text.slice(0, -1);
  return text ? `${text}…` : "";
}

const bracketed = (unit) => (unit ? ` [${unit}]` : "");

// list to choose from: what it is for, its first line, and entries [group, value, text]
function offer(about, first, entries) {
  const made = element("select"), groups = new Map();
  made.setAttribute("aria-label", about);
  for (const [group, value, text] of entries) {
    if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
    groups.get(group).append(element("option", { value, textContent: text }));
  }
  made.append(element("option", { value: "", textContent: first }), ...groups.values());
  return made;
}

function Plot(quantities) {
  this.shown = quantities.slice();
  this.over = null; // what the horizontal axis shows: [quantity, component], or null for time
  this.bar = element("div", { className: "bar" });
  this.canvas = element("canvas", { tabIndex: 0 });
  this.canvas.setAttribute("role", "img");
  this.box = element("div", { className: "plot" }, this.bar, this.canvas);
  const move = (e) => {
    if (e.type === "pointermove" && !e.buttons) return;
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left;
    player.go(this.nearest(x, e.clientY - box.top));
  };
  this.canvas.addEventListener("pointerdown", move);
  this.canvas.addEventListener("pointermove", move);
  this.fill();
}

// output whose place in the plot is nearest to the pointer; over time only the horizontal distance counts
Plot.prototype.nearest = function (x, y) {
  let best = player.from, gap = Infinity;
  for (let k = player.from; k <= player.to; k++) {
    const dx = this.x(this.across[k]) - x;
    const d = this.over ? Math.min(...this.heights.map((f) => Math.hypot(dx, f(k) - y)).filter(Number.isFinite), Infinity) : Math.abs(dx);
    if (d < gap) { gap = d; best = k; }
  }
  return best;
};

// components that the horizontal axis can show: [quantity, component, label, unit]
function axesOffered() {
  return D.quantities.flatMap((q, i) => {
    if (q.hidden) return [];
    const rate = q.rate_unit !== undefined, n = q.values.length - (rate ? 1 : 0);
    const made = Array.from({ length: n }, (_, c) => [i, c, (n > 1 ? `${q.name} ${q.axes[c]}` : q.name) + bracketed(q.unit), q.group]);
    return rate ? [...made, [i, n, `rate(${q.name})${bracketed(q.rate_unit)}`, q.group]] : made;
  });
}

// one line for every component: [values, label, unit, number of the quantity, size below which it is rounding]
Plot.prototype.lines = function () {
  const found = [];
  for (const id of this.shown) {
    const rate = id < 0, q = rate ? -id - 1 : id, about = D.quantities[q], all = shownColumns(q);
    const name = rate ? `rate(${about.name})` : about.name;
    const values = about.rate_unit === undefined ? all : rate ? all.slice(-1) : all.slice(0, -1);
    const zero = (about.zero || [])[rate ? 1 : 0] || 0;
    values.forEach((v, i) => found.push([v, values.length > 1 ? `${name} ${about.axes[i]}` : name, rate ? about.rate_unit : about.unit, id, zero]));
  }
  return found;
};

// shows the same quantities by name after other data came; `before` are the quantities that the numbers meant so far
Plot.prototype.refresh = function (before) {
  const number = new Map(D.quantities.map((q, i) => [q.name, i]));
  this.shown = this.shown.flatMap((id) => {
    const rate = id < 0, i = number.get(before[rate ? -id - 1 : id].name);
    return i === undefined || (rate && D.quantities[i].rate_unit === undefined) ? [] : [rate ? -i - 1 : i];
  });
  if (this.over) {
    const i = number.get(before[this.over[0]].name);
    this.over = i === undefined || D.quantities[i].values.length <= this.over[1] ? null : [i, this.over[1]];
  }
  this.fill();
};

Plot.prototype.fill = function () {
  this.bar.replaceChildren();
  const units = [...new Set(this.lines().map((l) => l[2]))];
  this.chips = this.lines().map(([v, label, unit, id], i, all) => {
    const value = element("span"), mark = element("i", { className: units.indexOf(unit) > 0 ? "dashed" : "" });
    mark.style.borderColor = `var(--c${i % 8})`;
    // as wide as its longest number: nothing moves while time runs
    let longest = 7;
    for (let k = 0, step = Math.max(1, Math.floor(v.length / 300)); k < v.length; k += step) longest = Math.max(longest, digits(v[k]).length);
    value.style.minWidth = `${Math.ceil(longest + 0.8 * unit.length + 2)}ch`;
    const chip = element("span", { className: "chip" }, mark, label, value);
    // one button for all components of a quantity
    if (i === all.length - 1 || all[i + 1][3] !== id) {
      const drop = element("button", { textContent: "×", title: `remove ${label}` });
      drop.setAttribute("aria-label", `remove ${label}`);
      drop.onclick = () => { this.shown = this.shown.filter((x) => x !== id); this.fill(); this.draw(); };
      chip.append(drop);
    }
    this.bar.append(chip);
    return value;
  });
  const choose = offer("add a quantity to this plot", "+ quantity …", D.quantities.flatMap((q, i) => {
    if (q.hidden) return [];
    const own = [q.group, String(i), q.name + bracketed(q.unit)];
    return q.rate_unit === undefined ? [own] : [own, [q.group, String(-i - 1), `rate(${q.name})${bracketed(q.rate_unit)}`]];
  }));
  choose.onchange = () => {
    const id = Number(choose.value);
    if (choose.value !== "" && !this.shown.includes(id)) this.shown.push(id);
    this.fill();
    this.draw();
  };
  const over = offer("quantity of the horizontal axis", `over ${D.axis.name}${bracketed(D.axis.unit)}`, axesOffered().map(([q, c, label, group]) => [group, `${q} ${c}`, `over ${label}`]));
  over.value = this.over ? this.over.join(" ") : "";
  over.onchange = () => { this.over = over.value ? over.value.split(" ").map(Number) : null; this.draw(); };
  const csv = element("button", { textContent: "CSV", title: "save the numbers of this plot", onclick: () => this.saveNumbers() });
  const png = element("button", { textContent: "PNG", title: "save this plot as a picture", onclick: () => savePng(this.canvas, `${D.name}-plot.png`) });
  this.bar.append(element("span", { className: "controls" }, choose, over, csv, png));
  this.canvas.setAttribute("aria-label", "plot of " + (this.lines().map((l) => l[1]).join(", ") || "nothing yet"));
};

Plot.prototype.draw = function () {
  const { ctx, w, h } = prepare(this.canvas), lines = this.lines(), { from, to } = player;
  const units = [...new Set(lines.map((l) => l[2]))];
  const sides = [lines.filter((l) => l[2] === units[0]), lines.filter((l) => l[2] !== units[0])];
  // units stand above the uppermost label
  const top = 26, bottom = h - 20;
  ctx.font = "11px system-ui, sans-serif";
  // another run to compare with (studio)
  const under = this.under && !this.over ? this.under() : [];
  const scales = sides.map((side, right) => {
    let low = Infinity, high = -Infinity;
    const others = under.filter((o) => (o.unit !== units[0]) === Boolean(right));
    const seen = (x) => { if (Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); } };
    for (const [v] of side) for (let k = from; k <= to; k++) seen(v[k]);
    for (const o of others) o.v.forEach(seen);
    if (!(low <= high)) return null;
    const size = Math.max(Math.abs(low), Math.abs(high)), zero = Math.max(0, ...side.map((l) => l[4]));
    // round-off is not blown up: a constant is a flat line
    if (high - low < Math.max(1e-5 * size, zero) || size <= zero) { const m = size > zero ? 0.5 * size : 1; low -= m; high += m; }
    const room = 0.05 * (high - low);
    low -= room; high += room;
    const marks = ticks(low, high, 4);
    return { size, zero, marks, texts: tickTexts(marks), y: (x) => bottom - (x - low) / (high - low) * (bottom - top) };
  });
  const wide = (s) => s === null ? 0 : Math.max(...s.texts.map((x) => ctx.measureText(x).width));
  this.left = Math.max(30, wide(scales[0]) + 10);
  this.right = w - (scales[1] ? wide(scales[1]) + 10 : 10);
  this.across = this.over ? shownColumns(this.over[0])[this.over[1]] : S;
  const span = [Infinity, -Infinity];
  for (let k = from; k <= to; k++) if (Number.isFinite(this.across[k])) { span[0] = Math.min(span[0], this.across[k]); span[1] = Math.max(span[1], this.across[k]); }
  if (!(span[0] <= span[1])) span.splice(0, 2, 0, 1);
  const level = this.over ? (D.quantities[this.over[0]].zero || [0])[0] : 0;
  if (span[1] - span[0] <= Math.max(1e-12 * Math.max(1e-30, Math.abs(span[0]), Math.abs(span[1])), level)) span[1] = span[0] + 1;
  const room = this.over ? 0.04 * (span[1] - span[0]) : 0, [t0, t1] = [span[0] - room, span[1] + room];
  const x = this.x = (t) => this.left + (t - t0) / (t1 - t0) * (this.right - this.left);
  ctx.fillStyle = css("--soft");
  ctx.strokeStyle = css("--grid");
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  scales.forEach((s, side) => {
    if (!s) return;
    ctx.textAlign = side ? "left" : "right";
    s.marks.forEach((m, i) => {
      const y = Math.round(s.y(m)) + 0.5;
      if (!side) { ctx.beginPath(); ctx.moveTo(this.left, y); ctx.lineTo(this.right, y); ctx.stroke(); }
      ctx.fillText(s.texts[i], side ? this.right + 5 : this.left - 5, y);
    });
  });
  // above the plot: unit on the left, name of the horizontal axis, unit on the right
  const unit = [units.slice(0, 1), units.slice(1)].map((names) => names.map((u) => (u ? `[${u}]` : "")).join(" "));
  ctx.textAlign = "left";
  ctx.fillText(unit[0], 4, 8);
  ctx.textAlign = "right";
  ctx.fillText(unit[1], w - 4, 8);
  const [start, end] = unit.map((text) => (text ? ctx.measureText(text).width + 16 : 4));
  const below = this.over ? axesOffered().find(([q, c]) => q === this.over[0] && c === this.over[1])[2] : D.axis.name + bracketed(D.axis.unit);
  const edge = Math.min(this.right, w - end);
  ctx.fillText(fitting(ctx, below, edge - start), edge, 8);
  ctx.textAlign = "center";
  const across = ticks(t0, t1, w / 110), texts = tickTexts(across);
  let free = 0;
  across.forEach((t, i) => {
    ctx.beginPath(); ctx.moveTo(Math.round(x(t)) + 0.5, top); ctx.lineTo(Math.round(x(t)) + 0.5, bottom); ctx.stroke();
    const half = ctx.measureText(texts[i]).width / 2, at = Math.min(x(t), w - half - 2);
    if (at - half < free) return;
    ctx.fillText(texts[i], at, bottom + 10);
    free = at + half + 6;
  });
  this.heights = lines.map(([v, , unit]) => { const s = scales[unit === units[0] ? 0 : 1]; return (k) => (s ? s.y(v[k]) : NaN); });
  const trace = (v, t, scale, first, last) => {
    ctx.beginPath();
    for (let k = first, pen = false; k <= last; k++) {
      if (!Number.isFinite(v[k])) { pen = false; continue; }
      if (pen) ctx.lineTo(x(t[k]), scale.y(v[k])); else ctx.moveTo(x(t[k]), scale.y(v[k]));
      pen = true;
    }
    ctx.stroke();
  };
  ctx.save();
  ctx.beginPath(); ctx.rect(this.left, 0, this.right - this.left, h); ctx.clip();
  for (const o of under) {
    const scale = scales[o.unit === units[0] ? 0 : 1];
    if (!scale) continue;
    ctx.globalAlpha = 0.55;
    ctx.strokeStyle = css(`--c${o.i % 8}`);
    ctx.lineWidth = 1;
    trace(o.v, o.t, scale, 0, o.t.length - 1);
  }
  ctx.restore();
  lines.forEach(([v, , unit], i) => {
    const scale = scales[unit === units[0] ? 0 : 1];
    if (!scale) return;
    ctx.strokeStyle = css(`--c${i % 8}`);
    ctx.lineWidth = 1.6;
    ctx.lineJoin = "round";
    ctx.setLineDash(unit === units[0] ? [] : [6, 4]);
    trace(v, this.across, scale, from, to);
  });
  ctx.setLineDash([]);
  const k = player.k;
  ctx.strokeStyle = css("--accent");
  ctx.lineWidth = 1;
  if (!this.over) { ctx.beginPath(); ctx.moveTo(x(S[k]), top); ctx.lineTo(x(S[k]), bottom); ctx.stroke(); }
  lines.forEach(([v, , unit], i) => {
    const scale = scales[unit === units[0] ? 0 : 1];
    // what is rounding beside the other lines is shown as zero
    this.chips[i].textContent = `= ${scale && Math.abs(v[k]) < Math.max(1e-9 * scale.size, scale.zero) ? "0" : digits(v[k])} ${unit}`;
    if (!scale || !Number.isFinite(v[k])) return;
    ctx.fillStyle = css(`--c${i % 8}`);
    ctx.beginPath(); ctx.arc(x(this.across[k]), scale.y(v[k]), this.over ? 4 : 3, 0, 7); ctx.fill();
  });
};

// numbers of the plot, one line for every output: time, horizontal axis, lines
Plot.prototype.saveNumbers = function () {
  const quoted = (text) => `"${text.replace(/"/g, '""')}"`;
  const head = [D.axis.name + bracketed(D.axis.unit)], parts = [S];
  if (this.over) { head.push(axesOffered().find(([q, c]) => q === this.over[0] && c === this.over[1])[2]); parts.push(this.across); }
  for (const [v, label, u] of this.lines()) { head.push(label + bracketed(u)); parts.push(v); }
  const rows = [head.map(quoted).join(",")];
  // 32-bit floats have seven digits
  for (let k = player.from; k <= player.to; k++) rows.push(parts.map((p) => Number(p[k].toPrecision(7))).join(","));
  save(`${D.name}-plot.csv`, rows.join("\n") + "\n", "text/csv");
};

// canvas at the resolution of the screen, cleared
function prepare(canvas) {
  const ratio = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  const wide = Math.round(w * ratio), high = Math.round(h * ratio);
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return { ctx, w, h };
}
