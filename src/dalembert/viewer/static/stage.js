// What drawings in the plane and in space share: the view, arrows, traces, names, hovering, dragging.
const stage = { zoom: 1, shift: [0, 0], start_az: -0.95, start_el: 0.36, az: -0.95, el: 0.36, on: {}, sizes: {}, traced: new Set(), hits: [] };

stage.reset = function () { Object.assign(stage, { zoom: 1, shift: [0, 0], az: stage.start_az, el: stage.start_el }); };

stage.palette = function () {
  const names = { ink: "--ink", paper: "--paper", soft: "--soft", grid: "--grid", line: "--line", ground: "--ground", force: "--bad", velocity: "--good", acceleration: "--c3", stick: "--c2", slip: "--c1" };
  const found = Object.fromEntries(Object.entries(names).map(([k, v]) => [k, css(v)]));
  found.body = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => css(`--c${i}`));
  found.fill = Number(css("--fill")) || 0.25;
  return found;
};

// what the drawing shows: smallest and largest coordinates, around the machine as it is now where it is followed
stage.box = function () {
  if (!stage.on.follow) return D.scene.box;
  const centers = D.scene.bodies.map((b, i) => where([i, b.center], player.k)), half = 0.75 * D.scene.single;
  const middle = D.scene.box[0].map((_, i) => centers.reduce((s, p) => s + p[i] / centers.length, 0));
  return [middle.map((x) => x - half), middle.map((x) => x + half)];
};

// colour mixed with that of the paper
function mixed(color, paper, share) {
  const parts = (c) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
  const a = parts(color), b = parts(paper);
  return `rgb(${a.map((x, i) => Math.round(share * x + (1 - share) * b[i])).join(",")})`;
}

// draws on the screen, or onto something else that takes the same strokes
stage.draw = function (onto) {
  if (!D.scene) return;
  const { ctx, w, h } = onto || prepare(stage.canvas), k = player.k, colors = stage.palette();
  const u = Math.max(0.75, Math.min(1.25, Math.min(w, h) / 480));
  if (!(w > 0 && h > 0)) return;
  // pages in space have stage.shaded, unless three.js was not there when the package was installed
  // files of lines are drawn as lines
  const solid = !onto && stage.shaded && stage.shaded.ready();
  if (solid) stage.shaded.build();
  const view = D.scene.plane ? planeView(w, h) : solid ? stage.shaded.view(w, h) : spaceView(w, h);
  const args = { ctx, w, h, u, view, colors };
  if (solid) stage.shaded.draw(args, k);
  else stage.drawLines(args, k);
  stage.hits = [];
  D.scene.bodies.forEach((b, i) => { if (!looks.hidden(i)) stage.hits.push({ p: view.project(where([i, b.center], k)), body: i }); });
  D.scene.marks.filter(looks.mark).forEach((m) => {
    const ps = m.places.map((place) => view.project(where(place, k)));
    const two = glyphOf(m).between || glyphOf(m).wheels, pressed = stage.pressed(m.name, k);
    stage.hits.push({ p: pressed ? view.project(pressed.at) : two ? [(ps[0][0] + ps[1][0]) / 2, (ps[0][1] + ps[1][1]) / 2] : ps[ps.length - 1], mark: m });
  });
  if (stage.on.names) names.draw(args);
  stage.describe();
};

// the drawing as lines: everything in the plane, and space without shading
stage.drawLines = function (args, k) {
  const { ctx } = args, draw = D.scene.plane ? drawPlane : drawSpace;
  draw.under(args);
  if (stage.on.ghosts) {
    stage.ghostOutputs = stage.ghostOutputs || ghostPoses(7);
    ctx.globalAlpha = 0.16;
    stage.ghostOutputs.forEach((g) => { if (g !== k) draw.bodies(args, g); });
    ctx.globalAlpha = 1;
  }
  stage.drawTraces(args, k);
  draw.bodies(args, k, "area");
  draw.fixed(args, k);
  draw.bodies(args, k, "rest");
  draw.marks(args, k);
  stage.drawArrows(args, k);
};

stage.drawTraces = function ({ ctx, view, colors }, k) {
  for (const i of stage.traced) {
    const point = D.scene.points[i], color = colors.body[Math.max(0, point.place[0]) % 8];
    const { from, to } = player, step = Math.max(1, Math.floor((to - from) / 2000));
    if (!point.path) {
      point.path = [];
      for (let j = from; j <= to; j += step) point.path.push(where(point.place, j));
      // a cycle is closed
      if (D.kind === "modes") point.path.push(point.path[0]);
    }
    const all = point.path.map(view.project);
    ctx.globalAlpha = 0.35;
    line(ctx, all, color, 1.4);
    ctx.globalAlpha = 1;
    const past = all.slice(0, Math.floor((k - from) / step) + 1);
    past.push(view.project(where(point.place, k)));
    line(ctx, past, color, 2);
    circle(ctx, past[past.length - 1], 3, color);
  }
};

// typical size over time of a family of vectors, found once
stage.most = {};
stage.mostOf = function (name, find) {
  if (stage.most[name] === undefined) stage.most[name] = find() || 1;
  return stage.most[name];
};

// marks that show a reaction at their place: joints, drivers, cams, friction of joints; contacts show theirs where they press
stage.reacting = () => D.scene.marks.filter((m) => (m.kind !== "force" || ["touch", "friction"].includes(m.glyph)) && m.force !== undefined && !(D.scene.cones || []).some((c) => c.forces.includes(m.force)));

// how a contact presses at output k: place, normal, what friction does, half angle of its cone, force; undefined while it is open
stage.pressed = function (name, k) {
  const c = (D.scene.cones || []).find((one) => one.name === name), at = c && vector(c.at, k);
  if (!c || Number.isNaN(at[0])) return undefined;
  const [way, half] = vector(c.cone, k), forces = c.forces.map((q) => vector(q, k));
  return { at, normal: vector(c.normal, k), way: ["", "stick", "slip"][way], half, force: at.map((_, i) => forces.reduce((sum, f) => sum + f[i], 0)) };
};
stage.pressing = (k) => (D.scene.cones || []).map((c) => stage.pressed(c.name, k)).filter((x) => x);

// every arrow at output k: put(place, vector, what has the full length, exponent of the size, name of the family)
stage.eachArrow = function (put, k) {
  const n = D.scene.plane ? 2 : 3;
  for (const m of D.scene.marks.filter(looks.mark)) {
    // loads that are given are part of the drawing
    if (m.kind !== "force") continue;
    if (m.glyph === "arrow" && m.force !== undefined) put(m.places[1], vector(m.force, k), largest(m.force, n)[0] || 1, -0.2, "load");
    if (m.glyph === "couple" && m.torque !== undefined && n === 3) put(m.places[1], vector(m.torque, k), largest(m.torque, n)[0] || 1, -0.2, "couple");
  }
  if (stage.on.forces) {
    const joints = stage.reacting(), pressed = D.scene.cones || [];
    // peaks may be much larger than the rest: the scale is that of the mean over time
    const most = stage.mostOf("force", () => 2 * Math.max(0, ...joints.map((m) => mean(m.force, n)), ...pressed.map((c) => mean(c.forces[0], n))));
    for (const c of stage.pressing(k)) put([-1, c.at], c.force, most, stage.sizes.forces, "force");
    const turn = stage.mostOf("turn", () => (n === 3 ? 2 * Math.max(0, ...joints.map((m) => mean(m.torque, n))) : 1));
    for (const m of joints.filter(looks.mark)) {
      const place = m.places[m.places.length - 1];
      put(place, vector(m.force, k), most, stage.sizes.forces, "force");
      // torques far below those of other joints are what is left of rounding
      if (n === 3 && Math.hypot(...vector(m.torque, k)) > 1e-3 * turn) put(place, vector(m.torque, k), turn, stage.sizes.forces - 0.15, "torque");
    }
  }
  for (const [name, second, family] of [["velocities", false, "velocity"], ["accelerations", true, "acceleration"]]) {
    if (!stage.on[name]) continue;
    const some = D.scene.points.filter((p) => p.place[0] >= 0).slice(0, 200), step = Math.max(1, Math.floor(N / 100));
    const most = stage.mostOf(name, () => {
      let sum = 0, count = 0;
      for (let j = 0; j < N; j += step) {
        const most = Math.max(0, ...some.map((p) => Math.hypot(...rateAt(p.place, j, second))));
        sum += most * most;
        count++;
      }
      return 1.5 * Math.sqrt(sum / count);
    });
    for (const p of some.filter((one) => !looks.hidden(one.place[0]))) put(p.place, rateAt(p.place, k, second), most, stage.sizes[name], family);
  }
};

// cones of friction where contacts press: the force is inside while it sticks, and slips at the angle atan mu
stage.drawCones = function ({ ctx, view, colors, w, h }, k) {
  for (const { at, normal: n, half, way } of stage.pressing(k).filter((c) => c.half)) {
    const p = view.project(at), r = stage.coneSize * Math.min(w, h) / view.s, place = (along, ...across) => view.project(at.map((x, i) => x + r * (Math.cos(along) * n[i] + Math.sin(along) * across[i])));
    const turn = (m, f) => Array.from({ length: m + 1 }, (_, i) => f(i / m));
    let edge, rim;
    if (D.scene.plane) {
      edge = [p, ...turn(16, (s) => place((2 * s - 1) * half, -n[1], n[0]))];
      rim = [edge[1], p, edge[17]];
    } else {
      const [a, b] = across(n);
      rim = turn(32, (s) => place(half, ...a.map((x, i) => Math.cos(2 * Math.PI * s) * x + Math.sin(2 * Math.PI * s) * b[i])));
      edge = hull([p, ...rim]);
    }
    ctx.globalAlpha = 0.22;
    area(ctx, edge, colors[way]);
    ctx.globalAlpha = 0.75;
    line(ctx, rim, colors[way], 1.2);
    ctx.globalAlpha = 1;
  }
};

// slant length of a cone, as a part of the drawing
stage.coneSize = 0.2;

// two unit vectors across a unit vector in space
function across(n) {
  const e = Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const a = cross(e, n), l = Math.hypot(...a), first = a.map((x) => x / l);
  return [first, cross(n, first)];
}

// points around all points of the screen
function hull(points) {
  const sorted = [...points].sort((p, q) => p[0] - q[0] || p[1] - q[1]), half = (list) => {
    const found = [];
    for (const p of list) {
      for (let [a, b] = found.slice(-2); found.length > 1 && (b[0] - a[0]) * (p[1] - a[1]) <= (b[1] - a[1]) * (p[0] - a[0]); [a, b] = found.slice(-2)) found.pop();
      found.push(p);
    }
    return found.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// part of an arrow from a point of the drawing that stays inside its frame: at(share) is where the tip is with a share of its length
stage.fitting = function (at, w, h) {
  const inside = ([x, y]) => x >= 5 && x <= w - 5 && y >= 5 && y <= h - 5;
  if (inside(at(1)) || !inside(at(0))) return 1;
  let [low, high] = [0, 1];
  for (let i = 0; i < 24; i++) { const middle = (low + high) / 2; if (inside(at(middle))) low = middle; else high = middle; }
  return low;
};

stage.drawArrows = function (args, k) {
  const { ctx, view, colors, w, h } = args, full = 0.28 * Math.min(w, h);
  if (stage.on.forces) stage.drawCones(args, k);
  const shades = { load: colors.ink, couple: colors.ink, torque: colors.force, ...colors };
  stage.eachArrow((place, v, most, size, name) => {
    const p = view.project(where(place, k)), s = full * Math.pow(10, size) / most, whole = view.direction(v).map((x) => x * s);
    const share = stage.fitting((part) => p.map((x, i) => x + part * whole[i]), w, h), d = whole.map((x) => share * x);
    symbols.arrow(ctx, p, d, shades[name], 2.2);
    // one that would leave the frame is longer than it is drawn
    if (share < 1) symbols.broken(ctx, p, d, shades[name], colors.paper);
    // two heads are a torque
    if (name === "torque" || name === "couple") symbols.arrow(ctx, p, d.map((x) => 0.82 * x), shades[name], 2.2);
  }, k);
  if (!D.scene.plane || !stage.on.forces) return;
  const joints = stage.reacting();
  const length = Math.max(...D.scene.box[1].map((x, i) => x - D.scene.box[0][i])) || 1;
  const most = stage.most.force, turn = stage.mostOf("torque", () => Math.max(0, ...joints.map((m) => largest(m.torque, 2)[0])));
  for (const m of joints.filter(looks.mark)) {
    const t = vector(m.torque, k)[0];
    if (Math.abs(t) > 1e-9 * most * length && Math.abs(t) > 0.005 * turn) {
      const p = view.project(where(m.places[m.places.length - 1], k));
      symbols.turn(ctx, p, 24 * args.u, Math.PI / 3, Math.max(-5.4, Math.min(5.4, 4.6 * Math.pow(10, stage.sizes.forces) * t / turn)), colors.force, 2.2);
    }
  }
};

// text for the mark or body under the pointer
stage.about = function (hit) {
  const k = player.k;
  if (hit.body !== undefined) {
    const b = D.scene.bodies[hit.body], p = where([hit.body, b.center], k), v = rateAt([hit.body, b.center], k, false);
    const [[length, far], [speed, fast]] = [unitOf("m"), unitOf("m/s")];
    return `${b.name}\nat (${p.map((x) => digits(far * x)).join(", ")}) ${length}, speed ${digits(fast * Math.hypot(...v))} ${speed}`;
  }
  const m = hit.mark, lines = [`${m.name}: ${m.type}`, m.bodies.join(" – ")];
  if (m.force !== undefined) {
    const n = D.scene.plane ? 2 : 3, f = vector(m.force, k), t = vector(m.torque, k), [[force, big], [torque, strong]] = [unitOf("N"), unitOf("N m")];
    const c = stage.pressed(m.name, k), sum = c ? c.force : f.slice(0, n);
    lines.push(`force on ${m.on}: ${digits(big * Math.hypot(...sum))} ${force}`);
    if (c) {
      const pressing = sum.reduce((s, x, i) => s + x * c.normal[i], 0), rubbing = Math.sqrt(Math.max(0, sum.reduce((s, x) => s + x * x, 0) - pressing * pressing));
      lines.push(c.way ? `presses with ${digits(big * pressing)} ${force}, ${c.way === "stick" ? "sticks" : "slips"} with ${digits(big * rubbing)} ${force} (holds up to ${digits(big * Math.tan(c.half) * pressing)} ${force})` : "no friction");
      return lines.join("\n");
    }
    if (Math.hypot(...t) > 1e-9 * Math.hypot(...f) || m.kind !== "joint") lines.push(`torque: ${t.map((x) => digits(strong * x)).join(", ")} ${torque}`);
  }
  if (m.effort !== undefined) lines.push(`effort: ${shownColumns(m.effort).map((c) => digits(c[k])).join(", ")} ${D.quantities[m.effort].unit}`);
  return lines.join("\n");
};

stage.hover = function (x, y) {
  let best = null, gap = 16;
  for (const hit of stage.hits) {
    // joints before bodies where both are near
    const d = Math.hypot(hit.p[0] - x, hit.p[1] - y) + (hit.mark ? 0 : 3);
    if (d < gap) { gap = d; best = hit; }
  }
  if (!best) {
    // nothing near: the body itself, where it is drawn as a solid
    const body = stage.shaded && !D.scene.plane ? stage.shaded.bodyAt(x, y) : undefined;
    if (body !== undefined) best = { p: [x, y], body };
  }
  stage.tip.hidden = !best;
  if (!best) return;
  // several parts may share a point: a pin, its motor, the mass centre of a wheel
  const same = stage.hits.filter((hit) => hit !== best && Math.hypot(hit.p[0] - best.p[0], hit.p[1] - best.p[1]) < 3);
  stage.tip.textContent = [best, ...same.slice(0, 3)].map(stage.about).join("\n");
  const w = stage.canvas.clientWidth;
  stage.tip.style.left = `${Math.max(4, Math.min(best.p[0] + 14, w - stage.tip.offsetWidth - 4))}px`;
  stage.tip.style.top = `${Math.max(4, best.p[1] + 14)}px`;
};

stage.describe = function () {
  stage.canvas.setAttribute("aria-label", `${D.name}, ${listing.here(player.k)}: ${D.scene.bodies.length} bodies, ${D.scene.marks.length} joints and elements`);
};

// the drawing in space turned by angles to the right and over
stage.turn = function (az, el) {
  stage.az += az;
  stage.el = Math.max(-1.57, Math.min(1.57, stage.el + el));
  stage.draw();
};

stage.magnify = function (factor) { stage.zoom = Math.max(0.1, Math.min(50, stage.zoom * factor)); stage.draw(); };

// paths and ghosts of other outputs
stage.again = function () {
  stage.ghostOutputs = null;
  if (D.scene) D.scene.points.forEach((p) => { delete p.path; });
  if (stage.shaded) stage.shaded.again();
};

// what depends on the data; the view, arrows and names stay as they are
stage.refresh = function (id) {
  stage.most = {};
  stage.ghostOutputs = null;
  stage.hits = [];
  stage.tip.hidden = true;
  if (!D.scene) return;
  id("drag").textContent = D.scene.plane ? "move it" : "turn it";
  // a machine that travels far is followed, so that it does not become a dot
  const reach = Math.max(...D.scene.box[1].map((x, i) => x - D.scene.box[0][i]));
  const far = D.scene.single > 0 && reach > 2.5 * D.scene.single;
  id("follow").closest("label").hidden = !far;
  id("frames").closest("label").hidden = D.scene.plane;
  // what was chosen stays while the bodies are the same
  const bodies = D.scene.bodies.map((b) => b.name).join("\n"), same = stage.bodies === bodies;
  stage.bodies = bodies;
  if (!same) id("follow").checked = reach > 6 * D.scene.single;
  stage.on.follow = far && id("follow").checked;
  // nothing is offered that there is not
  const some = (what) => D.scene.bodies.some((b) => b.motion[what] !== undefined);
  id("forces").closest("label").hidden = !stage.reacting().length && !(D.scene.cones || []).length;
  id("velocities").closest("label").hidden = !some("velocity");
  id("accelerations").closest("label").hidden = !some("acceleration");
  if (!same) stage.chosen = new Set(D.scene.traced.map((i) => D.scene.points[i].name));
  stage.traced = new Set(D.scene.points.flatMap((p, i) => (stage.chosen.has(p.name) ? [i] : [])));
  looks.refresh(id);
  id("points").replaceChildren(...D.scene.points.slice(0, 300).map((p, i) => {
    const box = element("input", { type: "checkbox", checked: stage.traced.has(i) });
    box.onchange = () => {
      for (const [set, x] of [[stage.traced, i], [stage.chosen, p.name]]) { if (box.checked) set.add(x); else set.delete(x); }
      stage.draw();
    };
    return element("label", {}, box, p.name);
  }));
};

stage.start = function (id) {
  stage.canvas = id("drawing");
  stage.tip = id("tip");
  for (const name of ["forces", "velocities", "accelerations"]) {
    const size = id({ forces: "force", velocities: "velocity", accelerations: "acceleration" }[name] + "-size");
    stage.sizes[name] = 0;
    size.oninput = () => { stage.sizes[name] = Number(size.value); stage.on[name] = id(name).checked = true; stage.draw(); };
  }
  for (const name of ["forces", "velocities", "accelerations", "ghosts", "names", "follow", "frames"]) {
    id(name).onchange = (e) => { stage.on[name] = e.target.checked; stage.draw(); };
  }
  stage.refresh(id);
  id("larger").onclick = () => stage.magnify(1.25);
  id("smaller").onclick = () => stage.magnify(0.8);
  id("save-png").onclick = () => savePng(stage.canvas, `${D.name}.png`);
  id("save-svg").onclick = () => {
    const w = stage.canvas.clientWidth, h = stage.canvas.clientHeight, picture = new SvgPicture(w, h, css("--paper"));
    stage.draw({ ctx: picture, w, h });
    save(`${D.name}.svg`, picture.toString(), "image/svg+xml");
    stage.draw();
  };
  id("fit").onclick = () => { stage.reset(); stage.draw(); };
  const turns = { a: () => stage.turn(-0.1, 0), d: () => stage.turn(0.1, 0), w: () => stage.turn(0, 0.1), s: () => stage.turn(0, -0.1), ArrowUp: () => stage.turn(0, 0.1), ArrowDown: () => stage.turn(0, -0.1) };
  stage.canvas.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const action = { "+": () => stage.magnify(1.25), "-": () => stage.magnify(0.8), 0: () => { stage.reset(); stage.draw(); }, ...(D.scene && !D.scene.plane && turns) }[e.key];
    if (action) { action(); e.preventDefault(); }
  });
  let from = null;
  // fingers on the drawing: one turns or moves it, two magnify and move it
  const fingers = new Map();
  const pair = () => { const [p, q] = [...fingers.values()]; return { gap: Math.hypot(p[0] - q[0], p[1] - q[1]), at: [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2] }; };
  const lift = (e) => { fingers.delete(e.pointerId); from = null; };
  stage.canvas.addEventListener("pointerup", lift);
  stage.canvas.addEventListener("pointercancel", lift);
  stage.canvas.addEventListener("pointerdown", (e) => {
    from = [e.clientX, e.clientY];
    fingers.set(e.pointerId, from);
    stage.canvas.setPointerCapture(e.pointerId);
  });
  stage.canvas.addEventListener("pointermove", (e) => {
    const box = stage.canvas.getBoundingClientRect();
    if (!D.scene) return;
    if (!e.buttons || !(from || fingers.size === 2)) { stage.hover(e.clientX - box.left, e.clientY - box.top); return; }
    if (fingers.size === 2) {
      const before = pair();
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      const after = pair();
      stage.shift = stage.shift.map((x, i) => x + after.at[i] - before.at[i]);
      if (before.gap > 0 && after.gap > 0) stage.magnify(after.gap / before.gap);
      return;
    }
    const d = [e.clientX - from[0], e.clientY - from[1]];
    from = [e.clientX, e.clientY];
    fingers.set(e.pointerId, from);
    if (D.scene.plane || e.shiftKey) {
      stage.shift = [stage.shift[0] + d[0], stage.shift[1] + d[1]];
    } else {
      stage.turn(-0.01 * d[0], 0.01 * d[1]);
      return;
    }
    stage.draw();
  });
  stage.canvas.addEventListener("pointerleave", () => { stage.tip.hidden = true; });
  // with ctrl, so that the wheel alone still scrolls the page
  stage.canvas.addEventListener("wheel", (e) => { if (e.ctrlKey) { e.preventDefault(); stage.magnify(Math.exp(-0.003 * e.deltaY)); } }, { passive: false });
};
