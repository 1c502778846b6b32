// Free-body sheet: one body cut free, its loads as arrows at their places and as a table, at the time shown.
const sheet = { chosen: 0, inertia: false };
const LOADS = { weight: "--soft", joint: "--c0", driver: "--c1", force: "--c2", inertia: "--c3" };

sheet.refresh = function (id) {
  // null: not computed this time, it stays as it is
  if (!D.sheets) return;
  id("sheet-card").hidden = !D.sheets.length;
  if (!D.sheets.length) return;
  // fourteen columns in space need the whole width
  id("sheet-both").classList.toggle("stacked", !D.scene.plane);
  const same = sheet.names === D.sheets.map((s) => s.name).join("\n");
  sheet.names = D.sheets.map((s) => s.name).join("\n");
  if (!same) sheet.chosen = 0;
  sheet.scales = {};
  id("sheet-body").replaceChildren(...D.sheets.map((s, i) => element("option", { value: String(i), textContent: s.name, selected: i === sheet.chosen })));
  id("sheet-body").onchange = (e) => { sheet.chosen = Number(e.target.value); sheet.about(id); sheet.draw(); };
  id("sheet-about").onchange = () => sheet.draw();
  id("sheet-inertia").onchange = (e) => { sheet.inertia = e.target.checked; sheet.draw(); };
  id("sheet-card").ontoggle = () => sheet.draw();
  sheet.about(id);
};

// points that moments can be taken about: the mass centre, or the place of a load
sheet.about = function (id) {
  if (!D.sheets) return;
  const s = D.sheets[sheet.chosen];
  const points = [[s.body < 0 ? "origin" : "mass centre", null], ...s.loads.filter((l) => l.kind !== "driver").map((l) => [`point of ${l.name}`, l.place])];
  sheet.points = points.map((p) => p[1]);
  id("sheet-about").replaceChildren(...points.map(([name], i) => element("option", { value: String(i), textContent: name })));
  id("sheet-inertia").closest("label").hidden = s.body < 0;
};

sheet.cross = (u, f) => (D.scene.plane ? [u[0] * f[1] - u[1] * f[0]] : cross(u, f));

// loads at output k: {name, kind, p, f, t}; the last is the rate of momentum
sheet.loads = function (s, k) {
  const n = D.scene.plane ? 2 : 3, none = new Array(n === 2 ? 1 : 3).fill(0), found = [];
  const body = s.body < 0 ? null : D.scene.bodies[s.body];
  const center = body ? where([s.body, body.center], k) : new Array(n).fill(0);
  if (body && s.weight.some((x) => x !== 0)) found.push({ name: "weight", kind: "weight", p: center, f: s.weight, t: none });
  for (const l of s.loads) found.push({ name: l.name, kind: l.kind, p: where(l.place, k), f: vector(l.force, k).slice(0, n), t: vector(l.torque, k) });
  let rate = null;
  if (body) {
    const a = rateAt([s.body, body.center], k, true);
    const turn = s.momentum !== undefined ? vector(s.momentum, k) : [s.inertia * (body.motion.spin_rate === undefined ? 0 : vector(body.motion.spin_rate, k)[0])];
    rate = { name: "rate of momentum", kind: "inertia", p: center, f: a.map((x) => s.mass * x), t: turn };
  }
  return { found, rate, center };
};

// typical force over time, so that arrows keep their scale
sheet.scale = function (s) {
  const n = D.scene.plane ? 2 : 3;
  if (sheet.scales[s.name] === undefined) {
    const weight = s.weight ? Math.hypot(...s.weight) : 0;
    sheet.scales[s.name] = [Math.max(weight, ...s.loads.map((l) => 1.6 * mean(l.force, n))) || 1, Math.max(0, ...s.loads.map((l) => largest(l.torque, n)[0])) || 1];
  }
  return sheet.scales[s.name];
};

sheet.draw = function () {
  const card = document.getElementById("sheet-card");
  if (card.hidden || !card.open || !D.sheets || !D.sheets.length) return;
  const s = D.sheets[sheet.chosen], k = player.k, { found, rate, center } = sheet.loads(s, k);
  const all = sheet.inertia && rate ? [...found, { ...rate, name: "inertia", f: rate.f.map((x) => -x), t: rate.t.map((x) => -x) }] : found;
  sheet.table(s, all, sheet.inertia ? null : rate, k, center);
  sheet.picture(prepare(id("sheet-picture")), s, all, k);
};

sheet.table = function (s, loads, rate, k, center) {
  const plane = D.scene.plane, n = plane ? 2 : 3, axes = ["x", "y", "z"].slice(0, n), place = sheet.points[Number(id("sheet-about").value)];
  const about = place ? where(place, k) : center;
  const turns = plane ? [""] : axes;
  const [[at, far], [push, big], [twist, strong]] = [unitOf("m"), unitOf("N"), unitOf("N m")];
  const head = ["load", "kind", ...axes.map((a) => `${a} [${at}]`), ...axes.map((a) => `F${a} [${push}]`), ...turns.map((a) => `T${a} [${twist}]`), ...turns.map((a) => `M${a} [${twist}]`)];
  const moment = (l) => sheet.cross(l.p.map((x, i) => x - about[i]), l.f).map((x, i) => x + l.t[i]);
  const size = Math.max(1e-300, ...loads.map((l) => Math.hypot(...l.f)));
  const length = Math.max(...D.scene.box[1].map((x, i) => x - D.scene.box[0][i])) || 1;
  const force = (x) => (Math.abs(x) < 2e-6 * size ? "0" : digits(big * x)), turn = (x) => (Math.abs(x) < 2e-6 * size * length ? "0" : digits(strong * x));
  const sum = (get, count) => loads.reduce((t, l) => get(l).map((x, i) => x + t[i]), new Array(count).fill(0));
  const number = (i) => i > 1, lines = loads.map((l) => row("td", [l.name, l.kind, ...l.p.map((x) => (Math.abs(x) < 1e-6 * length ? "0" : digits(far * x))), ...l.f.map(force), ...l.t.map(turn), ...moment(l).map(turn)], number));
  const total = (name, f, m) => {
    const made = row("td", [name, "", ...axes.map(() => ""), ...f.map(force), ...turns.map(() => ""), ...m.map(turn)], number);
    made.className = "total";
    return made;
  };
  lines.push(total("sum", sum((l) => l.f, n), sum(moment, turns.length)));
  if (rate) lines.push(total("rate of momentum", rate.f, moment(rate)));
  id("sheet").replaceChildren(element("thead", {}, row("th", head, number)), element("tbody", {}, ...lines));
  const where_ = id("sheet-about").selectedOptions[0].textContent;
  id("sheet-note").textContent = `${s.name} at ${listing.here(k)}. T: couple at the place of the load; M: moment about the ${where_}. ` +
    (s.body < 0 ? "What the mechanism puts on its foundation." : rate ? "The sum of all loads is the rate of momentum." : "With inertia all loads are in balance (d'Alembert).");
};

// the body alone; in space seen like the drawing, in parallel projection
sheet.picture = function ({ ctx, w, h }, s, loads, k) {
  const colors = stage.palette(), plane = D.scene.plane, u = Math.max(0.75, Math.min(1.2, h / 320)), body = D.scene.bodies[s.body];
  const turn = plane ? (v) => [v[0], -v[1]] : sheet.view();
  const put = placer(s.body, k), lines = body ? body.items.filter((i) => i.points).map((i) => [i, i.points.map(put)]) : [];
  const places = [...lines.flatMap(([, points]) => points), ...loads.map((l) => l.p)].map(turn);
  if (!places.length) return;
  // half of the height is left to the arrows
  const low = [0, 1].map((i) => Math.min(...places.map((p) => p[i]))), high = [0, 1].map((i) => Math.max(...places.map((p) => p[i])));
  const arm = 0.26 * Math.min(w, h), scale = Math.min((w - 2 * arm - 40) / (high[0] - low[0] || 1e-9), (h - 2 * arm - 30) / (high[1] - low[1] || 1e-9), 1e9);
  const at = (p) => { const q = turn(p); return [w / 2 + (q[0] - (low[0] + high[0]) / 2) * scale, h / 2 + (q[1] - (low[1] + high[1]) / 2) * scale]; };
  const gray = colors.soft, soft = mixed(colors.ground, colors.paper, 0.22);
  for (const [item, points] of lines) {
    const on = points.map(at);
    if (item.kind === "point") { circle(ctx, on[0], 3 * u, gray); continue; }
    if (plane && item.kind === "bar") { symbols.bar(ctx, on, 1.6 * u, gray, soft, colors.paper); continue; }
    if (plane && item.kind === "area") {
      ctx.beginPath();
      on.forEach((p, j) => (j ? ctx.lineTo(...p) : ctx.moveTo(...p)));
      ctx.closePath();
      ctx.fillStyle = item.void ? colors.paper : soft;
      ctx.fill();
    }
    line(ctx, on, gray, item.kind === "bar" ? 4 : 1.2);
  }
  if (!body) line(ctx, [[20, h - 14], [w - 20, h - 14]], gray, 1);
  const [most, twist] = sheet.scale(s), names = [];
  for (const l of loads) {
    const p = at(l.p), color = css(LOADS[l.kind]), f = turn(l.f), size = Math.hypot(...f);
    let tip = null;
    if (Math.hypot(...l.f) > 1e-6 * most) {
      const px = Math.max(12, Math.min(1.15 * arm, arm * Math.hypot(...l.f) / most)) * (size / Math.hypot(...l.f));
      const d = f.map((x) => x / (size || 1) * px);
      symbols.arrow(ctx, p, d, color, 2.4);
      tip = [p[0] + d[0], p[1] + d[1], d];
    }
    const t = plane ? l.t[0] : Math.hypot(...l.t);
    if (Math.abs(t) > 1e-6 * most * (1 / scale) * 30 && Math.abs(t) > 1e-4 * twist) {
      if (plane) symbols.turn(ctx, p, 19 * u, Math.PI / 3, Math.sign(t) * Math.max(1.2, Math.min(5.2, 4.6 * Math.abs(t) / twist)), color, 2.2);
      else {
        // an arrow with two heads along the axis of the couple
        const a = turn(l.t).map((x) => x / t * Math.max(14, 0.8 * arm * Math.min(1, t / twist)));
        symbols.arrow(ctx, p, a.map((x) => 0.85 * x), color, 2);
        symbols.arrow(ctx, p, a, color, 2);
      }
      tip = tip || [p[0] + 19 * u, p[1] - 19 * u, [1, -1]];
    }
    circle(ctx, p, 3 * u, colors.paper, color, 1.5);
    if (tip) names.push([l.name, tip, color]);
  }
  ctx.font = "600 12px system-ui, sans-serif";
  ctx.textBaseline = "middle";
  ctx.textAlign = "center";
  ctx.lineJoin = "round";
  const used = [];
  for (const [name, [x, y, d], color] of names) {
    const size = Math.hypot(...d) || 1, half = ctx.measureText(name).width / 2;
    const px = Math.max(half + 3, Math.min(w - half - 3, x + d[0] / size * (half + 8))), near = Math.max(9, Math.min(h - 9, y + d[1] / size * 11));
    // a name that would lie on another one goes above or below it, to the side of its arrow
    const free = (q) => q >= 9 && q <= h - 9 && !used.some(([a, b, c]) => Math.abs(b - q) < 13 && Math.abs(a - px) < half + c + 4);
    const py = [0, 1, -1, 2, -2, 3, -3].map((i) => near + 13 * i * (d[1] < 0 ? -1 : 1)).find(free) || near;
    used.push([px, py, half]);
    ctx.lineWidth = 3;
    ctx.strokeStyle = colors.paper;
    ctx.strokeText(name, px, py);
    ctx.fillStyle = color;
    ctx.fillText(name, px, py);
  }
};

// parallel projection from the direction of the drawing
sheet.view = () => spaceView(1, 1).direction;
