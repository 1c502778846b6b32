// Plots over time: lines of any quantities, a second unit on the right axis (dashed), the cursor tied to the player.
const plots = [];

function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) found.push(i * step);
  return found;
}

function Plot(quantities) {
  this.shown = quantities.slice();
  this.bar = element("div", { className: "bar" });
  this.canvas = element("canvas", { tabIndex: 0 });
  this.canvas.setAttribute("role", "img");
  this.box = element("div", { className: "plot" }, this.bar, this.canvas);
  const move = (e) => {
    if (e.type === "pointermove" && !e.buttons) return;
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left;
    const f = Math.max(0, Math.min(1, (x - this.left) / (this.right - this.left)));
    const t = this.t0 + f * (this.t1 - this.t0);
    let best = 0;
    for (let k = 1; k < N; k++) if (Math.abs(T[k] - t) < Math.abs(T[best] - t)) best = k;
    player.go(best);
  };
  this.canvas.addEventListener("pointerdown", move);
  this.canvas.addEventListener("pointermove", move);
  this.fill();
}

// one line for every component: [values, label, unit]
Plot.prototype.lines = function () {
  const found = [];
  for (const id of this.shown) {
    const rate = id < 0, q = rate ? -id - 1 : id, about = D.quantities[q], all = columns(q);
    const name = rate ? `rate(${about.name})` : about.name;
    const values = about.rate_unit === undefined ? all : rate ? all.slice(-1) : all.slice(0, -1);
    values.forEach((v, i) => found.push([v, values.length > 1 ? `${name} ${about.axes[i]}` : name, rate ? about.rate_unit : about.unit, id]));
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
  this.fill();
};

Plot.prototype.fill = function () {
  this.bar.replaceChildren();
  const units = [...new Set(this.lines().map((l) => l[2]))];
  this.chips = this.lines().map(([, label, unit, id], i, all) => {
    const value = element("span"), mark = element("i", { className: units.indexOf(unit) > 0 ? "dashed" : "" });
    mark.style.borderColor = `var(--c${i % 8})`;
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
  const choose = element("select");
  choose.setAttribute("aria-label", "add a quantity to this plot");
  choose.append(element("option", { value: "", textContent: "+ quantity …" }));
  const groups = new Map();
  D.quantities.forEach((q, i) => {
    if (!groups.has(q.group)) groups.set(q.group, element("optgroup", { label: q.group }));
    const unit = q.unit ? ` [${q.unit}]` : "";
    groups.get(q.group).append(element("option", { value: String(i), textContent: q.name + unit }));
    if (q.rate_unit !== undefined) {
      groups.get(q.group).append(element("option", { value: String(-i - 1), textContent: `rate(${q.name})${q.rate_unit ? ` [${q.rate_unit}]` : ""}` }));
    }
  });
  choose.append(...groups.values());
  choose.onchange = () => {
    const id = Number(choose.value);
    if (choose.value !== "" && !this.shown.includes(id)) this.shown.push(id);
    this.fill();
    this.draw();
  };
  this.bar.append(choose);
  this.canvas.setAttribute("aria-label", "plot over time of " + (this.lines().map((l) => l[1]).join(", ") || "nothing yet"));
};

Plot.prototype.draw = function () {
  const { ctx, w, h } = prepare(this.canvas), lines = this.lines();
  const units = [...new Set(lines.map((l) => l[2]))];
  const sides = [lines.filter((l) => l[2] === units[0]), lines.filter((l) => l[2] !== units[0])];
  const top = 18, bottom = h - 20;
  ctx.font = "11px system-ui, sans-serif";
  // another run to compare with (studio)
  const under = this.under ? this.under() : [];
  const scales = sides.map((side, right) => {
    let low = Infinity, high = -Infinity;
    const others = under.filter((o) => (o.unit !== units[0]) === Boolean(right));
    for (const v of [...side.map((l) => l[0]), ...others.map((o) => o.v)]) for (const x of v) if (Number.isFinite(x)) { low = Math.min(low, x); high = Math.max(high, x); }
    if (!(low <= high)) return null;
    // round-off is not blown up: a constant is a flat line
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low < 1e-5 * size || size < 1e-12) { const m = size > 1e-12 ? 0.5 * size : 1; low -= m; high += m; }
    const room = 0.05 * (high - low);
    low -= room; high += room;
    return { size, y: (x) => bottom - (x - low) / (high - low) * (bottom - top), marks: ticks(low, high, 4) };
  });
  const wide = (s) => s === null ? 0 : Math.max(...s.marks.map((x) => ctx.measureText(digits(x)).width));
  this.left = Math.max(30, wide(scales[0]) + 10);
  this.right = w - (scales[1] ? wide(scales[1]) + 10 : 10);
  this.t0 = Math.min(T[0], T[N - 1]);
  this.t1 = Math.max(T[0], T[N - 1]);
  if (this.t0 === this.t1) this.t1 = this.t0 + 1;
  const x = (t) => this.left + (t - this.t0) / (this.t1 - this.t0) * (this.right - this.left);
  ctx.fillStyle = css("--soft");
  ctx.strokeStyle = css("--grid");
  ctx.lineWidth = 1;
  ctx.textBaseline = "middle";
  scales.forEach((s, side) => {
    if (!s) return;
    ctx.textAlign = side ? "left" : "right";
    for (const m of s.marks) {
      const y = Math.round(s.y(m)) + 0.5;
      if (!side) { ctx.beginPath(); ctx.moveTo(this.left, y); ctx.lineTo(this.right, y); ctx.stroke(); }
      ctx.fillText(digits(m), side ? this.right + 5 : this.left - 5, y);
    }
    const names = side ? units.slice(1) : units.slice(0, 1);
    ctx.textAlign = side ? "right" : "left";
    ctx.fillText(names.map((u) => u ? `[${u}]` : "").join(" "), side ? w - 4 : 4, 8);
  });
  ctx.textAlign = "center";
  for (const t of ticks(this.t0, this.t1, w / 110)) {
    ctx.beginPath(); ctx.moveTo(Math.round(x(t)) + 0.5, top); ctx.lineTo(Math.round(x(t)) + 0.5, bottom); ctx.stroke();
    ctx.fillText(digits(t), Math.min(x(t), w - 12), bottom + 10);
  }
  ctx.textAlign = "right";
  ctx.fillText("t [s]", this.right, 8);
  const trace = (v, t, scale) => {
    ctx.beginPath();
    for (let k = 0, pen = false; k < t.length; k++) {
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
    trace(o.v, o.t, scale);
  }
  ctx.restore();
  lines.forEach(([v, , unit], i) => {
    const scale = scales[unit === units[0] ? 0 : 1];
    if (!scale) return;
    ctx.strokeStyle = css(`--c${i % 8}`);
    ctx.lineWidth = 1.6;
    ctx.lineJoin = "round";
    ctx.setLineDash(unit === units[0] ? [] : [6, 4]);
    trace(v, T, scale);
  });
  ctx.setLineDash([]);
  const k = player.k;
  ctx.strokeStyle = css("--accent");
  ctx.lineWidth = 1;
  ctx.beginPath(); ctx.moveTo(x(T[k]), top); ctx.lineTo(x(T[k]), bottom); ctx.stroke();
  lines.forEach(([v, , unit], i) => {
    const scale = scales[unit === units[0] ? 0 : 1];
    // what is rounding beside the other lines is shown as zero
    this.chips[i].textContent = `= ${scale && Math.abs(v[k]) < 1e-9 * scale.size ? "0" : digits(v[k])} ${unit}`;
    if (!scale || !Number.isFinite(v[k])) return;
    ctx.fillStyle = css(`--c${i % 8}`);
    ctx.beginPath(); ctx.arc(x(T[k]), scale.y(v[k]), 3, 0, 7); ctx.fill();
  });
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
