// Drawing in space: lines in parallel projection, turned by dragging.
function spaceView(w, h) {
  const [low, high] = stage.box(), up = D.scene.up === undefined ? 2 : D.scene.up;
  const c = low.map((x, i) => (x + high[i]) / 2), size = high.map((x, i) => x - low[i]);
  // whole inside the drawing however it is turned: a box never looks wider than its diagonals
  const diagonal = Math.hypot(...size) || 1, flat = Math.hypot(size[(up + 1) % 3], size[(up + 2) % 3]);
  const s = stage.zoom * Math.min((w - 90) / Math.max(flat, 0.3 * diagonal), (h - 90) / Math.max(size[up] + 0.36 * flat, 0.5 * diagonal));
  const ca = Math.cos(stage.az), sa = Math.sin(stage.az), ce = Math.cos(stage.el), se = Math.sin(stage.el);
  // axes in the order right, back, up
  const order = [(up + 1) % 3, (up + 2) % 3, up];
  const turn = (v) => {
    const [x, y, z] = order.map((i) => v[i]);
    // seen from azimuth az and elevation el
    return [-sa * x + ca * y, ce * z - se * (ca * x + sa * y), ce * (ca * x + sa * y) + se * z];
  };
  return {
    s, turn, order,
    project: (p) => { const d = turn(p.map((x, i) => x - c[i])); return [w / 2 + d[0] * s + stage.shift[0], h / 2 - d[1] * s + stage.shift[1]]; },
    direction: (v) => { const d = turn(v); return [d[0], -d[1]]; },
  };
}

const drawSpace = {};

// floor of the box as a grid, and the axes
drawSpace.under = function ({ ctx, h, view, colors }) {
  const [low, high] = D.scene.box, [a, b, up] = view.order;
  const size = (stage.on.follow ? 2 * D.scene.single : Math.max(...high.map((x, i) => x - low[i]))) || 1;
  const step = ticks(0, size, 6)[1] || size, range = (i) => {
    const pad = Math.max(0, 0.3 * size - 0.5 * (high[i] - low[i]));
    return [Math.floor((low[i] - pad) / step) * step, Math.ceil((high[i] + pad) / step) * step];
  };
  const [ra, rb] = [range(a), range(b)];
  const at = (x, y) => { const p = [0, 0, 0]; p[a] = x; p[b] = y; p[up] = low[up]; return view.project(p); };
  for (let x = ra[0]; x <= ra[1] + 1e-9 * size; x += step) line(ctx, [at(x, rb[0]), at(x, rb[1])], colors.line, 1);
  for (let y = rb[0]; y <= rb[1] + 1e-9 * size; y += step) line(ctx, [at(ra[0], y), at(ra[1], y)], colors.line, 1);
  axesCorner(ctx, h, view, colors, step);
};

// planes and balls that contacts touch
drawSpace.fixed = function ({ ctx, view, colors }, k) {
  for (const wire of (D.scene.wires || []).filter((one) => !looks.hidden(one.body))) {
    const put = placer(wire.body, k);
    for (const points of wire.lines) line(ctx, points.map((p) => view.project(put(p))), colors.ground, 1);
  }
};

drawSpace.bodies = function ({ ctx, u, view, colors }, k, only) {
  if (only === "area") return;
  const order = D.scene.bodies.map((body, i) => [view.turn(where([i, body.center], k))[2], i]).sort((p, q) => p[0] - q[0]);
  const base = ctx.globalAlpha;
  for (const [, i] of order.filter(([, number]) => !looks.hidden(number))) {
    ctx.globalAlpha = base * looks.alpha(i);
    const put = placer(i, k), color = colors.body[i % 8];
    for (const item of D.scene.bodies[i].items) {
      const points = item.points.map((p) => view.project(put(p)));
      if (item.kind === "point") circle(ctx, points[0], 5 * u, color);
      else line(ctx, points, color, { bar: 4.5, line: 1.4, thin: 0.8 }[item.kind] * u);
    }
  }
  ctx.globalAlpha = base;
};

drawSpace.marks = function (args, k) {
  const { ctx, u, view, colors } = args;
  for (const m of D.scene.marks.filter(looks.mark)) {
    const b = view.project(where(m.places[m.places.length - 1], k));
    if (glyphOf(m).between) for (const layer of ["over", "top"]) symbols.glyph(args, m, k, layer);
    if (m.kind !== "joint" || glyphOf(m).between || m.glyph === "wheel") continue;
    if (m.hinge) {
      // the axis of the joint
      const place = m.places[0], put = placer(place[0], k), l = 9 * u / view.s;
      line(ctx, [-l, l].map((s) => view.project(put(place[1].map((x, i) => x + s * m.hinge[i])))), colors.ink, 3.5 * u);
    }
    if (m.places.some((p) => p[0] < 0)) {
      ctx.fillStyle = colors.paper; ctx.strokeStyle = colors.ink; ctx.lineWidth = 1.5;
      ctx.fillRect(b[0] - 4 * u, b[1] - 4 * u, 8 * u, 8 * u); ctx.strokeRect(b[0] - 4 * u, b[1] - 4 * u, 8 * u, 8 * u);
    } else {
      circle(ctx, b, 4 * u, colors.paper, colors.ink, 1.5);
    }
  }
};

// directions of the axes and the step of the grid, in the corner
function axesCorner(ctx, h, view, colors, step) {
  const o = [46, h - 43];
  ctx.font = "12px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ["x", "y", "z"].forEach((name, i) => {
    const e = [0, 0, 0];
    e[i] = 1;
    const d = view.direction(e);
    symbols.arrow(ctx, o, d.map((x) => 29 * x), colors.soft, 1.4);
    ctx.fillStyle = colors.soft;
    ctx.fillText(name, o[0] + 38 * d[0], o[1] + 38 * d[1]);
  });
  ctx.textAlign = "left";
  const [unit, factor] = unitOf("m");
  ctx.fillText(`grid ${digits(factor * step)} ${unit}`, 92, h - 12);
}
